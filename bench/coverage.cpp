// Hindsight optima of OSBM on MovieLens instances: branch and price compared with the paper's
// integer program. Times are processor time, because the machine may have other work.
//
//   bench_coverage FOLDER [INSTANCES]     FOLDER holds the MovieLens files
#include "foresight/solve/coverage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "foresight/data/source.h"

namespace {

using namespace foresight;

struct Times {
  std::vector<double> ms;

  template <typename Solve>
  Label measure(Solve solve) {
    const std::clock_t begin = std::clock();
    Label label = solve();
    ms.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    return label;
  }
  double median() {
    std::nth_element(ms.begin(), ms.begin() + std::ssize(ms) / 2, ms.end());
    return ms[ms.size() / 2];
  }
  double mean() const {
    return std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size());
  }
  double max() const { return *std::max_element(ms.begin(), ms.end()); }
};

void compare(const std::string& folder, int u, int v, int instances) {
  const auto source =
      sources().make(fmt::format("movielens(path={},u={},v={},movies=vary)", folder, u, v));
  CoverageSolver solver;
  Times fast, program;
  int proven = 0, branched = 0, different = 0;
  for (int i = 0; i < instances; ++i) {
    const Instance instance = source->draw(1, static_cast<std::uint64_t>(i));
    const Label label = fast.measure([&] { return solver.solve(instance); });
    proven += label.proven();
    branched += solver.num_nodes() != 1;
    // The integer program is slow on large instances, so it solves only a tenth of them.
    if (i % (u > 50 ? 10 : 1) != 0) continue;
    const Label other = program.measure([&] { return solve_coverage_ip(instance); });
    different += std::abs(label.value - other.value) > 1e-9 * other.value;
  }
  fmt::print(
      "{:4} x {:3} {:9.4f} {:9.4f} {:9.4f} {:11.2f} {:9.2f} {:9.2f} {:8.0f} {:8} {:8} {:8}\n", u, v,
      fast.median(), fast.mean(), fast.max(), program.median(), program.mean(), program.max(),
      program.mean() / fast.mean(), proven, branched, different);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} FOLDER [INSTANCES]\nFOLDER holds the MovieLens files.\n",
               argv[0]);
    return 2;
  }
  const int instances = argc > 2 ? std::max(1, std::atoi(argv[2])) : 500;
  fmt::print(
      "{} instances each    branch and price, ms          integer program, ms    ratio\n"
      "   U x V     median      mean       max      median      mean       max of means   proven "
      "branched   differ\n",
      instances);
  for (const auto& [u, v] : std::array<std::pair<int, int>, 3>{{{10, 30}, {10, 60}, {94, 100}}}) {
    compare(argv[1], u, v, instances);
  }
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
