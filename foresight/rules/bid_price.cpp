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
// takes O(degree); learning solves one assignment per past instance and phase.
#include <cmath>
#include <numeric>

#include "foresight/rules/past_internal.h"
#include "foresight/solve/assignment.h"

namespace foresight {
namespace {

using internal::FluidPrices;
using internal::learn_from;
using internal::Past;
using internal::PricedArrivals;

constexpr int kSweeps = 20;  // enough for prices of budgets to settle

struct BidPriceOptions {
  std::string train;
  int phases = 30;

  void read(OptionReader& o) {
    o.text("train", train, "dataset of past instances to learn prices from; without it all are 0");
    o.integer("phases", phases, 1, 1000, "equal parts of the horizon, each with its own prices");
  }
};

/// Phase by phase: the fixed nodes' dual prices in the hindsight optimum of what comes later.
std::vector<double> hindsight_prices(const Problem& problem, const Instance& instance, int phases) {
  const Market& market = instance.market();
  const auto ledger = problem.open(market);
  PricedArrivals arrivals;
  for (int t = 0; t < instance.num_arrivals(); ++t) arrivals.add(*ledger, instance.arrival(t));

  const auto num_fixed = static_cast<std::size_t>(market.num_fixed);
  const bool amounts = problem.traits().amounts() || !market.capacities.empty();
  std::optional<FluidPrices> fluid;
  if (amounts) fluid.emplace(arrivals, market.num_fixed, 1.0);
  AssignmentSolver assignment;
  std::vector<double> capacities, prices;
  FluidPrices::Bids bids;
  for (NodeId u = 0; u < market.num_fixed; ++u) capacities.push_back(problem.capacity(market, u));
  for (int phase = 0; phase < phases; ++phase) {
    // The decisions of a phase compete with what comes after its middle.
    const auto middle = (2.0 * phase + 1) / (2.0 * phases) * static_cast<double>(arrivals.size());
    const auto start = static_cast<std::size_t>(std::ceil(middle));
    std::vector<double> of_phase(num_fixed);
    if (amounts) {
      for (int i = 0; i < kSweeps; ++i) fluid->sweep(start, capacities, of_phase, bids);
    } else {
      const auto begin = std::span(arrivals.begin).subspan(start);
      const auto& best =
          assignment.solve_sparse(market.num_fixed, begin, arrivals.nodes, arrivals.gains);
      internal::find_losses(best.matching, begin, arrivals.nodes, arrivals.gains, of_phase);
    }
    prices.insert(prices.end(), of_phase.begin(), of_phase.end());
  }
  return prices;
}

class BidPrice : public Policy {
 public:
  BidPrice(const BidPriceOptions& options, Progress& progress)
      : past_("bid-price", options.train), phases_(options.phases) {
    std::vector<std::vector<double>> of_instance(past_.size());
    learn_from(past_, progress, [&](std::size_t i) {
      of_instance[i] = hindsight_prices(past_.problem(), past_.instance(i), phases_);
    });
    const auto num_fixed = static_cast<std::size_t>(past_.num_fixed());
    prices_.resize(num_fixed * static_cast<std::size_t>(phases_));
    for (const auto& prices : of_instance) {
      for (std::size_t k = 0; k < prices_.size(); ++k) {
        prices_[k] += prices[k] / static_cast<double>(past_.size());
      }
    }
    common_prices_ = prices_;
    for (std::size_t k = 0; k < prices_.size(); k += num_fixed) {
      const auto of_phase = std::span(common_prices_).subspan(k, num_fixed);
      std::ranges::fill(of_phase, std::accumulate(of_phase.begin(), of_phase.end(), 0.0) /
                                      static_cast<double>(num_fixed));
    }
  }

  std::optional<Horizon> expectation() const override { return past_.expectation(); }
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
