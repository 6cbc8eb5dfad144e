#include <algorithm>
#include <functional>

#include "foresight/solve/capacity_internal.h"

namespace foresight::internal {
namespace {

constexpr std::greater<> kHighestFirst;

}  // namespace

void DescendingMatcher::solve(std::span<const std::int32_t> limits, const SparseRows& by_node,
                              NodeId num_arrivals, Assignment& result) {
  arrivals_.assign(static_cast<std::size_t>(num_arrivals), Arrival{});
  open(limits, by_node);
  bid_in_turn();
  serve_at_no_loss();
  for (NodeId u = 0; u < by_node.count(); ++u) {
    while (wants_more(at(nodes_, u))) {
      serve(u);
      if (work_ > others_.size() / 4) serve_at_no_loss();
    }
  }

  result.value = 0;
  result.matching.clear();
  result.arrival_prices.clear();
  for (const Arrival& arrival : arrivals_) {
    const double price = arrival.node == kSkip ? 0 : at(nodes_, arrival.node).price;
    result.value += arrival.weight;
    result.matching.push_back(arrival.node);
    result.arrival_prices.push_back(std::max(0.0, arrival.weight - price));
  }
  result.fixed_prices.clear();
  for (const Node& node : nodes_) result.fixed_prices.push_back(node.price);
}

void DescendingMatcher::open(std::span<const std::int32_t> limits, const SparseRows& by_node) {
  nodes_.assign(limits.size(), Node{});
  others_.resize(by_node.columns.size());
  for (NodeId u = 0; u < by_node.count(); ++u) {
    Node& node = at(nodes_, u);
    node.room = at(limits, u);
    node.begin = by_node.first(u);
    node.count = by_node.last(u) - by_node.first(u);
    for (std::size_t e = by_node.first(u); e < by_node.last(u); ++e) {
      others_[e] = {by_node.weights[e], by_node.columns[e], by_node.weights[e]};
    }
    for (std::size_t i = node.count; i-- > 0;) sift_down(others(node), i, kHighestFirst);
    if (node.room > 0) node.price = std::max(0.0, highest_price(node));
  }
}

/// The price at which an arrival that is elsewhere would come.
double DescendingMatcher::moving_price(const Mover& mover) const {
  const Arrival& arrival = at(arrivals_, mover.arrival);
  if (arrival.node == kSkip) return mover.weight;
  return mover.weight - (arrival.weight - at(nodes_, arrival.node).price);
}

/// The highest price at which an arrival would come, which is then the first one.
double DescendingMatcher::highest_price(Node& node) {
  if (node.count == 0) return 0;
  for (;;) {
    Mover& first = others_[node.begin];
    const double price = moving_price(first);
    if (!(price < first.price)) return first.price;
    first.price = price;
    sift_down(others(node), 0, kHighestFirst);
  }
}

/// Gives a node its best arrival and lowers its price until the second best would come, too.
/// Returns the node that now has room: the one that lost the arrival, or `bidder` itself if its
/// second best was already as good, or kSkip.
NodeId DescendingMatcher::bid(NodeId bidder) {
  Node& node = at(nodes_, bidder);
  node.price = std::max(0.0, highest_price(node));
  if (node.price == 0) return kSkip;  // profits never fall, so the node keeps its room
  const Mover best = others_[node.begin];
  std::swap(others(node).front(), others(node).back());
  --node.count;
  if (node.count > 0) sift_down(others(node), 0, kHighestFirst);
  const double second = std::max(0.0, highest_price(node));

  Arrival& arrival = at(arrivals_, best.arrival);
  const Arrival before = arrival;
  const bool stays = before.node != kSkip && second == node.price;
  NodeId loser = stays ? bidder : before.node;
  Mover back = best;
  if (!stays) {
    node.price = second;
    --node.room;
    arrival = {bidder, best.weight};
    if (loser == kSkip) return kSkip;
    ++at(nodes_, loser).room;
    back = {0, best.arrival, before.weight};
    back.price = moving_price(back);
  }
  Node& losing = at(nodes_, loser);
  ++losing.count;
  others(losing).back() = back;
  sift_up(others(losing), kHighestFirst);
  return loser;
}

/// Fills most nodes cheaply. For a price war between few nodes, a search is faster.
void DescendingMatcher::bid_in_turn() {
  constexpr std::size_t kBidsPerArrival = 10;
  std::size_t budget = kBidsPerArrival * arrivals_.size();
  for (NodeId newcomer = 0; newcomer < static_cast<NodeId>(nodes_.size()); ++newcomer) {
    bool stuck = false;
    while (wants_more(at(nodes_, newcomer)) && !stuck && budget > 0) {
      NodeId node = newcomer;
      for (NodeId bidder = kSkip; node != kSkip && node != bidder && budget > 0; --budget) {
        bidder = node;
        node = bid(bidder);
      }
      stuck = node == newcomer;
    }
  }
}

/// Puts the arrival of a slot on the frontier, if it could come before the end.
void DescendingMatcher::look_at(Place place, const End& end) {
  const Node& node = at(nodes_, place.node);
  if (static_cast<std::size_t>(place.slot) >= node.count) return;
  const double distance = node.settled + (node.price - other(place).price);
  if (distance < end.distance) frontier_.push(distance, place);
}

void DescendingMatcher::settle(NodeId u, double distance, End& end) {
  Node& node = at(nodes_, u);
  node.distance = -kInfinity;
  node.settled = distance;
  settled_.push_back(u);
  if (distance + node.price < end.distance) end = {distance + node.price, {u}};
  look_at({u, 0}, end);
}

/// Follows the way by which a node takes the arrival of a slot, as far as it can matter.
void DescendingMatcher::relax(Place place, End& end) {
  const Node& node = at(nodes_, place.node);
  const Mover& mover = other(place);
  const double price = moving_price(mover);
  seen_.push_back({place, price});
  const double distance = node.settled + (node.price - price);
  const NodeId loser = at(arrivals_, mover.arrival).node;
  if (loser == kSkip) {
    if (distance < end.distance) end = {distance, place};
    return;
  }
  Node& losing = at(nodes_, loser);
  if (!(distance < std::min(end.distance, losing.distance))) return;
  if (losing.distance == kInfinity) reached_.push_back(loser);
  losing.distance = distance;
  losing.leaves_to = place;
  frontier_.push(distance, {loser});
}

/// Finds the shortest path from a node with room, changes the edges along it and lowers prices.
void DescendingMatcher::serve(NodeId root) {
  End end;
  reached_.push_back(root);
  settle(root, 0, end);
  Frontier::Entry nearest;
  while (frontier_.pop(end.distance, nearest)) {
    const Place place = nearest.place;
    if (place.slot == Place::kNode) {  // unless a shorter path to it was found later
      if (at(nodes_, place.node).distance == nearest.distance) {
        settle(place.node, nearest.distance, end);
      }
      continue;
    }
    relax(place, end);
    look_at({place.node, 2 * place.slot + 1}, end);
    look_at({place.node, 2 * place.slot + 2}, end);
  }

  for (const NodeId u : settled_) {
    Node& node = at(nodes_, u);
    node.price = std::max(0.0, node.price - std::max(0.0, end.distance - node.settled));
  }
  for (const NodeId u : reached_) at(nodes_, u).distance = kInfinity;
  work_ += settled_.size() + seen_.size();
  change_edges(root, end.place);
  frontier_.clear();
  settled_.clear();
  reached_.clear();
}

/// Changes the edges along a path, which may be none. Corrects the entries that were seen.
void DescendingMatcher::change_edges(NodeId root, Place end) {
  for (const Seen& seen : seen_) {
    // Nobody would have come above the new price, or the path would have been shorter.
    other(seen.place).price = std::min(seen.price, at(nodes_, seen.place.node).price);
  }
  for (Place place = end; place.node != kSkip;) {
    Node& node = at(nodes_, place.node);
    const bool takes = place.slot != Place::kNode;
    if (takes) {
      at(arrivals_, other(place).arrival) = {place.node, other(place).weight};
      --node.room;
    } else {
      node.price = 0;  // exactly, so the node will not look for arrivals again
    }
    if (place.node == root) {
      if (takes) other(place).price = -kInfinity;  // is no longer elsewhere
      break;
    }
    const NodeId lost = other(node.leaves_to).arrival;
    ++node.room;
    if (takes) other(place) = {node.price, lost, at(arrivals_, lost).weight};
    place = node.leaves_to;
  }
  // Whoever was seen stands below others that were seen before, so the last one comes first.
  for (std::size_t i = seen_.size(); i-- > 0;) {
    const Place place = seen_[i].place;
    sift_down(others(at(nodes_, place.node)), static_cast<std::size_t>(place.slot), kHighestFirst);
  }
  seen_.clear();
}

/// With many equal weights, there are many paths of length 0. Rounds in which all nodes look for
/// such paths, and no node is visited twice, find them much faster than one search for each.
void DescendingMatcher::serve_at_no_loss() {
  for (bool again = true; again;) {
    again = false;
    for (NodeId u = 0; u < static_cast<NodeId>(nodes_.size()); ++u) {
      while (wants_more(at(nodes_, u)) && at(nodes_, u).distance == kInfinity) {
        if (!serve_at_no_loss(u)) break;
        again = true;
        at(nodes_, u).distance = kInfinity;  // it may look for more
      }
    }
    for (const NodeId u : visited_) at(nodes_, u).distance = kInfinity;
    visited_.clear();
  }
  work_ = 0;
}

bool DescendingMatcher::serve_at_no_loss(NodeId root) {
  const Place end = find_no_loss(root);
  change_edges(root, end);
  return end.node != kSkip;
}

/// The end of a path of length 0 through nodes that were not visited in this round, or no place.
Place DescendingMatcher::find_no_loss(NodeId root) {
  const auto visit = [&](NodeId u) {
    at(nodes_, u).distance = -kInfinity;
    visited_.push_back(u);
    stack_.push_back(u);
  };
  stack_.clear();
  visit(root);
  while (!stack_.empty()) {
    const NodeId u = stack_.back();
    stack_.pop_back();
    const Node& node = at(nodes_, u);
    if (node.price == 0) return {u};
    for (slots_.assign(1, 0); !slots_.empty();) {
      const Place place{u, slots_.back()};
      slots_.pop_back();
      if (static_cast<std::size_t>(place.slot) >= node.count) continue;
      if (other(place).price < node.price) continue;
      const double price = moving_price(other(place));
      seen_.push_back({place, price});
      slots_.push_back(2 * place.slot + 1);
      slots_.push_back(2 * place.slot + 2);
      if (price < node.price) continue;
      const NodeId loser = at(arrivals_, other(place).arrival).node;
      if (loser == kSkip) return place;
      if (at(nodes_, loser).distance == -kInfinity) continue;
      at(nodes_, loser).leaves_to = place;
      visit(loser);
    }
  }
  return {};
}

}  // namespace foresight::internal
