// The classical policies on the paper's data: mean optimality ratios within 0.01 of those that the
// paper's reference implementation reaches. `bench/baselines` prints the whole table.
#include "tests/shared_data.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/eval/evaluate.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

struct Baseline {
  std::string source;
  double greedy;
  double greedy_t;  // tuned; 0 = not given
  double other;     // of `other_policy`
  std::string other_policy;
};

void check(const Baseline& expected) {
  const TempFolder folder;
  const auto source = sources().make(expected.source);
  constexpr std::uint64_t kCount = 1500;
  generate(*source, {expected.source, 1}, kCount, 0, no_progress()).save(folder.path() / "train");
  const Dataset test = generate(*source, {expected.source, 2}, kCount, 0, no_progress());
  std::vector<std::pair<std::string, double>> wanted = {{"greedy", expected.greedy}};
  if (expected.greedy_t > 0) {
    const std::string train = (folder.path() / "train").string();
    wanted.emplace_back("greedy-t(candidates=hundredths,train=" + train + ")", expected.greedy_t);
  }
  if (expected.other > 0) wanted.emplace_back(expected.other_policy, expected.other);
  std::vector<Contestant> contestants;
  for (const auto& [spec, ratio] : wanted) contestants.push_back({spec, policies().make(spec)});
  const Evaluation evaluation =
      evaluate(solve(bind_data(test), {}, no_progress()), contestants, {}, no_progress());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(evaluation.policies[i].ratio.mean, wanted[i].second, 0.01)
        << expected.source << " " << wanted[i].first;
  }
}

TEST(Baselines, ErdosRenyi) {
  check({"er(u=10,v=30,p=0.05)", 0.846, 0.883, 0, ""});
  check({"er(u=10,v=30,p=0.2)", 0.704, 0.877, 0, ""});
  check({"er(u=10,v=60,p=0.1)", 0.643, 0.875, 0, ""});
  check({"er(u=10,v=60,p=0.2)", 0.630, 0.906, 0, ""});
}

TEST(Baselines, BarabasiAlbert) {
  check({"ba(u=10,v=30,degree=5)", 0.912, 0, 0, ""});
  check({"ba(u=10,v=60,degree=5)", 0.941, 0, 0, ""});
}

TEST(Baselines, HardAdwords) {
  check({"thick-z(u=10,v=60)", 0.591, 0, 0.700, "msvv"});
  check({"thick-z(u=10,v=100)", 0.589, 0, 0.701, "msvv"});
  check({"triangular(u=10,v=60)", 0.660, 0, 0.662, "msvv"});
}

TEST(Baselines, GMission) {
  FORESIGHT_NEEDS_SHARED("data/gmission");
  const std::string path = (*shared_folder() / "data/gmission").string();
  const std::string rt = "greedy-rt(scale=18.8736,w_max=18.8736)";
  check({"gmission(path=" + path + ",u=10,v=30,workers=vary)", 0.769, 0.836, 0.793, rt});
  check({"gmission(path=" + path + ",u=10,v=60,workers=vary)", 0.695, 0.842, 0.739, rt});
}

TEST(Baselines, MovieLens) {
  FORESIGHT_NEEDS_SHARED("data/movielens");
  const std::string path = (*shared_folder() / "data/movielens").string();
  check({"movielens(path=" + path + ",u=10,v=30,movies=vary)", 0.869, 0, 0, ""});
  check({"movielens(path=" + path + ",u=10,v=60,movies=vary)", 0.835, 0, 0, ""});
}

}  // namespace
}  // namespace foresight
