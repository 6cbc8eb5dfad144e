// Bid prices: every fixed node has a price, and an arrival takes the neighbour with the largest
// gain - price x cost, if that is not negative.
//
// A node's price is the mean of its dual prices in hindsight over past instances:
// - Talluri and van Ryzin, "An analysis of bid-price controls for network revenue management",
//   1998, and "A randomized linear programming method for computing network bid prices", 1999
// - Devanur and Hayes, "The adwords problem: online keyword matching with budgeted bidders under
//   random permutations", 2009
// The horizon has several equal phases. Each phase has its own prices, from what came after its
// middle. In coverage problems they are the prices of an assignment in which nothing is covered.
//
// If the fixed nodes differ from those of the past, all have the phase's mean price. An arrival
// takes O(degree); learning solves one assignment per past instance and phase, or improves the
// prices of the phase after it where nodes have budgets or capacities.
#include <cmath>

#include "foresight/rules/past_internal.h"
#include "foresight/rules/prices_internal.h"
#include "foresight/solve/assignment.h"

namespace foresight {
namespace {

using internal::FluidPrices;
using internal::kSoldOut;
using internal::learn_from;
using internal::Past;
using internal::PricedArrivals;

constexpr int kSweeps = 20;  // the most per phase; prices have rarely not settled before

struct BidPriceOptions {
  std::string train;
  int phases = 30;

  void read(OptionReader& o) {
    o.text("train", train, "dataset of past instances to learn prices from; without it all are 0");
    o.integer("phases", phases, 1, 1000, "equal parts of the horizon, each with its own prices");
  }
};

/// The fixed nodes' dual prices in the hindsight optimum of what comes late in one instance.
class HindsightPrices {
 public:
  HindsightPrices(const Problem& problem, const Instance& instance)
      : num_fixed_(instance.market().num_fixed) {
    const Market& market = instance.market();
    const auto ledger = problem.open(market);
    for (int t = 0; t < instance.num_arrivals(); ++t) arrivals_.add(*ledger, instance.arrival(t));
    prices_.resize(static_cast<std::size_t>(num_fixed_));
    if (!problem.traits().amounts() && market.capacities.empty()) return;
    fluid_.emplace(arrivals_, num_fixed_, 1.0);
    for (NodeId u = 0; u < num_fixed_; ++u) {
      capacities_.push_back(problem.capacity(market, u));
      if (capacities_.back() <= 0) prices_[static_cast<std::size_t>(u)] = kSoldOut;
    }
  }

  /// The prices of what comes after this share of the arrivals; kSoldOut for nodes that are absent.
  /// Shares must fall from call to call: prices rise as more arrivals compete, so that the last ones
  /// are a good start for the next.
  std::span<const double> after(double share, const Progress& progress) {
    const auto start =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(arrivals_.size())));
    if (fluid_) {
      fluid_->improve(start, capacities_, prices_, kSweeps, work_,
                      [&] { check_cancelled(progress); });
    } else {
      const auto begin = std::span(arrivals_.begin).subspan(start);
      const auto& best =
          assignment_.solve_sparse(num_fixed_, begin, arrivals_.nodes, arrivals_.gains);
      internal::find_losses(best.matching, begin, arrivals_.nodes, arrivals_.gains, prices_);
    }
    return prices_;
  }

 private:
  NodeId num_fixed_;
  PricedArrivals arrivals_;
  std::optional<FluidPrices> fluid_;  // where nodes have capacities or budgets
  FluidPrices::Workspace work_;
  AssignmentSolver assignment_;
  std::vector<double> capacities_, prices_;
};

class BidPrice : public Policy {
 public:
  BidPrice(const BidPriceOptions& options, Progress& progress)
      : past_("bid-price", options.train), phases_(options.phases) {
    std::vector<std::vector<double>> of_instance(past_.size());
    learn_from(past_, progress, std::ssize(of_instance) * phases_, "phases",
               [&](std::size_t i) { of_instance[i] = prices_in(i, progress); });
    average(of_instance);
  }

  std::optional<Horizon> expectation() const override { return past_.expectation(); }
  std::optional<double> largest_gain() const override { return past_.largest_gain(); }
  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    past_.check(schema);
    return nullptr;
  }

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    past_.check(openings);
    std::vector<std::span<const double>> prices;
    for (const Opening& opening : openings) {
      prices.emplace_back(past_.knows_nodes_of(opening.market) ? prices_ : common_prices_);
    }
    return std::make_unique<PricedBatch>(std::move(prices), phases_);
  }

 private:
  class PricedBatch : public EpisodeBatch {
   public:
    PricedBatch(std::vector<std::span<const double>> prices, int phases)
        : prices_(std::move(prices)), phases_(phases) {}

   private:
    void score(const State& state, std::size_t episode, std::span<float> row) override {
      const int passed = state.history().arrivals;
      const double total = std::max(1.0, state.market().horizon.total(passed));
      const auto phase = std::min(phases_ - 1, static_cast<int>(1.0 * passed * phases_ / total));
      const std::size_t width = prices_[episode].size() / static_cast<std::size_t>(phases_);
      const auto prices = prices_[episode].subspan(static_cast<std::size_t>(phase) * width, width);
      internal::score_at_prices(state, prices, row);
    }

    std::vector<std::span<const double>> prices_;  // per episode
    int phases_;
  };

  /// Phase by phase. The decisions of a phase compete with what comes after its middle.
  std::vector<double> prices_in(std::size_t i, Progress& progress) const {
    HindsightPrices hindsight(past_.problem(), past_.instance(i));
    const auto num_fixed = static_cast<std::size_t>(past_.num_fixed());
    std::vector<double> prices(num_fixed * static_cast<std::size_t>(phases_));
    for (int phase = phases_ - 1; phase >= 0; --phase) {
      check_cancelled(progress);
      const auto of_phase = hindsight.after((2.0 * phase + 1) / (2.0 * phases_), progress);
      std::ranges::copy(of_phase, prices.begin() + phase * std::ssize(of_phase));
      progress.advance(1);
    }
    return prices;
  }

  /// A node's price is the mean over the instances that it was present in.
  void average(const std::vector<std::vector<double>>& of_instance) {
    const auto num_fixed = static_cast<std::size_t>(past_.num_fixed());
    prices_.resize(num_fixed * static_cast<std::size_t>(phases_));
    common_prices_.resize(prices_.size());
    for (std::size_t first = 0; first < prices_.size(); first += num_fixed) {
      double total = 0, present = 0;
      for (std::size_t k = first; k < first + num_fixed; ++k) {
        double sum = 0, count = 0;
        for (const auto& prices : of_instance) {
          if (prices[k] == kSoldOut) continue;
          sum += prices[k];
          ++count;
        }
        prices_[k] = count > 0 ? sum / count : kSoldOut;
        total += count > 0 ? sum / count : 0;
        present += count > 0;
      }
      const double common = present > 0 ? total / present : 0;
      const auto of_phase = std::span(prices_).subspan(first, num_fixed);
      std::ranges::replace(of_phase, kSoldOut, common);  // what was never seen is like the others
      std::ranges::fill(std::span(common_prices_).subspan(first, num_fixed), common);
    }
  }

  Past past_;
  int phases_;
  std::vector<double> prices_, common_prices_;  // phase by phase, one per fixed node
};

}  // namespace

Entry<Policy> bid_price_policy() {
  return make_entry<Policy, BidPrice, BidPriceOptions>(
      "bid-price", "the largest gain minus the node's mean hindsight price in past instances");
}

}  // namespace foresight
