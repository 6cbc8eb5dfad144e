// Re-solving:
// - Vera and Banerjee, "The Bayesian prophet: a low-regret framework for online decision making",
//   2019/2021
// - Jasin and Kumar, "A re-solving heuristic with bounded revenue loss for network revenue
//   management with customer choice", 2012
//
// Before every decision (or every few), a linear program matches the arrivals to come to what is
// left of the fixed nodes. The arrivals to come are taken to be the average of past instances with
// as many arrivals left. The current arrival takes the neighbour with the largest
// gain - dual price x cost, if that is not negative. The Bayes selector of the papers takes the
// choice with the largest share in the program instead. That is worse if nodes can be matched only
// once: 0.84 against 0.88 of the optimum on gMission 10x30.
//
// The dual is solved by coordinate descent from the prices of the last solution, so re-solving
// takes at most two sweeps over the edges: O(samples x arrivals left x degree). A fixed node of the
// past stands for the present one at the same position.
#include <cmath>

#include "foresight/rules/past_internal.h"
#include "foresight/rules/prices_internal.h"

namespace foresight {
namespace {

using internal::FluidPrices;
using internal::kSoldOut;
using internal::Past;
using internal::PricedArrivals;

constexpr int kFirstSweeps = 10;
constexpr int kLaterSweeps = 2;

struct ResolvingOptions {
  std::string train;
  int samples = 100;
  int every = 1;

  void read(OptionReader& o) {
    o.text("train", train, "dataset of past instances that predict the future; without it, none");
    o.integer("samples", samples, 1, 1'000'000, "the most past instances to average");
    o.integer("every", every, 1, 1'000'000, "arrivals between two solutions");
  }
};

class Resolving : public Policy {
 public:
  explicit Resolving(const ResolvingOptions& options)
      : past_("resolving", options.train),
        every_(options.every),
        share_(collect(options.samples)),
        fluid_(arrivals_, past_.num_fixed(), share_) {}

  std::optional<Horizon> expectation() const override { return past_.expectation(); }
  std::optional<double> largest_gain() const override { return past_.largest_gain(); }
  bool solves() const override { return true; }
  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    past_.check(schema);
    return nullptr;
  }

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    past_.check(openings);
    return std::make_unique<ResolvingBatch>(*this, openings.size());
  }

 private:
  class ResolvingBatch : public EpisodeBatch {
   public:
    ResolvingBatch(const Resolving& policy, std::size_t episodes)
        : policy_(policy), prices_(episodes) {}

   private:
    void score(const State& state, std::size_t episode, std::span<float> row) override {
      auto& prices = prices_[episode];
      if (policy_.past_.size() > 0 && state.history().arrivals % policy_.every_ == 0) {
        solve(state, prices);
      }
      internal::score_at_prices(state, prices, row);
    }

    void solve(const State& state, std::vector<double>& prices) {
      const int sweeps = prices.empty() ? kFirstSweeps : kLaterSweeps;
      prices.resize(static_cast<std::size_t>(state.market().num_fixed));
      capacities_.clear();
      for (std::size_t u = 0; u < prices.size(); ++u) {
        capacities_.push_back(state.remaining(static_cast<NodeId>(u)));
        const double whole = state.capacity(static_cast<NodeId>(u));
        if (capacities_[u] <= kCapacityTolerance * whole) prices[u] = kSoldOut;
      }
      const auto left = static_cast<int>(std::lround(state.to_come()));
      const std::size_t start = policy_.first_with(left);
      policy_.fluid_.improve(start, capacities_, prices, sweeps, work_, [&] { check_cancelled(); });
    }

    const Resolving& policy_;
    std::vector<std::vector<double>> prices_;  // per episode
    std::vector<double> capacities_;
    FluidPrices::Workspace work_;
  };

  /// Collects the arrivals of evenly spread past instances, those with most arrivals left first.
  /// Returns the share of an arrival that each stands for.
  double collect(int samples) {
    const std::size_t count = std::min(past_.size(), static_cast<std::size_t>(samples));
    std::vector<Instance> sample;
    std::vector<std::unique_ptr<Ledger>> ledgers;
    int longest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sample.push_back(past_.instance(i * past_.size() / count));
      ledgers.push_back(past_.problem().open(sample.back().market()));
      longest = std::max(longest, sample.back().num_arrivals());
    }
    first_.assign(static_cast<std::size_t>(longest) + 1, 0);
    for (int left = longest; left > 0; --left) {
      first_[static_cast<std::size_t>(left)] = arrivals_.size();
      for (std::size_t i = 0; i < count; ++i) {
        const int t = sample[i].num_arrivals() - left;
        if (t >= 0) arrivals_.add(*ledgers[i], sample[i].arrival(t));
      }
    }
    first_[0] = arrivals_.size();
    return count == 0 ? 0 : 1 / static_cast<double>(count);
  }

  /// The first of the arrivals that come when `left` are left.
  std::size_t first_with(int left) const {
    return first_[std::min(static_cast<std::size_t>(std::max(left, 0)), first_.size() - 1)];
  }

  Past past_;
  int every_;
  PricedArrivals arrivals_;
  std::vector<std::size_t> first_;
  double share_;
  FluidPrices fluid_;
};

}  // namespace

Entry<Policy> resolving_policy() {
  return make_entry<Policy, Resolving, ResolvingOptions>(
      "resolving", "the largest gain minus its dual price in the rest of an average past instance");
}

}  // namespace foresight
