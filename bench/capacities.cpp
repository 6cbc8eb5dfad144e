// Hindsight optima of matching with capacities: milliseconds per instance.
//
//   bench_capacities [--all]
//
// Rivals in the same run: our solver of ordinary matching with copies of nodes, where these are not
// too many, and LEMON's network simplex. On the large instances LEMON takes minutes, so it solves
// them only with --all. Times are CPU times of the best of three rounds (LEMON: one round on large
// instances). Values of different methods must be equal, or the benchmark says so and fails.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#if __has_include(<lemon/network_simplex.h>)
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>
#endif

#include "foresight/solve/assignment.h"

namespace {

using namespace foresight;

constexpr double kGrid = 1 << 24;  // weights are multiples of 1 / kGrid, so LEMON has them exactly

struct Transport {
  std::vector<std::int32_t> capacities = {};
  std::vector<std::int64_t> edge_begin = {0};
  std::vector<NodeId> nodes = {};
  std::vector<float> weights = {};

  std::size_t num_arrivals() const { return edge_begin.size() - 1; }
  std::size_t first(std::size_t v) const { return static_cast<std::size_t>(edge_begin[v]); }
};

enum class Kind { kUniform, kTies, kSkewed };

/// Capacities are uniform between 1 and 80, times what makes their sum `room` times the arrivals.
/// `degree` 0 stands for all nodes.
Transport random_transport(NodeId num_fixed, NodeId num_arrivals, int degree, Kind kind,
                           double room) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  Transport transport;
  std::vector<double> shares(static_cast<std::size_t>(num_fixed));
  double sum = 0;
  for (double& share : shares) sum += share = 1 + 79 * uniform(random);
  for (const double share : shares) {
    const double capacity = std::round(share * room * num_arrivals / sum);
    transport.capacities.push_back(std::max(1, static_cast<std::int32_t>(capacity)));
  }
  for (NodeId v = 0; v < num_arrivals; ++v) {
    std::vector<NodeId> chosen;
    for (NodeId u = 0; degree == 0 && u < num_fixed; ++u) chosen.push_back(u);
    for (int i = 0; i < degree; ++i) {
      const double place = std::pow(uniform(random), kind == Kind::kSkewed ? 3 : 1);
      chosen.push_back(static_cast<NodeId>(place * num_fixed));
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const NodeId u : chosen) {
      transport.nodes.push_back(u);
      transport.weights.push_back(
          kind == Kind::kTies ? static_cast<float>(1 + random() % 5)
                              : static_cast<float>(std::floor(uniform(random) * kGrid) / kGrid));
    }
    transport.edge_begin.push_back(std::ssize(transport.nodes));
  }
  return transport;
}

/// The same with each node as often as its capacity.
Transport with_copies(const Transport& transport) {
  std::vector<NodeId> first = {0};
  for (const std::int32_t capacity : transport.capacities) {
    first.push_back(first.back() + capacity);
  }
  Transport copies;
  copies.capacities.assign(static_cast<std::size_t>(first.back()), 1);
  for (std::size_t v = 0; v < transport.num_arrivals(); ++v) {
    for (std::size_t e = transport.first(v); e < transport.first(v + 1); ++e) {
      const auto u = static_cast<std::size_t>(transport.nodes[e]);
      for (NodeId copy = first[u]; copy < first[u + 1]; ++copy) {
        copies.nodes.push_back(copy);
        copies.weights.push_back(transport.weights[e]);
      }
    }
    copies.edge_begin.push_back(std::ssize(copies.nodes));
  }
  return copies;
}

#if __has_include(<lemon/network_simplex.h>)
double solve_with_lemon(const Transport& transport) {
  const int num_arrivals = static_cast<int>(transport.num_arrivals());
  const int num_fixed = static_cast<int>(transport.capacities.size());
  const int sink = num_arrivals + num_fixed;
  std::vector<std::pair<int, int>> arcs;
  std::vector<int> limits;
  std::vector<std::int64_t> costs;
  const auto add_arc = [&](int from, int to, int limit, std::int64_t cost) {
    arcs.emplace_back(from, to);
    limits.push_back(limit);
    costs.push_back(cost);
  };
  for (int v = 0; v < num_arrivals; ++v) {
    const auto at = static_cast<std::size_t>(v);
    for (std::size_t e = transport.first(at); e < transport.first(at + 1); ++e) {
      add_arc(v, num_arrivals + transport.nodes[e], 1,
              -static_cast<std::int64_t>(transport.weights[e] * kGrid));
    }
    add_arc(v, sink, 1, 0);
  }
  for (int u = 0; u < num_fixed; ++u) {
    add_arc(num_arrivals + u, sink, transport.capacities[static_cast<std::size_t>(u)], 0);
  }
  using Network = lemon::StaticDigraph;
  Network network;
  network.build(sink + 1, arcs.begin(), arcs.end());
  Network::ArcMap<int> limit(network);
  Network::ArcMap<std::int64_t> cost(network);
  Network::NodeMap<int> supply(network, 0);
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    limit[network.arc(static_cast<int>(a))] = limits[a];
    cost[network.arc(static_cast<int>(a))] = costs[a];
  }
  for (int v = 0; v < num_arrivals; ++v) supply[network.node(v)] = 1;
  supply[network.node(sink)] = -num_arrivals;
  lemon::NetworkSimplex<Network, int, std::int64_t> simplex(network);
  simplex.upperMap(limit).costMap(cost).supplyMap(supply).run();
  return static_cast<double>(-simplex.totalCost()) / kGrid;
}
#endif

struct Timing {
  double milliseconds = std::numeric_limits<double>::infinity();
  double value = 0;
};

Timing measure(int rounds, const std::function<double()>& solve) {
  Timing timing;
  for (int round = 0; round < rounds; ++round) {
    const std::clock_t begin = std::clock();
    timing.value = solve();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    timing.milliseconds = std::min(timing.milliseconds, 1e3 * seconds);
  }
  return timing;
}

/// Prints a line and returns whether all values are equal.
bool report(const std::string& name, double room, const Transport& transport, bool is_small,
            [[maybe_unused]] bool with_lemon) {
  AssignmentSolver solver;
  const auto solve = [&](const Transport& t) {
    return solver.solve_capacities(t.capacities, t.edge_begin, t.nodes, t.weights).value;
  };
  const Timing ours = measure(3, [&] { return solve(transport); });
  fmt::print("{:22} room {:4.2f}  {:9.2f} ms", name, room, ours.milliseconds);
  bool equal = true;
  const auto compare = [&](const char* rival, const Timing& timing) {
    fmt::print("   {} {:9.2f} ms ({:.1f}x)", rival, timing.milliseconds,
               timing.milliseconds / ours.milliseconds);
    equal &= std::abs(timing.value - ours.value) <= 1e-9 * ours.value;
  };
  if (is_small) {
    const Transport copies = with_copies(transport);
    compare("copies", measure(3, [&] { return solve(copies); }));
  }
#if __has_include(<lemon/network_simplex.h>)
  if (with_lemon) {
    compare("LEMON", measure(is_small ? 3 : 1, [&] { return solve_with_lemon(transport); }));
  }
#endif
  fmt::print("   value {:.3f}{}\n", ours.value, equal ? "" : "   VALUES DIFFER");
  std::fflush(stdout);
  return equal;
}

}  // namespace

int main(int argc, char** argv) {
  const bool all = argc == 2 && std::strcmp(argv[1], "--all") == 0;
  if (argc > 1 && !all) {
    fmt::print(stderr, "usage: {} [--all]\n", argv[0]);
    return 2;
  }
  const std::pair<const char*, Kind> kinds[] = {
      {"uniform", Kind::kUniform}, {"1 to 5", Kind::kTies}, {"skewed", Kind::kSkewed}};
  bool equal = true;
  for (const auto& [name, kind] : kinds) {
    if (kind == Kind::kSkewed) continue;  // every arrival has all nodes
    for (const double room : {0.5, 0.9, 1.0, 1.1, 2.0}) {
      equal &= report(fmt::format("100x1000 {}", name), room,
                      random_transport(100, 1000, 0, kind, room), true, true);
    }
  }
  for (const auto& [name, kind] : kinds) {
    for (const double room : {0.5, 0.9, 1.0, 1.1, 2.0}) {
      equal &= report(fmt::format("5000x200000 {}", name), room,
                      random_transport(5000, 200'000, 10, kind, room), false, all);
    }
  }
  return equal ? 0 : 1;
}
