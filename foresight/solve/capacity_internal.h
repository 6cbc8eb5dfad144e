// The two methods behind AssignmentSolver::solve_capacities. Neither makes copies of nodes.
//
// Fixed nodes have prices. An arrival's profit at a node is the weight of the edge minus the price,
// and staying outside is worth 0. A matching is optimal if no arrival can profit more elsewhere at
// these prices, and every node with a price above 0 is full. The methods come from opposite ends:
//
// - AscendingMatcher: arrivals look for nodes, and prices rise from 0. No node with room ever has a
//   price. What is missing at first is that every arrival is served. Fast where there is room.
// - DescendingMatcher: nodes look for arrivals, and prices fall. No arrival can ever profit more
//   elsewhere. What is missing at first is that every node with a price is full. Fast where
//   capacity is scarce.
//
// Both begin with bids, which serve most rows (arrivals or nodes) at once, and serve the rest along
// shortest paths as in assignment_internal.h. The vertices of a path are the fixed nodes alone: one
// step moves one arrival from its node to another. Its length is the profit that is lost.
//
// A step leads through one of many arrivals, and few of them matter. So every node keeps arrivals
// in a heap: those that it holds by the price at which they would leave, or those that it does not
// hold by the price at which they would come. Other prices change these moving prices, but only
// away from the node's own price. An old entry is a bound, then: a search takes entries in their
// order, stops at those that are too far away, and corrects those that it has looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "foresight/solve/assignment.h"
#include "foresight/solve/assignment_internal.h"

namespace foresight::internal {

/// An arrival in the heap of a node.
struct Mover {
  double price;  // at which it would leave or come: a bound
  NodeId arrival;
  float weight;  // of the edge to the node
};

/// A node, or the arrival in a slot of its heap.
struct Place {
  static constexpr std::int32_t kNode = -1;
  NodeId node = kSkip;
  std::int32_t slot = kNode;
};

/// An entry that a search has looked at, and its price as of then.
struct Seen {
  Place place;
  double price;
};

/// Puts the last mover where it belongs. `before` says which price comes first.
template <typename Before>
void sift_up(std::span<Mover> heap, Before before) {
  std::push_heap(heap.begin(), heap.end(),
                 [before](const Mover& a, const Mover& b) { return before(b.price, a.price); });
}

/// Puts the mover of a slot where it belongs, if that is not further up.
template <typename Before>
void sift_down(std::span<Mover> heap, std::size_t slot, Before before) {
  const Mover moved = heap[slot];
  for (std::size_t child; (child = 2 * slot + 1) < heap.size(); slot = child) {
    if (child + 1 < heap.size() && before(heap[child + 1].price, heap[child].price)) ++child;
    if (!before(heap[child].price, moved.price)) break;
    heap[slot] = heap[child];
  }
  heap[slot] = moved;
}

/// The places that a search has yet to look at, the nearest first.
class Frontier {
 public:
  struct Entry {
    double distance;
    Place place;
  };
  void push(double distance, Place place) {
    entries_.push_back({distance, place});
    std::push_heap(entries_.begin(), entries_.end(), further);
  }
  /// Takes the nearest one out and returns whether it is nearer than `end`.
  bool pop(double end, Entry& nearest) {
    if (entries_.empty() || !(entries_.front().distance < end)) return false;
    nearest = entries_.front();
    std::pop_heap(entries_.begin(), entries_.end(), further);
    entries_.pop_back();
    return true;
  }
  void clear() { entries_.clear(); }

 private:
  static bool further(const Entry& a, const Entry& b) { return a.distance > b.distance; }
  std::vector<Entry> entries_;
};

/// Rows are the arrivals. O(arrivals edges log edges), usually far less.
class AscendingMatcher {
 public:
  /// `limits` are the capacities; any above the degree of the node may stand for each other.
  void solve(std::span<const std::int32_t> limits, const SparseRows& arrivals, Assignment& result);

 private:
  struct Node {
    double price = 0;
    double distance = kInfinity;  // -infinity once settled
    std::int32_t room = 0;
    NodeId comer = kSkip;  // the arrival that comes on the shortest path
    float comer_weight = 0;
    Place comes_from = {};  // no node if it had none
    double settled = 0;     // the distance at which it was settled
    std::size_t begin = 0;  // its holders, a heap: who would leave at the lowest price comes first
    std::size_t count = 0;
  };
  /// The best known end of a path: `arrival` takes `node`, which has room, or stays outside.
  struct End {
    double distance;
    NodeId arrival;
    Place from;
    NodeId node;
    float weight;
  };
  std::span<Mover> holders(const Node& node) {
    return std::span(holders_).subspan(node.begin, node.count);
  }
  void open(std::span<const std::int32_t> limits);
  void join(NodeId node, const Mover& holder);
  NodeId bid(NodeId arrival);
  void bid_in_turn();
  void serve(NodeId root);
  double relax(NodeId arrival, Place place, double offset, End& end);
  void look_at(Place place, const End& end);
  void change_edges(const End& end);

  SparseRows arrivals_;
  std::vector<Node> nodes_;
  std::vector<Mover> holders_;
  std::vector<NodeId> node_of_;  // per arrival
  std::vector<NodeId> unserved_;
  Frontier frontier_;
  std::vector<NodeId> reached_;
  std::vector<NodeId> settled_;
  std::vector<Seen> seen_;
};

/// Rows are the nodes, each as often as its capacity. O(capacities edges log edges), usually far
/// less.
class DescendingMatcher {
 public:
  /// `by_node` has the same edges as the arrivals, listed by node.
  void solve(std::span<const std::int32_t> limits, const SparseRows& by_node, NodeId num_arrivals,
             Assignment& result);

 private:
  struct Node {
    double price = 0;
    double distance = kInfinity;  // -infinity once settled
    double settled = 0;           // the distance at which it was settled
    std::int32_t room = 0;
    Place leaves_to = {};   // who takes an arrival from this node on the shortest path
    std::size_t begin = 0;  // who is elsewhere, a heap: who would come at the highest price first
    std::size_t count = 0;
  };
  struct Arrival {
    NodeId node = kSkip;
    float weight = 0;
  };
  /// The best known end of a path: a node takes the unmatched arrival of a slot, or keeps room.
  struct End {
    double distance = kInfinity;
    Place place = {};
  };
  std::span<Mover> others(const Node& node) {
    return std::span(others_).subspan(node.begin, node.count);
  }
  Mover& other(Place place) {
    return others_[at(nodes_, place.node).begin + static_cast<std::size_t>(place.slot)];
  }
  bool wants_more(const Node& node) const { return node.room > 0 && node.price > 0; }
  void open(std::span<const std::int32_t> limits, const SparseRows& by_node);
  double moving_price(const Mover& mover) const;
  double highest_price(Node& node);
  NodeId bid(NodeId node);
  void bid_in_turn();
  void serve(NodeId root);
  void settle(NodeId node, double distance, End& end);
  void look_at(Place place, const End& end);
  void relax(Place place, End& end);
  void serve_at_no_loss();
  bool serve_at_no_loss(NodeId root);
  Place find_no_loss(NodeId root);
  void change_edges(NodeId root, Place end);

  std::vector<Node> nodes_;
  std::vector<Mover> others_;
  std::vector<Arrival> arrivals_;
  Frontier frontier_;
  std::vector<NodeId> reached_;
  std::vector<NodeId> settled_;
  std::vector<Seen> seen_;
  std::vector<NodeId> visited_;
  std::vector<NodeId> stack_;
  std::vector<std::int32_t> slots_;
  std::size_t work_ = 0;  // entries looked at since the last round at no loss
};

}  // namespace foresight::internal
