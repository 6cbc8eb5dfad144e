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
// Prices are in the unit of gain per cost. So they are tuned on past instances or given, and there is
// no default.
//
// An arrival takes O(fixed nodes).
#include <cmath>

#include "foresight/rules/past_internal.h"
#include "foresight/rules/prices_internal.h"

namespace foresight {
namespace {

struct MirrorDescentOptions {
  std::optional<double> start, eta;
  std::string mirror = "auto";
  std::string train;

  void read(OptionReader& o) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    o.real("start", start, 0, kAny, "the first price of every fixed node, per unit of cost");
    o.real("eta", eta, 0, kAny, "how far the price of an unused node falls over the horizon");
    o.choice(
        "mirror", mirror, {"auto", "euclidean", "entropy"},
        "how prices move: by steps or by factors; auto: the better one on train, else by steps");
    o.text("train", train, "dataset to tune start and eta on");
    if (o.given("train") && (o.given("start") || o.given("eta"))) {
      fail(ErrorCode::kUsage, "{}: give either start and eta or train, not both", o.owner());
    }
  }
};

struct Step {
  double start, eta;
  bool entropy;
};

/// Episode i uses steps[i mod n], so that one batch can try n of them on the same instance.
class Descents : public Policy {
 public:
  explicit Descents(std::vector<Step> steps) : steps_(std::move(steps)) {}

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
        descend(state, step, nodes);
      }
      prices_.clear();
      for (const Node& node : nodes) prices_.push_back(node.price);
      internal::score_at_prices(state, prices_, row);
    }

    static void descend(const State& state, const Step& step, std::vector<Node>& nodes) {
      const double rate = 1 / state.market().horizon.total(state.history().arrivals);
      for (NodeId u = 0; u < state.market().num_fixed; ++u) {
        Node& node = nodes[static_cast<std::size_t>(u)];
        const double used = node.remaining - state.remaining(u);
        const double fall = step.eta * (used > 0 ? rate - used / state.capacity(u) : rate);
        node.price = step.entropy ? node.price * std::exp(-fall) : std::max(0.0, node.price - fall);
        node.remaining = state.remaining(u);
      }
    }

    const Descents& policy_;
    std::vector<std::vector<Node>> nodes_;  // per episode
    std::vector<double> prices_;
  };

  std::vector<Step> steps_;
};

/// The next number that is a power of two times a whole number below 64. So specs are short, and a
/// number that is twice as large stays twice as large.
double round_up(double x) {
  constexpr double kParts = 64;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // 0.5 to 1, or 0
  return std::ldexp(std::ceil(kParts * fraction) / kParts, exponent);
}

/// Finds the steps with the best mean value on past instances. Prices are tried by factors of two,
/// from the most that a past edge gained per unit of cost to an eighth of the median, so that a few
/// very large gains do no harm. Then those around the best ones are tried.
class Tuner {
 public:
  Tuner(const internal::Past& past, const std::string& mirror, Progress& progress)
      : past_(past), progress_(progress) {
    std::vector<Step> around;
    const auto add = [&](const Step& best) {
      for (const double start : {0.625, 0.75, 0.875, 1.0, 1.125, 1.25, 1.5}) {
        for (const double eta : {0.5, 0.75, 1.0, 1.25, 1.5, 2.0}) {
          around.push_back({start * best.start, eta * best.eta, best.entropy});
        }
      }
    };
    if (mirror != "entropy") add(best_of(euclidean_grid()));
    if (mirror != "euclidean") add(best_of(entropy_grid()));
    best_ = best_of(around);
  }

  const Step& best() const { return best_; }

 private:
  /// Prices worth trying, the largest first.
  std::vector<double> prices() const {
    constexpr std::size_t kMost = 40;
    const auto rates = internal::sorted_sample(past_, [](const Offer& offer) {
      return offer.cost > 0 ? offer.gain / offer.cost
                            : 0;  // what costs nothing is free at any price
    });
    std::vector<double> prices;
    if (rates.empty()) return prices;
    const double least = rates[rates.size() / 2] / 8.0;
    double price = round_up(rates.back());
    for (; price >= least && prices.size() < kMost; price /= 2) prices.push_back(price);
    return prices;
  }

  /// A price falls by a part or a multiple of itself. A price that starts at 0 rises by any amount.
  std::vector<Step> euclidean_grid() const {
    std::vector<Step> steps = {{0, 0, false}};
    for (const double price : prices()) {
      steps.push_back({0, price, false});
      for (const double part : {0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        steps.push_back({price, part * price, false});
      }
    }
    return steps;
  }

  std::vector<Step> entropy_grid() const {
    std::vector<Step> steps = {{0, 0, true}};
    for (const double price : prices()) {
      for (const double eta : {0.0, 0.5, 1.0, 2.0, 4.0}) steps.push_back({price, eta, true});
    }
    return steps;
  }

  Step best_of(const std::vector<Step>& steps) const {
    return steps[internal::best_setting(past_, Descents(steps), steps.size(), progress_)];
  }

  const internal::Past& past_;
  Progress& progress_;
  Step best_;
};

class MirrorDescent : public Policy {
 public:
  MirrorDescent(const MirrorDescentOptions& options, Progress& progress)
      : past_("mirror-descent", options.train),
        step_(find_step(options, progress)),
        policy_({step_}) {}

  std::optional<double> largest_gain() const override { return past_.largest_gain(); }
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
                       step_.entropy ? "entropy" : "euclidean");
  }

 private:
  Step find_step(const MirrorDescentOptions& options, Progress& progress) const {
    if (past_.size() > 0) return Tuner(past_, options.mirror, progress).best();
    if (!options.start || !options.eta) {
      fail(ErrorCode::kUsage,
           "mirror-descent: give train=FILE to tune start and eta on past instances, or "
           "start=NUMBER and eta=NUMBER in the unit of the weights per unit of cost");
    }
    return {*options.start, *options.eta, options.mirror == "entropy"};
  }

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
