// How long the table of the optimal online policy takes on crowd(), on one thread and on all cores,
// compared with the textbook loop over one set after the other.
//
//   bench_online [MOST_NODES]
#include "foresight/solve/online.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "foresight/base/parallel.h"
#include "foresight/problem/bound.h"

namespace {

using namespace foresight;

template <typename Work>
double best_seconds(int rounds, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

double solve_textbook(const ArrivalTypes& types, NodeId num_fixed, int horizon) {
  const std::size_t sets = std::size_t{1} << num_fixed;
  std::vector<float> next(sets), now(sets);
  for (int r = 0; r < horizon; ++r) {
    for (std::size_t set = 0; set < sets; ++set) {
      double value = 0;
      for (std::size_t i = 0; i < types.probabilities.size(); ++i) {
        float best = next[set];
        for (auto e = types.edge_begin[i]; e < types.edge_begin[i + 1]; ++e) {
          const auto at = static_cast<std::size_t>(e);
          const std::size_t node = std::size_t{1} << types.nodes[at];
          if (set & node) best = std::max(best, types.weights[at] + next[set ^ node]);
        }
        value += types.probabilities[i] * static_cast<double>(best);
      }
      now[set] = static_cast<float>(value);
    }
    std::swap(now, next);
  }
  return static_cast<double>(next.back());
}

void bench(int nodes, int horizon) {
  const BoundSource source = bind_source(fmt::format("crowd(u={},v={})", nodes, horizon));
  const Instance instance = source.draw(1, 0);
  const ArrivalLaw law = *source.arrival_law(instance.market());
  const auto& types = std::get<ArrivalTypes>(law);
  const OnlineStates states = online_states(source.problem(), instance.market(), law);
  double value = 0;
  const auto time = [&](int threads) {
    return best_seconds(nodes <= 10   ? 50
                        : nodes <= 15 ? 5
                                      : 1,
                        [&] { value = solve_online(states, law, horizon, threads).expected(); });
  };
  const double one = time(1);
  const double all = time(0);
  fmt::print("{}x{}: {} types, {} edges, value {:.5f}: {:.1f} ms on 1 thread, {:.1f} ms on {}\n",
             nodes, horizon, types.probabilities.size(), types.nodes.size(), value, 1e3 * one,
             1e3 * all, thread_count(0));
  if (nodes > 15) return;
  double plain_value = 0;
  const double plain = best_seconds(nodes <= 10 ? 5 : 1,
                                    [&] { plain_value = solve_textbook(types, nodes, horizon); });
  fmt::print("       textbook {:.5f}: {:.1f} ms ({:.0f} times)\n", plain_value, 1e3 * plain,
             plain / one);
}

}  // namespace

int main(int argc, char** argv) {
  const int most_nodes = argc > 1 ? std::atoi(argv[1]) : 20;
  for (const auto& [nodes, horizon] : {std::pair(10, 30), {10, 60}, {15, 60}, {20, 60}}) {
    if (nodes <= most_nodes) bench(nodes, horizon);
  }
}
