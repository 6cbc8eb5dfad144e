// Greedy with a threshold:
//   greedy-t   the largest gain, if it reaches a threshold tuned on past instances (the paper's
//              Algorithm "greedy-t")
//   greedy-rt  any edge that reaches a threshold e^K, K drawn at random per episode (Ting and
//   Xiang,
//              2014; the paper's Algorithm "greedy-rt")
#include <algorithm>
#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/data/dataset.h"
#include "foresight/policy/play.h"

namespace foresight {
namespace {

/// The largest gain that reaches a threshold. Episode i uses threshold i mod n, so that one batch
/// can try n thresholds on the same instance.
class GreedyThresholds : public Policy {
 public:
  explicit GreedyThresholds(std::vector<float> thresholds) : thresholds_(std::move(thresholds)) {}

  std::unique_ptr<Batch> begin(std::span<const Opening>) const override {
    return std::make_unique<BestAbove>(thresholds_);
  }

 private:
  class BestAbove : public EpisodeBatch {
   public:
    explicit BestAbove(std::span<const float> thresholds) : thresholds_(thresholds) {}

   private:
    void score(const State& state, std::size_t episode, std::span<float> row) override {
      const float threshold = thresholds_[episode % thresholds_.size()];
      row[0] = 0;
      for (std::size_t i = 1; i < row.size(); ++i) {
        const float gain = state.offers()[i - 1].gain;
        row[i] = gain >= threshold && gain > 0 ? gain : -1;
      }
    }
    std::span<const float> thresholds_;
  };

  std::vector<float> thresholds_;
};

/// The threshold in {0.01, 0.02, ..., 1.00} with the best average value on past instances: one pass
/// over them, trying all thresholds on each.
double tune_threshold(const Dataset& past) {
  if (past.size() == 0) fail(ErrorCode::kData, "a threshold cannot be tuned on no instances");
  std::vector<float> thresholds;
  for (int percent = 1; percent <= 100; ++percent) {
    thresholds.push_back(static_cast<float>(percent) / 100);
  }
  const GreedyThresholds policy(thresholds);
  const auto problem = problem_of(past);
  std::vector<std::vector<Rollout>> rollouts(past.size());
  parallel_for(past.size(), 0, [&](std::size_t i) {
    const std::vector<Instance> copies(thresholds.size(), past.instance(i));
    rollouts[i] = play(*problem, copies, policy, {.first_index = i * copies.size()});
    for (Rollout& rollout : rollouts[i]) rollout.matching = {};
  });
  std::vector<double> totals(thresholds.size());
  for (const auto& of_instance : rollouts) {
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += of_instance[k].value;
  }
  const auto best = std::max_element(totals.begin(), totals.end()) - totals.begin();
  return static_cast<double>(best + 1) / 100;
}

struct GreedyTOptions {
  double threshold = 0.37;
  std::string train;

  void read(OptionReader& o) {
    o.real("threshold", threshold, 0, std::numeric_limits<double>::infinity(),
           "the smallest gain worth a match");
    o.text("train", train, "a dataset to tune the threshold on, over 0.01..1.00");
    if (o.given("threshold") && o.given("train")) {
      fail(ErrorCode::kUsage, "{}: give either threshold or train, not both", o.owner());
    }
  }
};

class GreedyT : public Policy {
 public:
  explicit GreedyT(const GreedyTOptions& options)
      : threshold_(options.train.empty() ? options.threshold
                                         : tune_threshold(Dataset::load(options.train))),
        policy_({static_cast<float>(threshold_)}) {}

  std::unique_ptr<Batch> begin(std::span<const Opening> openings) const override {
    return policy_.begin(openings);
  }
  std::string resolved_spec() const override {
    return fmt::format("greedy-t(threshold={})", threshold_);
  }

 private:
  double threshold_;
  GreedyThresholds policy_;
};

struct GreedyRtOptions {
  // The gMission base graph's largest weight: brings weights in 0..1 to the scale the paper uses.
  double scale = 18.8736;
  double offset = 0;
  double w_max = 18.8736;
  int first = 0;
  std::string train;

  void read(OptionReader& o) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    o.real("scale", scale, 1e-9, kAny,
           "weights are multiplied by this, since weights below 1 are not served");
    o.real("offset", offset, 0, kAny, "and this is added");
    o.real("w_max", w_max, 0, kAny, "the largest weight after that");
    o.integer("first", first, 0, 100, "the smallest exponent K");
    o.text("train", train, "a dataset to take scale = 1/smallest and w_max from instead");
  }
};

class GreedyRt : public Policy {
 public:
  explicit GreedyRt(GreedyRtOptions options) : options_(std::move(options)) {
    if (!options_.train.empty()) normalise(Dataset::load(options_.train));
    last_ = std::max(options_.first, static_cast<int>(std::ceil(std::log(options_.w_max + 1))) - 1);
  }

  std::unique_ptr<Batch> begin(std::span<const Opening> openings) const override {
    std::vector<float> thresholds;
    for (const Opening& opening : openings) {
      Rng rng = opening.rng;
      const auto choices = static_cast<std::uint64_t>(last_ - options_.first + 1);
      const double k = options_.first + static_cast<double>(rng.below(choices));
      thresholds.push_back(static_cast<float>((std::exp(k) - options_.offset) / options_.scale));
    }
    return std::make_unique<AnyAbove>(std::move(thresholds));
  }

  std::string resolved_spec() const override {
    if (options_.train.empty()) return {};
    return fmt::format("greedy-rt(scale={},offset={},w_max={},first={})", options_.scale,
                       options_.offset, options_.w_max, options_.first);
  }

 private:
  /// Any edge whose gain reaches the episode's threshold, all equally likely.
  class AnyAbove : public EpisodeBatch {
   public:
    explicit AnyAbove(std::vector<float> thresholds) : thresholds_(std::move(thresholds)) {}

   private:
    void score(const State& state, std::size_t episode, std::span<float> row) override {
      row[0] = 0;
      for (std::size_t i = 1; i < row.size(); ++i) {
        row[i] = state.offers()[i - 1].gain >= thresholds_[episode] ? 1 : -1;
      }
    }
    std::vector<float> thresholds_;
  };

  /// The paper's rule for synthetic graphs: divide all weights by the smallest one of the dataset.
  void normalise(const Dataset& past) {
    float smallest = std::numeric_limits<float>::infinity();
    float largest = 0;
    for (std::size_t i = 0; i < past.size(); ++i) {
      const Instance instance = past.instance(i);
      for (int t = 0; t < instance.num_arrivals(); ++t) {
        for (const float weight : instance.arrival(t).weights) {
          if (weight > 0) smallest = std::min(smallest, weight);
          largest = std::max(largest, weight);
        }
      }
    }
    if (largest <= 0) {
      fail(ErrorCode::kData, "{}: greedy-rt needs at least one positive weight", options_.train);
    }
    options_.scale = 1 / static_cast<double>(smallest);
    options_.w_max = static_cast<double>(largest) / static_cast<double>(smallest);
  }

  GreedyRtOptions options_;
  int last_ = 0;
};

}  // namespace

Entry<Policy> greedy_t_policy() {
  return make_entry<Policy, GreedyT, GreedyTOptions>(
      "greedy-t", "the largest gain, if it reaches a threshold, given or tuned on past instances");
}

Entry<Policy> greedy_rt_policy() {
  return make_entry<Policy, GreedyRt, GreedyRtOptions>(
      "greedy-rt", "any edge above a random threshold e^K, drawn once per episode");
}

}  // namespace foresight
