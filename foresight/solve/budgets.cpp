#include "foresight/solve/budgets.h"

#include <algorithm>
#include <utility>

#include "foresight/solve/budgets_internal.h"

namespace foresight {

void BudgetGraph::assign(const BudgetTask& task) {
  capacities.clear();
  for (const double capacity : task.capacities) {
    capacities.push_back(capacity * (1 + kCapacityTolerance));
  }
  const auto costs = task.costs.empty() ? task.gains : task.costs;
  const std::size_t num_arrivals = task.edge_begin.size() - 1;
  edges.clear();
  for (std::size_t t = 0; t < num_arrivals; ++t) {
    for (auto e = index(task.edge_begin[t]); e < index(task.edge_begin[t + 1]); ++e) {
      const NodeId node = task.nodes[e];
      const double capacity = capacities[index(node)];
      if (task.gains[e] > 0 && capacity > 0 && covers(capacity, costs[e])) {
        edges.push_back({static_cast<NodeId>(t), node, task.gains[e], costs[e]});
      }
    }
  }
  find_first(num_arrivals);
}

void BudgetGraph::find_first(std::size_t num_arrivals) {
  first.assign(num_arrivals + 1, 0);
  std::size_t e = 0;
  for (std::size_t t = 0; t < num_arrivals; ++t) {
    while (e < edges.size() && index(edges[e].arrival) == t) ++e;
    first[t + 1] = e;
  }
}

double BudgetGraph::replay(std::span<NodeId> matching) {
  remaining_.assign(capacities.begin(), capacities.end());
  double value = 0;
  for (const BudgetEdge& edge : edges) {
    if (matching[index(edge.arrival)] != edge.node) continue;
    double& remaining = remaining_[index(edge.node)];
    if (covers(remaining, edge.cost)) {
      remaining -= edge.cost;
      value += edge.gain;
    } else {
      matching[index(edge.arrival)] = kSkip;
    }
  }
  return value;
}

// An edge is free if it costs nothing, or if its node can take all its edges. An arrival with a
// free edge needs no other edge that does not gain more.
void BudgetGraph::drop_useless() {
  std::vector<char> ample(num_fixed());
  std::vector<const BudgetEdge*> best(num_arrivals());
  for (bool dropped = true; dropped;) {
    ample.assign(ample.size(), true);
    remaining_.assign(capacities.begin(), capacities.end());
    for (const BudgetEdge& edge : edges) {
      double& remaining = remaining_[index(edge.node)];
      if (!covers(remaining, edge.cost)) ample[index(edge.node)] = false;
      remaining -= edge.cost;
    }
    best.assign(best.size(), nullptr);
    for (const BudgetEdge& edge : edges) {
      if (!ample[index(edge.node)] && edge.cost > 0) continue;
      const BudgetEdge*& other = best[index(edge.arrival)];
      if (other == nullptr || edge.gain > other->gain) other = &edge;
    }
    std::vector<BudgetEdge> kept;
    for (const BudgetEdge& edge : edges) {
      const BudgetEdge* other = best[index(edge.arrival)];
      if (other == nullptr || other == &edge || edge.gain > other->gain) kept.push_back(edge);
    }
    dropped = kept.size() < edges.size();
    edges = std::move(kept);
  }
  find_first(num_arrivals());
}

class BudgetSolver::Work {
 public:
  Label solve(const BudgetTask& task, const SolveLimits& limits);

 private:
  Label solve_general(const SolveLimits& limits);
  double simple_bound() const;
  std::vector<NodeId> match(std::span<const double> prices, double enough,
                            const Deadline& deadline) const;

  BudgetGraph graph_;
  UniformBudgets uniform_;
};

Label BudgetSolver::Work::solve(const BudgetTask& task, const SolveLimits& limits) {
  graph_.assign(task);
  Label label;
  label.matching.assign(graph_.num_arrivals(), kSkip);
  if (!uniform_.match(graph_, label.matching)) return solve_general(limits);
  label.value = label.bound = graph_.replay(label.matching);
  return label;
}

// Every arrival's largest gain.
double BudgetSolver::Work::simple_bound() const {
  double wanted = 0;
  for (std::size_t t = 0; t < graph_.num_arrivals(); ++t) {
    double largest = 0;
    for (const BudgetEdge& edge : graph_.edges_of(t)) largest = std::max(largest, edge.gain);
    wanted += largest;
  }
  return wanted;
}

std::vector<NodeId> BudgetSolver::Work::match(std::span<const double> prices, double enough,
                                              const Deadline& deadline) const {
  PricedMatching by_regret(graph_, prices), by_size(graph_, prices);
  by_regret.match_by_regret();
  by_regret.match_largest_first();
  by_size.match_largest_first();
  PricedMatching& better = by_regret.value() > by_size.value() ? by_regret : by_size;
  improve_by_exchanges(better, enough, deadline);
  return better.nodes();
}

Label BudgetSolver::Work::solve_general(const SolveLimits& limits) {
  const Deadline deadline = limits.deadline();
  graph_.drop_useless();
  const BudgetPrices found = find_prices(graph_, deadline);
  Label label;
  label.bound = std::min(found.bound, simple_bound());
  label.matching = match(found.prices, (1 - limits.gap) * label.bound, deadline);
  label.value = graph_.replay(label.matching);
  label.bound = std::max(label.bound, label.value);
  if (reaches(label, limits.gap)) return label;

  const SolveLimits left{deadline.seconds_left(), limits.gap, limits.stop};
  IntegerProgram::Solution solution;
  if (const GroupedProgram groups(graph_); groups.helps()) {
    solution = groups.improve(label.matching, left);
  } else {
    const BundleProgram program(graph_);
    solution = program.improve(label.matching, left);
    program.read(solution.values, label.matching);
  }
  const auto skips = std::count(label.matching.begin(), label.matching.end(), kSkip);
  label.value = graph_.replay(label.matching);
  const bool kept_all = std::count(label.matching.begin(), label.matching.end(), kSkip) == skips;
  label.bound = solution.proven && kept_all
                    ? label.value
                    : std::max(label.value, std::min(label.bound, solution.bound));
  return label;
}

BudgetSolver::BudgetSolver() : work_(std::make_unique<Work>()) {}
BudgetSolver::~BudgetSolver() = default;
BudgetSolver::BudgetSolver(BudgetSolver&&) noexcept = default;
BudgetSolver& BudgetSolver::operator=(BudgetSolver&&) noexcept = default;

Label BudgetSolver::solve(const BudgetTask& task, const SolveLimits& limits) {
  return work_->solve(task, limits);
}

Label BudgetSolver::solve(const Instance& instance, const SolveLimits& limits) {
  const InstanceView& view = instance.view();
  return work_->solve(
      {view.market.capacities, view.edge_begin, view.nodes, view.weights, view.costs}, limits);
}

}  // namespace foresight
