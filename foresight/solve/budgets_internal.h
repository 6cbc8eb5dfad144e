// The parts of the solver for budgets (budgets.h). They share one graph: the edges that could be
// matched, and the capacities.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "foresight/base/index.h"
#include "foresight/problem/problem.h"
#include "foresight/solve/budgets.h"
#include "foresight/solve/integer_program.h"

namespace foresight {

/// What remains of a capacity already has the tolerance in it.
inline bool covers(double remaining, double cost) {
  return remaining >= cost;
}

struct BudgetEdge {
  NodeId arrival;
  NodeId node;
  double gain;
  double cost;
};

struct BudgetGraph {
  std::vector<double> capacities;  // per fixed node, with the tolerance
  std::vector<BudgetEdge> edges;   // in order of arrival
  std::vector<std::size_t> first;  // per arrival, and one more: where its edges begin

  std::size_t num_fixed() const { return capacities.size(); }
  std::size_t num_arrivals() const { return first.size() - 1; }
  std::span<const BudgetEdge> edges_of(std::size_t t) const {
    return std::span(edges).subspan(first[t], first[t + 1] - first[t]);
  }

  /// Keeps the edges with gain that some matching can hold.
  void assign(const BudgetTask& task);
  /// Drops edges that no optimal matching needs.
  void drop_useless();
  /// Replays the matching as an online policy would, and skips what capacities do not cover.
  /// Returns the value.
  double replay(std::span<NodeId> matching);

 private:
  void find_first(std::size_t num_arrivals);
  std::vector<double> remaining_;
};

/// Exact where all edges of a node gain the same and cost the same.
class UniformBudgets {
 public:
  /// Returns false if the nodes are not like that.
  bool match(const BudgetGraph& graph, std::span<NodeId> matching);

 private:
  bool is_uniform(const BudgetGraph& graph);
  void list_arrivals(const BudgetGraph& graph);
  bool find_levels(std::span<const NodeId> sources);
  bool augment(NodeId source);

  std::span<NodeId> matching_;
  // Per fixed node.
  std::vector<double> gain_, cost_;
  std::vector<int> spare_;          // further matches that the capacity allows
  std::vector<int> level_;          // augmenting steps from the sources of this phase
  std::vector<std::size_t> first_;  // where its arrivals begin in `arrivals_`
  std::vector<std::size_t> next_;   // the arrival to try next
  std::vector<NodeId> arrivals_;
  std::vector<NodeId> order_, queue_, path_;
};

struct BudgetPrices {
  std::vector<double> prices;  // per fixed node: of one unit of its capacity
  double bound = std::numeric_limits<double>::infinity();  // no matching is worth more
};

/// What all matchings are worth at most, by any prices >= 0: the prices of all capacities, and for
/// every arrival the largest gain beyond the price of its cost.
double price_bound(const BudgetGraph& graph, std::span<const double> prices);

/// Prices with a small bound.
BudgetPrices find_prices(const BudgetGraph& graph, const Deadline& deadline);

/// A matching in the making: it knows what room its nodes have left, and takes moves back.
class PricedMatching {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  PricedMatching(const BudgetGraph& graph, std::span<const double> prices);

  /// Every arrival takes the edge with the largest surplus that fits. Those that would lose most by
  /// their second choice choose first.
  void match_by_regret();
  /// Adds the edge with the largest gain that fits, again and again.
  void match_largest_first();

  /// Gives an arrival another edge, or none. The room of a node may become negative.
  void move(std::size_t arrival, std::size_t edge);
  std::size_t num_moves() const { return moves_.size(); }
  /// The node that the k-th move took an arrival from, or kSkip.
  NodeId left_by_move(std::size_t k) const;
  /// Do all nodes that got an arrival since the first `count` moves have room for it?
  bool fits_since(std::size_t count) const;
  /// Takes back all moves but the first `count`.
  void undo(std::size_t count);
  void forget_moves() { moves_.clear(); }

  double value() const { return value_; }
  double room(std::size_t u) const { return room_[u]; }
  bool fits(std::size_t e) const { return cost(e) <= room_[node(e)]; }
  std::size_t edge_of(std::size_t arrival) const { return at_[arrival]; }
  std::vector<NodeId> nodes() const;  // per arrival, or kSkip

  const BudgetGraph& graph() const { return graph_; }
  std::size_t node(std::size_t e) const { return index(graph_.edges[e].node); }
  double cost(std::size_t e) const { return graph_.edges[e].cost; }
  double price(std::size_t u) const { return prices_[u]; }
  // Of an edge, or of none.
  double gain(std::size_t e) const { return e == kNone ? 0 : graph_.edges[e].gain; }
  double surplus(std::size_t e) const { return e == kNone ? 0 : surplus_[e]; }

 private:
  struct Move {
    std::size_t arrival, old_edge;
  };

  const BudgetGraph& graph_;
  std::span<const double> prices_;
  std::vector<double> surplus_;  // per edge: gain beyond the price of its cost
  std::vector<std::size_t> at_;  // per arrival: its edge, or none
  std::vector<double> room_;     // per node: capacity that is left
  std::vector<Move> moves_;
  double value_ = 0;
};

/// Improves the matching by exchanges until it is worth `enough`, none helps, or time is out.
void improve_by_exchanges(PricedMatching& matching, double enough, const Deadline& deadline);

/// Arrivals with the same edges are counted, not told apart: one variable says how many of them a
/// node gets. For data with few types of arrivals, which have too many equal solutions otherwise.
class GroupedProgram {
 public:
  explicit GroupedProgram(const BudgetGraph& graph);
  /// Are there at most half as many groups as arrivals?
  bool helps() const;
  /// Improves the matching. The solution's values are those of the groups.
  IntegerProgram::Solution improve(std::span<NodeId> matching, const SolveLimits& limits) const;

 private:
  void read(std::span<const double> values, std::span<NodeId> matching) const;

  const BudgetGraph& graph_;
  std::vector<std::vector<std::size_t>> groups_;  // their arrivals
};

/// One variable per bundle of edges: does its node get these edges? A node gets at most one of the
/// bundles that its capacity covers. If there are too many of them, or if the capacity covers every
/// edge, each edge is a bundle of its own, and the node gets as many as its capacity covers. So are
/// edges that cost nothing.
class BundleProgram {
 public:
  explicit BundleProgram(const BudgetGraph& graph);
  IntegerProgram::Solution improve(std::span<const NodeId> matching,
                                   const SolveLimits& limits) const;
  void read(std::span<const double> values, std::span<NodeId> matching) const;

 private:
  std::size_t num_bundles() const { return begin_.size() - 1; }
  std::span<const std::size_t> bundle(std::size_t b) const {
    return std::span(members_).subspan(begin_[b], begin_[b + 1] - begin_[b]);
  }
  void add_bundle(std::span<const std::size_t> members);
  std::vector<double> write(std::span<const NodeId> matching) const;
  int add_variable(std::size_t b, bool exclusive);
  std::vector<int> add_alone(std::span<const std::size_t> edges);
  void add_node(std::span<const std::size_t> edges, double capacity, std::size_t most);
  bool covers_all(std::span<const std::size_t> edges, double remaining) const;
  bool list_bundles(std::span<const std::size_t> edges, double capacity, std::size_t most);

  std::span<const BudgetEdge> edges_;
  IntegerProgram program_;
  std::vector<std::size_t> begin_{0};  // where each bundle's edges begin in `members_`
  std::vector<std::size_t> members_;
  std::vector<std::vector<int>> of_arrival_;  // per arrival: the bundles that hold it
  std::vector<char> exclusive_;               // per bundle: its node gets no other costly edge
  bool has_capacity_rows_ = false;
};

}  // namespace foresight
