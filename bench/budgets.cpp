// Hindsight optima with budgets, compared with the textbook integer program: one variable per edge,
// one row per arrival and per budget.
//
//   bench_budgets [SECONDS [INSTANCES]]
//
// SECONDS is the time limit for random bids, INSTANCES the number of instances of each kind.
#include "foresight/solve/budgets.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "foresight/data/source.h"
#include "foresight/problem/problem.h"
#include "foresight/solve/integer_program.h"

namespace {

using namespace foresight;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

IntegerProgram::Solution solve_textbook(const Instance& instance, double limit) {
  constexpr double kNone = -IntegerProgram::kInfinity;
  const Market& market = instance.market();
  IntegerProgram program;
  std::vector<std::vector<int>> of_node(market.capacities.size());
  std::vector<std::vector<double>> bids_of_node(market.capacities.size());
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival arrival = instance.arrival(t);
    std::vector<int> variables;
    for (std::size_t i = 0; i < arrival.nodes.size(); ++i) {
      const auto u = static_cast<std::size_t>(arrival.nodes[i]);
      variables.push_back(program.add_variable(arrival.weights[i], 0, 1, true));
      of_node[u].push_back(variables.back());
      bids_of_node[u].push_back(arrival.weights[i]);
    }
    program.add_row(variables, std::vector<double>(variables.size(), 1), kNone, 1);
  }
  for (std::size_t u = 0; u < of_node.size(); ++u) {
    program.add_row(of_node[u], bids_of_node[u], kNone,
                    (1 + kCapacityTolerance) * market.capacities[u]);
  }
  return program.maximize({.time_limit_seconds = limit, .strengthen = true});
}

// Bids uniform in [0.1, 0.4), as in the hard graphs; budgets cover `ease` of a fair share of them.
Instance random_bids(int num_fixed, int num_arrivals, double density, double ease, unsigned seed) {
  std::mt19937 rng(seed);
  InstanceBuilder builder(num_fixed);
  builder.set_capacities(
      std::vector<float>(static_cast<std::size_t>(num_fixed),
                         static_cast<float>(ease * 0.25 * num_arrivals / num_fixed)));
  for (int t = 0; t < num_arrivals; ++t) {
    std::vector<NodeId> nodes;
    std::vector<float> bids;
    for (NodeId u = 0; u < num_fixed; ++u) {
      if (std::generate_canonical<double, 53>(rng) >= density) continue;
      nodes.push_back(u);
      bids.push_back(0.1f + 0.3f * std::generate_canonical<float, 24>(rng));
    }
    builder.arrive(nodes, bids);
  }
  return std::move(builder).build();
}

// Best mean time per instance over several rounds, in microseconds.
template <typename Solve>
double best_microseconds(const std::vector<Instance>& instances, int rounds, Solve solve) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    for (const Instance& instance : instances) solve(instance);
    best = std::min(best, seconds_since(begin));
  }
  return 1e6 * best / static_cast<double>(instances.size());
}

void bench_hard(const std::string& spec) {
  const auto source = sources().make(spec);
  std::vector<Instance> instances;
  for (std::uint64_t i = 0; i < 100; ++i) instances.push_back(source->draw(1, i));
  BudgetSolver solver;
  const double ours =
      best_microseconds(instances, 50, [&](const Instance& instance) { solver.solve(instance); });
  instances.resize(5);
  const double textbook = best_microseconds(
      instances, 1, [](const Instance& instance) { solve_textbook(instance, 10); });
  fmt::print("{}: {:.1f} us, textbook {:.0f} us ({:.0f} times)\n", spec, ours, textbook,
             textbook / ours);
}

struct Outcome {
  std::vector<double> ms = {};
  int proven = 0;
  double gap = 0;  // the largest (bound - value) / bound

  void add(double seconds, bool is_proven, double value, double bound) {
    ms.push_back(1e3 * seconds);
    proven += is_proven;
    gap = std::max(gap, (bound - value) / bound);
  }
  std::string text() {
    std::sort(ms.begin(), ms.end());
    return fmt::format("{:8.1f} ms ({:8.1f} max), proven {:3.0f} %, gap {:.2g}", ms[ms.size() / 2],
                       ms.back(), 100.0 * proven / static_cast<double>(ms.size()), gap);
  }
};

void bench_random(int num_fixed, int num_arrivals, double density, double ease, double limit,
                  unsigned count) {
  Outcome ours, textbook;
  BudgetSolver solver;
  for (unsigned seed = 0; seed < count; ++seed) {
    const Instance instance = random_bids(num_fixed, num_arrivals, density, ease, seed);
    auto begin = Clock::now();
    const Label label = solver.solve(instance, {.time_limit_seconds = limit});
    ours.add(seconds_since(begin), label.proven(), label.value, label.bound);
    begin = Clock::now();
    const auto solution = solve_textbook(instance, limit);
    textbook.add(seconds_since(begin), solution.proven, std::max(0.0, solution.value),
                 solution.bound);
  }
  fmt::print("{}x{} density {} budgets {}\n  ours    {}\n  textbook{}\n", num_fixed, num_arrivals,
             density, ease, ours.text(), textbook.text());
}

// A day of searches: lognormal bids of about five advertisers each, budgets of 50 to 200 bids. It
// ends at a gap of 0.01 %.
Instance search_day(int num_fixed, int num_arrivals, unsigned seed) {
  std::mt19937 rng(seed);
  std::lognormal_distribution<float> bid(0, 0.7f);
  std::uniform_real_distribution<float> budget(64, 256);  // a bid is 1.28 on average
  InstanceBuilder builder(num_fixed);
  std::vector<float> budgets(static_cast<std::size_t>(num_fixed));
  for (float& amount : budgets) amount = budget(rng);
  builder.set_capacities(budgets);
  for (int t = 0; t < num_arrivals; ++t) {
    std::vector<NodeId> nodes;
    for (int k = 0; k < 5; ++k) {
      nodes.push_back(static_cast<NodeId>(rng() % static_cast<unsigned>(num_fixed)));
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<float> bids(nodes.size());
    for (float& amount : bids) amount = bid(rng);
    builder.arrive(nodes, bids);
  }
  return std::move(builder).build();
}

void bench_day(int num_fixed, int num_arrivals, double limit, unsigned count) {
  Outcome ours, textbook;
  BudgetSolver solver;
  for (unsigned seed = 0; seed < count; ++seed) {
    const Instance instance = search_day(num_fixed, num_arrivals, seed);
    auto begin = Clock::now();
    const Label label = solver.solve(instance, {.time_limit_seconds = limit, .gap = 1e-4});
    ours.add(seconds_since(begin), label.proven(), label.value, label.bound);
    begin = Clock::now();
    const auto solution = solve_textbook(instance, limit);
    textbook.add(seconds_since(begin), solution.proven, std::max(0.0, solution.value),
                 solution.bound);
  }
  fmt::print("{} advertisers, {} queries\n  ours    {}\n  textbook{}\n", num_fixed, num_arrivals,
             ours.text(), textbook.text());
}

}  // namespace

int main(int argc, char** argv) {
  const double limit = argc > 1 ? std::atof(argv[1]) : 3;
  const auto count = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 5);
  for (const char* spec : {"thick-z(u=10,v=60)", "thick-z(u=10,v=100)", "triangular(u=10,v=60)",
                           "triangular(u=10,v=100)", "triangular(u=100,v=1000)"}) {
    bench_hard(spec);
  }
  fmt::print("\nRandom bids: median time, share proven within {} s, largest gap.\n", limit);
  for (const double density : {0.1, 0.3, 1.0}) {
    for (const double ease : {0.5, 1.0, 1.5}) bench_random(10, 30, density, ease, limit, count);
  }
  for (const double density : {0.1, 0.3, 1.0}) bench_random(10, 60, density, 1.0, limit, count);
  fmt::print("\nDays of searches, to a gap of 0.01 % within {} s.\n", limit);
  bench_day(20, 2000, limit, count);
  bench_day(200, 20'000, limit, count);
}
