// What policies that decide by prices share: arrivals with their gains and costs, the prices at which
// a market clears, and how a match is scored at its price.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "foresight/policy/policy.h"

namespace foresight::internal {

/// Arrivals as sparse rows of edges that gain something, priced as if nothing were matched yet.
struct PricedArrivals {
  std::vector<std::int64_t> begin{0};
  std::vector<NodeId> nodes;
  std::vector<float> gains, costs;

  std::size_t size() const { return begin.size() - 1; }

  void add(Ledger& ledger, const Arrival& arrival) {
    offers_.resize(arrival.nodes.size());
    ledger.price(arrival, offers_);
    for (const Offer& offer : offers_) {
      if (!(offer.gain > 0)) continue;
      nodes.push_back(offer.node);
      gains.push_back(offer.gain);
      costs.push_back(offer.cost);
    }
    begin.push_back(std::ssize(nodes));
  }

 private:
  std::vector<Offer> offers_;
};

/// The price of a node that cannot be matched.
inline constexpr double kSoldOut = std::numeric_limits<double>::infinity();

/// What a match is charged. One that takes nothing is free, even of a node that is sold out.
inline double cost_at(double price, float amount) {
  return amount > 0 ? price * static_cast<double>(amount) : 0;
}

/// Prices p >= 0 of the fixed nodes that solve the dual of the fluid matching program
///
///   minimise  sum_u capacity_u p_u + share * sum_v max(0, max_u gain_uv - p_u cost_uv)
///
/// by exact minimisation over one price after the other. This reaches the minimum if gains are
/// varied. If many arrivals are alike, it may stop above the minimum.
///
/// Prices that are too low only rise, because a higher price of one node can only raise the others'.
/// So whoever starts below the solution, from 0 or from the prices of fewer arrivals, ends at the
/// same prices, and the closer the start, the sooner. A sweep over all prices takes O(edges), the
/// comparisons of a heap, and O(degree) for each arrival whose best two choices change.
class FluidPrices {
 public:
  /// An arrival's two largest surpluses, and whose they are.
  struct Best {
    double first = 0, second = 0;
    NodeId node = kSkip, other = kSkip;  // kSkip: to stay unmatched
  };
  struct Workspace {
    std::vector<double> surplus;                  // per edge
    std::vector<Best> best;                       // per arrival
    std::vector<std::pair<double, double>> bids;  // what arrivals would pay per unit, and how much
  };

  FluidPrices(const PricedArrivals& arrivals, NodeId num_fixed, double share)
      : arrivals_(&arrivals), share_(share), incident_(static_cast<std::size_t>(num_fixed)) {
    for (std::size_t v = 0; v < arrivals.size(); ++v) {
      for (std::size_t e = first(v); e < first(v + 1); ++e) {
        incident_[static_cast<std::size_t>(arrivals.nodes[e])].push_back({v, e});
      }
    }
  }

  /// Improves the prices for the arrivals from `start` on, until they have settled or after so many
  /// sweeps. Sold-out nodes stay sold out. Calls `pause` before each sweep.
  template <typename Pause>
  void improve(std::size_t start, std::span<const double> capacities, std::span<double> prices,
               int sweeps, Workspace& work, Pause&& pause) const {
    work.surplus.resize(arrivals_->nodes.size());
    work.best.resize(arrivals_->size());
    for (std::size_t e = first(start); e < work.surplus.size(); ++e) {
      work.surplus[e] = surplus(e, prices);
    }
    for (std::size_t v = start; v < work.best.size(); ++v) {
      if (!is_short(v)) work.best[v] = find_best(v, work);
    }
    for (int i = 0; i < sweeps; ++i) {
      pause();
      if (sweep(start, capacities, prices, work)) return;
    }
  }

 private:
  struct Incidence {
    std::size_t arrival, position;
  };

  /// Where an arrival has so few edges, looking at all of them is faster than to remember the best.
  static constexpr std::size_t kShort = 8;

  /// Prices have settled once all of them together would move by less than this part.
  static constexpr double kSettled = 1e-4;

  /// Have the prices settled?
  bool sweep(std::size_t start, std::span<const double> capacities, std::span<double> prices,
             Workspace& work) const {
    double moved = 0, total = 0;
    for (std::size_t u = 0; u < incident_.size(); ++u) {
      if (prices[u] == kSoldOut) continue;
      const double price = clearing_price(u, start, capacities[u], work);
      moved += std::abs(price - prices[u]) * capacities[u];
      total += price * capacities[u];
      if (price == prices[u]) continue;
      prices[u] = price;
      for (auto edge = incident_[u].rbegin(); edge != incident_[u].rend(); ++edge) {
        if (edge->arrival < start) break;
        work.surplus[edge->position] = surplus(edge->position, prices);
        if (!is_short(edge->arrival)) update(static_cast<NodeId>(u), *edge, work);
      }
    }
    return moved <= kSettled * total;
  }

  /// The highest price at which these arrivals want all that is left of node u, given the prices of
  /// the others; 0 if they want less even at price 0.
  double clearing_price(std::size_t u, std::size_t start, double capacity, Workspace& work) const {
    auto& bids = work.bids;
    bids.clear();
    for (auto edge = incident_[u].rbegin(); edge != incident_[u].rend(); ++edge) {
      if (edge->arrival < start) break;
      const double cost = arrivals_->costs[edge->position];
      const double bid =
          arrivals_->gains[edge->position] - best_other(static_cast<NodeId>(u), *edge, work);
      if (bid > 0) bids.emplace_back(bid / cost, share_ * cost);
    }
    std::ranges::make_heap(bids);
    const double tolerance = kCapacityTolerance * capacity;
    for (; !bids.empty(); bids.pop_back()) {
      const auto [price, amount] = bids.front();
      capacity -= amount;
      if (capacity <= tolerance) return price;
      std::ranges::pop_heap(bids);
    }
    return 0;
  }

  std::size_t first(std::size_t v) const { return static_cast<std::size_t>(arrivals_->begin[v]); }

  bool is_short(std::size_t v) const { return first(v + 1) - first(v) <= kShort; }

  /// What the arrival would have without this edge of the node.
  double best_other(NodeId node, const Incidence& edge, const Workspace& work) const {
    if (!is_short(edge.arrival)) {
      const Best& best = work.best[edge.arrival];
      return best.node == node ? best.second : best.first;
    }
    double best = 0;
    for (std::size_t e = first(edge.arrival); e < first(edge.arrival + 1); ++e) {
      if (e != edge.position) best = std::max(best, work.surplus[e]);
    }
    return best;
  }

  double surplus(std::size_t e, std::span<const double> prices) const {
    const double price = prices[static_cast<std::size_t>(arrivals_->nodes[e])];
    return arrivals_->gains[e] - cost_at(price, arrivals_->costs[e]);
  }

  static void add(Best& best, NodeId node, double surplus) {
    if (surplus > best.first) {
      best = {surplus, best.first, node, best.node};
    } else if (surplus > best.second) {
      best.second = surplus;
      best.other = node;
    }
  }

  Best find_best(std::size_t v, const Workspace& work) const {
    Best best;
    for (std::size_t e = first(v); e < first(v + 1); ++e) {
      add(best, arrivals_->nodes[e], work.surplus[e]);
    }
    return best;
  }

  /// After the surplus of this edge of the node has changed.
  void update(NodeId node, const Incidence& edge, Workspace& work) const {
    Best& best = work.best[edge.arrival];
    const double now = work.surplus[edge.position];
    if (best.node == node && now >= best.second) {
      best.first = now;
    } else if (best.node == node || best.other == node) {
      best = find_best(edge.arrival, work);
    } else {
      add(best, node, now);
    }
  }

  const PricedArrivals* arrivals_;
  double share_;
  std::vector<std::vector<Incidence>> incident_;
};

/// For each fixed node: how much less an optimal matching would be worth without it, which is its
/// largest dual price. Arrivals are sparse rows as in AssignmentSolver::solve_sparse.
///
/// The loss of a matched node is what it earns, minus what the others can make of its arrival: one
/// of them moves there, another one moves to that one's arrival, and so on. The best such chains
/// are shortest paths, and an optimal matching has no negative cycles (Bellman and Ford).
inline void find_losses(std::span<const NodeId> matching, std::span<const std::int64_t> begin,
                        std::span<const NodeId> nodes, std::span<const float> weights,
                        std::span<double> losses) {
  const auto index = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  const auto earned = [&](std::size_t v) {
    auto e = index(begin[v]);
    while (nodes[e] != matching[v]) ++e;
    return static_cast<double>(weights[e]);
  };
  std::ranges::fill(losses, 0);
  for (std::size_t v = 0; v < matching.size(); ++v) {
    if (matching[v] != kSkip) losses[index(matching[v])] = earned(v);
  }
  bool changed = true;
  for (std::size_t round = 0; changed && round < losses.size(); ++round) {
    changed = false;
    for (std::size_t v = 0; v < matching.size(); ++v) {
      if (matching[v] == kSkip) continue;
      const double here = earned(v);
      double& loss = losses[index(matching[v])];
      for (auto e = index(begin[v]); e < index(begin[v + 1]); ++e) {
        if (nodes[e] == matching[v]) continue;
        const double chained = here - weights[e] + losses[index(nodes[e])];
        changed |= chained < loss;
        loss = std::min(loss, chained);
      }
    }
  }
}

/// A surplus that is negative by less than this part of the gain is only a rounding error.
inline constexpr float kSurplusError = 1e-6F;

/// Scores a match by its gain minus the price of what it uses up. Skips if that is negative. Empty
/// prices mean that all are 0.
inline void score_at_prices(const State& state, std::span<const double> prices,
                            std::span<float> row) {
  float largest = 0;
  for (std::size_t i = 1; i < row.size(); ++i) {
    const Offer& offer = state.offers()[i - 1];
    const double price = prices.empty() ? 0 : prices[static_cast<std::size_t>(offer.node)];
    // A match that gains nothing only uses up the node.
    row[i] = offer.gain > 0 ? static_cast<float>(offer.gain - cost_at(price, offer.cost)) : kNever;
    largest = std::max(largest, offer.gain);
  }
  row[0] = -kSurplusError * largest;
}

}  // namespace foresight::internal
