#include <algorithm>
#include <functional>

#include "foresight/solve/capacity_internal.h"

namespace foresight::internal {
namespace {

constexpr std::less<> kLowestFirst;

}  // namespace

void AscendingMatcher::solve(std::span<const std::int32_t> limits, const SparseRows& arrivals,
                             Assignment& result) {
  arrivals_ = arrivals;
  open(limits);
  bid_in_turn();
  for (const NodeId arrival : unserved_) serve(arrival);

  result.value = 0;
  result.matching = node_of_;
  result.fixed_prices.clear();
  result.arrival_prices.assign(node_of_.size(), 0.0);
  for (const Node& node : nodes_) {
    result.fixed_prices.push_back(node.price < kInfinity ? node.price : 0);
    for (const Mover& holder : holders(node)) {
      result.value += holder.weight;
      at(result.arrival_prices, holder.arrival) = std::max(0.0, holder.weight - node.price);
    }
  }
}

void AscendingMatcher::open(std::span<const std::int32_t> limits) {
  nodes_.assign(limits.size(), Node{});
  node_of_.assign(static_cast<std::size_t>(arrivals_.count()), kSkip);
  std::size_t begin = 0;
  for (std::size_t u = 0; u < nodes_.size(); ++u) {
    nodes_[u].begin = begin;
    nodes_[u].room = limits[u];
    if (limits[u] == 0) nodes_[u].price = kInfinity;  // so no arrival ever chooses it
    begin += static_cast<std::size_t>(limits[u]);
  }
  holders_.resize(begin);
}

void AscendingMatcher::join(NodeId node, const Mover& holder) {
  Node& joined = at(nodes_, node);
  --joined.room;
  ++joined.count;
  holders(joined).back() = holder;
  sift_up(holders(joined), kLowestFirst);
  at(node_of_, holder.arrival) = node;
}

/// Gives an arrival its best node. Once a node is full, its price is the lowest one at which an
/// arrival would leave. Returns the arrival that is now without a node: the one that left, or
/// `arrival` itself if nobody would leave for it, or kSkip.
NodeId AscendingMatcher::bid(NodeId arrival) {
  double best = 0;
  double second = 0;
  std::size_t edge = 0;
  NodeId chosen = kSkip;
  for (std::size_t e = arrivals_.first(arrival); e < arrivals_.last(arrival); ++e) {
    const double profit = arrivals_.weights[e] - at(nodes_, arrivals_.columns[e]).price;
    if (profit > best) {
      second = best;
      best = profit;
      edge = e;
      chosen = arrivals_.columns[e];
    } else {
      second = std::max(second, profit);
    }
  }
  if (chosen == kSkip) return kSkip;  // prices never fall, so the arrival stays outside

  Node& node = at(nodes_, chosen);
  const float weight = arrivals_.weights[edge];
  const Mover comer{weight - second, arrival, weight};
  NodeId leaver = kSkip;
  if (node.room > 0) {
    join(chosen, comer);
    if (node.room > 0) return kSkip;
  } else {
    Mover& lowest = holders_[node.begin];
    if (!(comer.price > lowest.price)) return arrival;
    leaver = lowest.arrival;
    lowest = comer;
    sift_down(holders(node), 0, kLowestFirst);
    at(node_of_, arrival) = chosen;
    at(node_of_, leaver) = kSkip;
  }
  node.price = holders_[node.begin].price;
  return leaver;
}

/// Serves most arrivals cheaply. For a price war between few arrivals, a search is faster.
void AscendingMatcher::bid_in_turn() {
  constexpr std::int64_t kBidsPerArrival = 10;
  std::int64_t budget = kBidsPerArrival * arrivals_.count();
  unserved_.clear();
  for (NodeId newcomer = 0; newcomer < arrivals_.count(); ++newcomer) {
    NodeId arrival = newcomer;
    for (NodeId bidder = kSkip; arrival != kSkip && arrival != bidder && budget > 0; --budget) {
      bidder = arrival;
      arrival = bid(bidder);
    }
    if (arrival != kSkip) unserved_.push_back(arrival);
  }
}

/// Follows the edges of an arrival, whose distance plus profit is `offset`, as far as they can
/// matter. Returns its best profit at nodes other than its own, or outside.
double AscendingMatcher::relax(NodeId arrival, Place place, double offset, End& end) {
  double best_elsewhere = 0;
  if (offset < end.distance) end = {offset, arrival, place, kSkip, 0};
  for (std::size_t e = arrivals_.first(arrival); e < arrivals_.last(arrival); ++e) {
    const NodeId to = arrivals_.columns[e];
    Node& node = at(nodes_, to);
    const double profit = arrivals_.weights[e] - node.price;
    best_elsewhere = std::max(best_elsewhere, to == place.node ? 0 : profit);
    const double distance = offset - profit;
    if (!(distance < std::min(end.distance, node.distance))) continue;
    if (node.room > 0) {
      end = {distance, arrival, place, to, arrivals_.weights[e]};
      continue;
    }
    if (node.distance == kInfinity) reached_.push_back(to);
    node.distance = distance;
    node.comer = arrival;
    node.comer_weight = arrivals_.weights[e];
    node.comes_from = place;
    frontier_.push(distance, {to});
  }
  return best_elsewhere;
}

/// Puts the holder of a slot on the frontier, if it could leave before the end.
void AscendingMatcher::look_at(Place place, const End& end) {
  const Node& node = at(nodes_, place.node);
  const auto slot = static_cast<std::size_t>(place.slot);
  if (slot >= node.count) return;
  const double distance = node.settled + (holders_[node.begin + slot].price - node.price);
  if (distance < end.distance) frontier_.push(distance, place);
}

/// Finds the shortest path from an arrival without a node, changes the edges along it and raises
/// prices.
void AscendingMatcher::serve(NodeId root) {
  End end{kInfinity, root, {}, kSkip, 0};
  relax(root, {}, 0, end);
  Frontier::Entry nearest;
  while (frontier_.pop(end.distance, nearest)) {
    const Place place = nearest.place;
    Node& node = at(nodes_, place.node);
    if (place.slot == Place::kNode) {
      if (node.distance != nearest.distance) continue;  // a shorter path to it was found later
      node.distance = -kInfinity;
      node.settled = nearest.distance;
      settled_.push_back(place.node);
      look_at({place.node, 0}, end);
      continue;
    }
    const Mover& holder = holders_[node.begin + static_cast<std::size_t>(place.slot)];
    const double offset = node.settled + (holder.weight - node.price);
    seen_.push_back({place, holder.weight - relax(holder.arrival, place, offset, end)});
    look_at({place.node, 2 * place.slot + 1}, end);
    look_at({place.node, 2 * place.slot + 2}, end);
  }

  for (const NodeId u : settled_) {
    Node& node = at(nodes_, u);
    node.price += std::max(0.0, end.distance - node.settled);
  }
  for (const NodeId u : reached_) at(nodes_, u).distance = kInfinity;
  change_edges(end);
  frontier_.clear();
  settled_.clear();
  reached_.clear();
  seen_.clear();
}

void AscendingMatcher::change_edges(const End& end) {
  for (const Seen& seen : seen_) {
    const Node& node = at(nodes_, seen.place.node);
    // Nobody would have left below the new price, or the path would have been shorter.
    holders(node)[static_cast<std::size_t>(seen.place.slot)].price =
        std::max(seen.price, node.price);
  }
  if (end.node == kSkip) {
    at(node_of_, end.arrival) = kSkip;
  } else {
    join(end.node, {at(nodes_, end.node).price, end.arrival, end.weight});
  }
  for (Place place = end.from; place.node != kSkip;) {
    const Node& node = at(nodes_, place.node);
    holders(node)[static_cast<std::size_t>(place.slot)] = {node.price, node.comer,
                                                           node.comer_weight};
    at(node_of_, node.comer) = place.node;
    place = node.comes_from;
  }
  // Whoever was seen stands below others that were seen before, so the last one comes first.
  for (std::size_t i = seen_.size(); i-- > 0;) {
    const Place place = seen_[i].place;
    sift_down(holders(at(nodes_, place.node)), static_cast<std::size_t>(place.slot), kLowestFirst);
  }
}

}  // namespace foresight::internal
