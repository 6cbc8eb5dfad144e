// What policies that learn prices from past instances share: the past, its arrivals with their
// gains and costs, and the prices at which a market clears.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"

namespace foresight::internal {

/// The past instances that a policy was given.
class Past {
 public:
  enum class Sizes { kAny, kOne };

  /// `policy` is the name of the reader in errors. With kOne, all instances must have the same
  /// number of fixed nodes. Without a file, the past is empty.
  Past(std::string policy, std::string file, Sizes sizes = Sizes::kOne)
      : policy_(std::move(policy)), file_(std::move(file)) {
    if (file_.empty()) return;
    data_ = bind_data(Dataset::load(file_));
    if (data_->size() == 0) {
      fail(ErrorCode::kData, "{}: {} needs at least one instance to learn from", file_, policy_);
    }
    first_ = data_->instance(0);
    for (std::size_t i = 0; i < size(); ++i) {
      const Market market = instance(i).market();
      if (sizes == Sizes::kOne && market.num_fixed != first_.market().num_fixed) {
        fail(ErrorCode::kData,
             "{}: {} needs the same number of fixed nodes in all instances, but instance 0 has {} "
             "and instance {} has {}",
             file_, policy_, first_.market().num_fixed, i, market.num_fixed);
      }
      fixed_ = fixed_ && std::ranges::equal(market.ids, first_.market().ids);
    }
  }

  const std::string& policy() const { return policy_; }
  const std::string& file() const { return file_; }
  std::size_t size() const { return data_ ? data_->size() : 0; }
  Instance instance(std::size_t i) const { return data_->instance(i); }
  const Problem& problem() const { return data_->problem(); }
  NodeId num_fixed() const { return first_.market().num_fixed; }

  /// How many arrivals there were.
  std::optional<Horizon> expectation() const {
    return data_ ? std::optional(Horizon::from_past(data_->lengths())) : std::nullopt;
  }

  /// Whether all past instances had the same fixed nodes, as far as their ids show.
  bool knows_nodes_of(const Market& market) const {
    return fixed_ && std::ranges::equal(market.ids, first_.market().ids);
  }

  /// Throw Error(kData) if data has another problem than the past, or an episode another size.
  void check(const Schema& schema) const {
    if (size() == 0) return;
    if (data_->schema().capacities != schema.capacities) {
      const bool here = schema.capacities;
      fail(ErrorCode::kData,
           "{} learned from {}, where fixed nodes have {}capacities, and cannot decide where they "
           "{}",
           policy_, file_, here ? "no " : "", here ? "have them" : "have none");
    }
    if (same_problem(data_->schema(), schema)) return;
    fail(ErrorCode::kData,
         "{} learned from {} for problem \"{}\" and cannot decide in problem \"{}\"", policy_,
         file_, data_->schema().problem, schema.problem);
  }
  void check(std::span<const Opening> openings) const {
    if (size() == 0) return;
    for (const Opening& opening : openings) {
      if (opening.market.num_fixed == num_fixed() && opening.problem->name() == problem().name()) {
        continue;
      }
      fail(
          ErrorCode::kData,
          "{} learned from {} ({}, {} fixed nodes) and cannot decide in a market of {} fixed nodes "
          "({})",
          policy_, file_, problem().name(), num_fixed(), opening.market.num_fixed,
          opening.problem->name());
    }
  }

 private:
  std::string policy_, file_;
  std::optional<BoundDataset> data_;
  Instance first_;
  bool fixed_ = true;
};

/// Calls `learn(i)` for each past instance, on all cores. Shows its progress, and stops with
/// Error(kCancelled) if interrupted.
template <typename Learn>
void learn_from(const Past& past, Progress& progress, Learn&& learn) {
  if (past.size() == 0) return;
  progress.begin(fmt::format("{} learns from {}", past.policy(), past.file()),
                 static_cast<std::int64_t>(past.size()), "instances");
  parallel_for(past.size(), 0, [&](std::size_t i) {
    check_cancelled(progress);
    learn(i);
    progress.advance(1);
  });
  progress.end();
}

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
/// varied. If many arrivals are alike, it may stop above the minimum. A sweep over all prices takes
/// O(sum of squared degrees), and the comparisons of a heap.
class FluidPrices {
 public:
  /// Workspace: what arrivals would pay per unit of a node, and how much of it they want.
  using Bids = std::vector<std::pair<double, double>>;

  FluidPrices(const PricedArrivals& arrivals, NodeId num_fixed, double share)
      : arrivals_(&arrivals), share_(share), incident_(static_cast<std::size_t>(num_fixed)) {
    for (std::size_t v = 0; v < arrivals.size(); ++v) {
      for (std::size_t e = first(v); e < first(v + 1); ++e) {
        incident_[static_cast<std::size_t>(arrivals.nodes[e])].push_back({v, e});
      }
    }
  }

  /// Improves the prices for the arrivals from `start` on. Sold-out nodes stay sold out.
  void sweep(std::size_t start, std::span<const double> capacities, std::span<double> prices,
             Bids& bids) const {
    for (std::size_t u = 0; u < incident_.size(); ++u) {
      if (prices[u] != kSoldOut) prices[u] = clearing_price(u, start, capacities[u], prices, bids);
    }
  }

 private:
  struct Incidence {
    std::size_t arrival, position;
  };

  /// The highest price at which these arrivals want all that is left of node u, given the prices of
  /// the others; 0 if they want less even at price 0.
  double clearing_price(std::size_t u, std::size_t start, double capacity,
                        std::span<const double> prices, Bids& bids) const {
    bids.clear();
    for (auto edge = incident_[u].rbegin(); edge != incident_[u].rend(); ++edge) {
      if (edge->arrival < start) break;
      const double cost = arrivals_->costs[edge->position];
      const double bid = arrivals_->gains[edge->position] - best_other(*edge, prices);
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

  /// What the arrival would have without this edge.
  double best_other(const Incidence& edge, std::span<const double> prices) const {
    double best = 0;
    for (std::size_t e = first(edge.arrival); e < first(edge.arrival + 1); ++e) {
      if (e == edge.position) continue;
      const double price = prices[static_cast<std::size_t>(arrivals_->nodes[e])];
      best = std::max(best, arrivals_->gains[e] - cost_at(price, arrivals_->costs[e]));
    }
    return best;
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

/// The score of skipping. A negative surplus above it is only a rounding error.
inline constexpr float kNoSurplus = -1e-6F;

/// Scores a match by its gain minus the price of what it uses up. Skips if that is negative. Empty
/// prices mean that all are 0.
inline void score_at_prices(const State& state, std::span<const double> prices,
                            std::span<float> row) {
  row[0] = kNoSurplus;
  for (std::size_t i = 1; i < row.size(); ++i) {
    const Offer& offer = state.offers()[i - 1];
    const double price = prices.empty() ? 0 : prices[static_cast<std::size_t>(offer.node)];
    // A match that gains nothing only uses up the node.
    row[i] = offer.gain > 0 ? static_cast<float>(offer.gain - cost_at(price, offer.cost)) : -1;
  }
}

}  // namespace foresight::internal
