// The hindsight optimum of Adwords. Every fixed node has a budget, and an edge's weight is a bid. A
// match earns the bid and spends it from the node's budget. The task: choose at most one bid per
// arrival, with the largest total, such that no fixed node overspends.
//
// If every fixed node always bids the same, a budget is a number of matches, and only fixed nodes
// carry weight. Then it is exact to fill the nodes in order of falling bid, because the sets of
// nodes that can be filled together form a transversal matroid (Edmonds and Fulkerson, 1965). Nodes
// with the same bid are filled together, by phases of shortest augmenting paths (Hopcroft and Karp,
// 1973, with capacities in place of copies). If all bids are equal, as in the paper's hard graphs,
// this takes O(m sqrt(V)) for m edges and V arrivals.
//
// In general the problem is NP-hard: one node alone is a subset-sum problem. Bids that others make
// useless are dropped. For the rest, an integer program chooses one affordable bundle of bids per
// node (Dantzig and Wolfe, 1960). Its relaxation is far tighter than one budget row per node. Nodes
// with too many bundles get the budget row.
//
//   AdwordsSolver solver;  // keep it: it reuses its memory
//   const Label best = solver.solve(instance);
//   fmt::print("{} of at most {}\n", best.value, best.bound);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "foresight/data/instance.h"
#include "foresight/solve/limits.h"

namespace foresight {

/// One per thread.
class AdwordsSolver {
 public:
  /// The instance must have budgets. The matching spends them as an online policy may, in order of
  /// arrival: a bid may exceed the remaining budget by kCapacityTolerance of the whole budget.
  /// Zero bids are never matched.
  Label solve(const Instance& instance, const SearchLimits& limits = 10.0);

 private:
  struct Bid {
    NodeId arrival;
    NodeId node;
    double amount;
  };
  class BundleProgram;

  void collect_bids(const Instance& instance);
  double spend();

  // The case that each node always bids the same.
  bool every_node_bids_the_same();
  void match_by_falling_bid();
  void list_arrivals();
  bool find_levels(std::span<const NodeId> sources);
  bool augment(NodeId source);

  // The general case.
  void drop_useless_bids();
  void match_largest_first();
  double match_by_program(const SearchLimits& limits);

  std::vector<double> budgets_;    // with the tolerance
  std::vector<Bid> bids_;          // those that could be matched, in order of arrival
  std::vector<NodeId> matching_;   // per arrival
  std::vector<double> remaining_;  // per fixed node: budget left

  // Per fixed node, while matching by falling bid.
  std::vector<double> bid_;
  std::vector<int> spare_;          // further matches that the budget allows
  std::vector<int> level_;          // augmenting steps from the sources of this phase
  std::vector<std::size_t> first_;  // where its arrivals begin in `arrivals_`
  std::vector<std::size_t> next_;   // the arrival to try next
  std::vector<NodeId> arrivals_;
  std::vector<NodeId> order_, queue_, path_;
};

}  // namespace foresight
