// Prices of capacities. The bound is convex in the prices, but has kinks wherever an arrival
// hesitates between two nodes. So arrivals choose softly at first (softmax), which makes it smooth,
// and more and more firmly later (Nesterov, 2005). Each level takes accelerated gradient steps,
// scaled per node by the curvature.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "foresight/solve/budgets_internal.h"

namespace foresight {
namespace {

// How softly arrivals choose, in units of the mean gain.
constexpr std::array kSoftness = {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
constexpr int kStepsPerLevel = 25;

// The part of a Newton step that is safe. Changes of prices act on each other: beyond 1/2 of what
// each alone could do, they can overshoot in theory; slightly more is faster and does not.
constexpr double kStep = 0.6;
constexpr double kLargestStep = 0.5;    // in units of a node's gain per cost
constexpr double kStepPerSoftness = 4;  // prices of two levels differ by about the softness

// Two levels that lower the bound by less than this part are the last ones.
constexpr double kEnough = 1e-6;

// Sums of a bound are wrong by less than this part.
constexpr double kBoundError = 1e-12;

class PriceDescent {
 public:
  explicit PriceDescent(const BudgetGraph& graph) : graph_(graph) {
    const std::size_t n = graph.num_fixed();
    std::vector<double> gains(n), costs(n);
    unit_.assign(n, 1);
    highest_.assign(n, 0);
    for (const BudgetEdge& edge : graph.edges) {
      if (edge.cost == 0) continue;
      gains[index(edge.node)] += edge.gain;
      costs[index(edge.node)] += edge.cost;
    }
    for (std::size_t u = 0; u < n; ++u) {
      if (costs[u] > 0) unit_[u] = gains[u] / costs[u];
    }
    for (const BudgetEdge& edge : graph.edges) {
      if (edge.cost == 0) continue;
      double& highest = highest_[index(edge.node)];
      highest = std::max(highest, edge.gain / edge.cost / unit_[index(edge.node)]);
    }
    for (std::size_t t = 0; t < graph.num_arrivals(); ++t) {
      double largest = 0;
      for (const BudgetEdge& edge : graph.edges_of(t)) largest = std::max(largest, edge.gain);
      mean_gain_ += largest / static_cast<double>(graph.num_arrivals());
    }
    prices_.assign(n, 0);
    consider(prices_);
    // Where a capacity is short, its price may be as high as any.
    std::vector<double> highest = highest_;
    for (std::size_t u = 0; u < n; ++u) {
      if (costs[u] <= graph.capacities[u]) highest[u] = 0;
    }
    consider(highest);
  }

  BudgetPrices run(const Deadline& deadline) {
    int idle = 0;
    for (std::size_t k = 0; k < kSoftness.size() && idle < 2; ++k) {
      const double before = best_.bound;
      const std::vector<double> last = prices_;
      if (!descend(kSoftness[k], deadline)) break;
      if (k > 0) extrapolate(last, kSoftness[k - 1], kSoftness[k]);
      if (consider(prices_) > best_.bound)
        std::copy(best_scaled_.begin(), best_scaled_.end(), prices_.begin());
      idle = best_.bound >= (1 - kEnough) * before ? idle + 1 : 0;
    }
    return best_;
  }

 private:
  // Prices of a level are wrong by about its softness, so a line through two levels leads close to
  // the prices of firm choices. Where many gains are equal to their prices, it hits them.
  void extrapolate(std::span<const double> last, double last_softness, double softness) {
    std::vector<double> guess(prices_.size());
    for (std::size_t u = 0; u < guess.size(); ++u) {
      const double slope = (last[u] - prices_[u]) / (last_softness - softness);
      guess[u] = std::clamp(prices_[u] - softness * slope, 0.0, highest_[u]);
    }
    consider(guess);
  }

  // Keeps the prices if they are the best so far. Returns their bound.
  double consider(std::span<const double> scaled) {
    std::vector<double> prices(scaled.size());
    for (std::size_t u = 0; u < prices.size(); ++u) prices[u] = scaled[u] * unit_[u];
    const double bound = price_bound(graph_, prices);
    if (bound < best_.bound) {
      best_ = {std::move(prices), bound};
      best_scaled_.assign(scaled.begin(), scaled.end());
    }
    return bound;
  }

  // One level. Returns false if time runs out.
  bool descend(double softness, const Deadline& deadline) {
    const double most = std::min(kLargestStep, kStepPerSoftness * softness);
    std::vector<double> ahead = prices_, next(prices_.size());
    double momentum = 1;
    for (int step = 0; step < kStepsPerLevel; ++step) {
      if (deadline.passed()) return false;
      measure(ahead, softness * mean_gain_);
      double uphill = 0;
      for (std::size_t u = 0; u < next.size(); ++u) {
        const double excess = load_[u] - unit_[u] * graph_.capacities[u];
        const double newton = curvature_[u] > 0 ? excess / curvature_[u]
                              : excess < 0      ? -most
                                                : most;
        next[u] = std::clamp(ahead[u] + std::clamp(kStep * newton, -most, most), 0.0, highest_[u]);
        uphill += (ahead[u] - next[u]) * (next[u] - prices_[u]);
      }
      if (uphill > 0) momentum = 1;  // it overshot (O'Donoghue and Candes, 2015)
      const double gained = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      for (std::size_t u = 0; u < next.size(); ++u) {
        const double drift = (momentum - 1) / gained * (next[u] - prices_[u]);
        ahead[u] = std::clamp(next[u] + drift, 0.0, highest_[u]);
      }
      momentum = gained;
      prices_.swap(next);
    }
    return true;
  }

  // The load of each node, in units of gain, if arrivals choose softly, and how fast it falls with
  // the node's price.
  void measure(std::span<const double> scaled, double softness) {
    load_.assign(scaled.size(), 0);
    curvature_.assign(scaled.size(), 0);
    for (std::size_t t = 0; t < graph_.num_arrivals(); ++t) {
      const auto edges = graph_.edges_of(t);
      weights_.resize(edges.size());
      double best = 0;
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const std::size_t u = index(edges[k].node);
        weights_[k] = edges[k].gain - scaled[u] * unit_[u] * edges[k].cost;
        best = std::max(best, weights_[k]);
      }
      double sum = std::exp(-best / softness);  // skipping gains 0
      for (double& weight : weights_) sum += weight = std::exp((weight - best) / softness);
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const std::size_t u = index(edges[k].node);
        const double share = weights_[k] / sum;
        const double cost = edges[k].cost * unit_[u];
        load_[u] += share * cost;
        curvature_[u] += share * (1 - share) * cost * cost / softness;
      }
    }
  }

  const BudgetGraph& graph_;
  double mean_gain_ = 0;         // of every arrival's largest gain
  std::vector<double> unit_;     // per node: mean gain per cost; prices are in these units
  std::vector<double> highest_;  // no price need be higher
  std::vector<double> prices_, load_, curvature_, weights_, best_scaled_;
  BudgetPrices best_;
};

}  // namespace

double price_bound(const BudgetGraph& graph, std::span<const double> prices) {
  double bound = 0;
  for (std::size_t u = 0; u < prices.size(); ++u) {
    bound += prices[u] * graph.capacities[u];
  }
  for (std::size_t t = 0; t < graph.num_arrivals(); ++t) {
    double best = 0;
    for (const BudgetEdge& edge : graph.edges_of(t)) {
      best = std::max(best, edge.gain - prices[index(edge.node)] * edge.cost);
    }
    bound += best;
  }
  return bound * (1 + kBoundError);
}

BudgetPrices find_prices(const BudgetGraph& graph, const Deadline& deadline) {
  return PriceDescent(graph).run(deadline);
}

}  // namespace foresight
