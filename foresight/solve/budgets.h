// The hindsight optimum of matching with budgets (the generalised assignment problem). Every fixed
// node has a capacity. A match gains something, and takes its cost from the capacity of its node.
// The task: choose at most one edge per arrival, with the largest total gain, such that no node
// takes more than its capacity. In Adwords, an edge's weight is both its gain and its cost.
//
// If all edges of a node gain the same and cost the same, a capacity is a number of matches, and
// only fixed nodes carry weight. Then it is exact to fill the nodes in order of falling gain,
// because the sets of nodes that can be filled together form a transversal matroid (Edmonds and
// Fulkerson, 1965). Nodes with the same gain are filled together, by phases of shortest augmenting
// paths (Hopcroft and Karp, 1973, with capacities in place of copies). If all gains are equal, as
// in the paper's hard graphs, this takes O(m sqrt(V)) for m edges and V arrivals.
//
// In general the problem is NP-hard: one node alone is a knapsack. Edges that others make useless
// are dropped. Then three methods follow each other until the gap is small enough:
// - Prices for the capacities give an upper bound (Lagrangian relaxation) in O(m) per step.
// - Arrivals choose by these prices, and a local search repairs what capacities do not allow.
// - An integer program chooses one affordable bundle of edges per node (Dantzig and Wolfe, 1960).
//   Its relaxation is far tighter than one capacity row per node. Nodes with too many bundles get
//   the capacity row.
//
//   BudgetSolver solver;  // keep it: it reuses its memory
//   const Label best = solver.solve(instance, {.time_limit_seconds = 10, .gap = 1e-4});
//   fmt::print("{} of at most {}\n", best.value, best.bound);
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "foresight/data/instance.h"
#include "foresight/solve/limits.h"

namespace foresight {

/// Edges are given by arrival: those of arrival t are at edge_begin[t] up to edge_begin[t + 1].
/// Gains and costs are finite and >= 0.
struct BudgetTask {
  std::span<const float> capacities;  // per fixed node
  std::span<const std::int64_t> edge_begin;
  std::span<const NodeId> nodes;
  std::span<const float> gains;
  std::span<const float> costs = {};  // parallel to the gains; empty: they are the gains
};

/// One per thread.
class BudgetSolver {
 public:
  BudgetSolver();
  ~BudgetSolver();
  BudgetSolver(BudgetSolver&&) noexcept;
  BudgetSolver& operator=(BudgetSolver&&) noexcept;

  /// The matching uses the capacities as an online policy may, in order of arrival: a cost is
  /// covered if it exceeds what remains by at most kCapacityTolerance of the capacity. Edges without gain are never
  /// matched. Unless the time limit strikes, the result depends on the task and the gap alone.
  Label solve(const BudgetTask& task, const SolveLimits& limits = {});

  /// The instance must have capacities. Its weights are the gains, and the costs if it has no others.
  Label solve(const Instance& instance, const SolveLimits& limits = {});

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace foresight
