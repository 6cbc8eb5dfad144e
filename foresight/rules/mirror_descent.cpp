// Dual mirror descent (Balseiro, Lu and Mirrokni, "The best of many worlds: dual mirror descent for
// online allocation problems", 2020/2023).
//
// Every fixed node has a price. An arrival takes the neighbour with the largest gain - price x
// cost, if that is not negative. Then every price falls if its node is used less than evenly over
// the horizon, and rises if it is used more. With r = 1/horizon and s the share of the capacity
// that the arrival used, the step is
//   euclidean  price <- max(0, price - eta (r - s))
//   entropy    price <- price exp(-eta (r - s))
// A node that can be matched only once has s > 0 only when its price no longer matters. So its
// price falls from `start` until an arrival takes the node.
//
// An arrival takes O(fixed nodes).
#include <cmath>

#include "foresight/policy/play.h"
#include "foresight/rules/past_internal.h"

namespace foresight {
namespace {

struct MirrorDescentOptions {
  double start = 0.5;
  double eta = 0.5;
  std::string mirror = "euclidean";
  std::string train;

  void read(OptionReader& o) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    o.real("start", start, 0, kAny, "the first price of every fixed node, per unit of cost");
    o.real("eta", eta, 0, kAny, "how far the price of an unused node falls over the horizon");
    o.choice("mirror", mirror, {"euclidean", "entropy"}, "how prices move: by steps or by factors");
    o.text("train", train, "dataset to tune start and eta on, over a grid");
    if (o.given("train") && (o.given("start") || o.given("eta"))) {
      fail(ErrorCode::kUsage, "{}: give either start and eta or train, not both", o.owner());
    }
  }
};

struct Step {
  double start, eta;
};

/// Episode i uses steps[i mod n], so that one batch can try n of them on the same instance.
class Descents : public Policy {
 public:
  Descents(std::vector<Step> steps, bool entropy) : steps_(std::move(steps)), entropy_(entropy) {}

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    return std::make_unique<DescentBatch>(*this, openings.size());
  }

 private:
  struct Node {
    double price, remaining;
  };

  class DescentBatch : public EpisodeBatch {
   public:
    DescentBatch(const Descents& policy, std::size_t episodes)
        : policy_(policy), nodes_(episodes) {}

   private:
    void score(const State& state, std::size_t episode, std::span<float> row) override {
      const Step& step = policy_.steps_[episode % policy_.steps_.size()];
      auto& nodes = nodes_[episode];
      if (nodes.empty()) {
        for (NodeId u = 0; u < state.market().num_fixed; ++u) {
          nodes.push_back({step.start, state.remaining(u)});
        }
      } else {
        descend(state, step.eta, nodes);
      }
      prices_.clear();
      for (const Node& node : nodes) prices_.push_back(node.price);
      internal::score_at_prices(state, prices_, row);
    }

    void descend(const State& state, double eta, std::vector<Node>& nodes) const {
      const double rate = 1 / state.market().horizon.total(state.history().arrivals);
      for (NodeId u = 0; u < state.market().num_fixed; ++u) {
        Node& node = nodes[static_cast<std::size_t>(u)];
        const double used = node.remaining - state.remaining(u);
        const double fall = eta * (used > 0 ? rate - used / state.capacity(u) : rate);
        node.price =
            policy_.entropy_ ? node.price * std::exp(-fall) : std::max(0.0, node.price - fall);
        node.remaining = state.remaining(u);
      }
    }

    const Descents& policy_;
    std::vector<std::vector<Node>> nodes_;  // per episode
    std::vector<double> prices_;
  };

  std::vector<Step> steps_;
  bool entropy_;
};

/// The most that any past edge gained per unit of cost.
double largest_rate(const internal::Past& past) {
  double largest = 0;
  for (std::size_t i = 0; i < past.size(); ++i) {
    const Instance instance = past.instance(i);
    const auto ledger = past.problem().open(instance.market());
    internal::PricedArrivals arrivals;
    for (int t = 0; t < instance.num_arrivals(); ++t) arrivals.add(*ledger, instance.arrival(t));
    for (std::size_t e = 0; e < arrivals.gains.size(); ++e) {
      if (arrivals.costs[e] == 0) continue;  // it is free at any price
      largest = std::max<double>(largest, arrivals.gains[e] / arrivals.costs[e]);
    }
  }
  return largest;
}

/// The start and eta of a grid with the best average value on past instances.
Step tune(const internal::Past& past, bool entropy, Progress& progress) {
  // Rounded up, so that tuned specs are short.
  const double rate = std::ceil(100 * largest_rate(past)) / 100;
  std::vector<Step> steps;
  for (int start = 0; start <= 20; ++start) {
    for (int eta = 0; eta <= 8; ++eta) {
      steps.push_back({rate * start / 20, entropy ? eta / 2.0 : rate * eta / 8});
    }
  }
  const Descents policy(steps, entropy);
  std::vector<std::vector<double>> values(past.size());
  internal::learn_from(past, progress, [&](std::size_t i) {
    const std::vector<Instance> copies(steps.size(), past.instance(i));
    const PlayOptions options{.first_index = i * copies.size(), .progress = &progress};
    for (const Rollout& rollout : play(bind_instances(past.problem(), copies), policy, options)) {
      values[i].push_back(rollout.value);
    }
  });
  std::vector<double> totals(steps.size());
  for (const auto& of_instance : values) {
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += of_instance[k];
  }
  return steps[static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin())];
}

class MirrorDescent : public Policy {
 public:
  MirrorDescent(const MirrorDescentOptions& options, Progress& progress)
      : mirror_(options.mirror),
        past_("mirror-descent", options.train),
        step_(past_.size() == 0 ? Step{options.start, options.eta}
                                : tune(past_, mirror_ == "entropy", progress)),
        policy_({step_}, mirror_ == "entropy") {}

  std::optional<Horizon> expectation() const override { return past_.expectation(); }
  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    past_.check(schema);
    return nullptr;
  }

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    return policy_.begin(openings);
  }
  std::string resolved_spec() const override {
    return fmt::format("mirror-descent(start={},eta={},mirror={})", step_.start, step_.eta,
                       mirror_);
  }

 private:
  std::string mirror_;
  internal::Past past_;
  Step step_;
  Descents policy_;
};

}  // namespace

Entry<Policy> mirror_descent_policy() {
  return make_entry<Policy, MirrorDescent, MirrorDescentOptions>(
      "mirror-descent",
      "the largest gain minus a price that falls while its node is used too little");
}

}  // namespace foresight
