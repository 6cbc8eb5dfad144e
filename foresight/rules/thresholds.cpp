// Greedy with a threshold:
//   greedy-t   the largest gain, if it reaches a threshold tuned on past instances (the paper's
//              Algorithm "greedy-t")
//   greedy-rt  any edge that reaches a threshold e^K, K drawn at random per episode (Ting and
//              Xiang, 2014; the paper's Algorithm "greedy-rt")
// A threshold is in the unit of the gains. So it is learned or given, and there is no default.
#include "foresight/rules/thresholds.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "foresight/base/error.h"
#include "foresight/rules/past_internal.h"

namespace foresight {
namespace {

using internal::Past;

/// The largest gain that reaches a threshold. Episode i uses threshold i mod n, so that one batch
/// can try n thresholds on the same instance.
class GreedyThresholds : public Policy {
 public:
  explicit GreedyThresholds(std::vector<float> thresholds) : thresholds_(std::move(thresholds)) {}

  std::unique_ptr<Batch> open(std::span<const Opening>) const override {
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
        row[i] = gain >= threshold && gain > 0 ? gain : kNever;
      }
    }
    std::span<const float> thresholds_;
  };

  std::vector<float> thresholds_;
};

/// The paper's thresholds, for weights between 0 and 1.
std::vector<float> hundredths() {
  std::vector<float> thresholds;
  for (int percent = 1; percent <= 100; ++percent) {
    thresholds.push_back(static_cast<float>(percent) / 100);
  }
  return thresholds;
}

/// About a hundred thresholds for any unit: 0, which lets all pass, and quantiles of past gains. Half
/// of them are evenly spread. The others come ever closer to the largest gain, for pasts in which
/// few of many arrivals can be matched.
std::vector<float> quantiles(const Past& past) {
  constexpr int kEven = 64, kPerOctave = 4;
  const auto gains = internal::sorted_sample(past, [](const Offer& offer) { return offer.gain; });
  std::vector<float> thresholds = {0};
  const auto add = [&](double share_above) {
    const auto above = static_cast<std::size_t>(share_above * static_cast<double>(gains.size()));
    if (above > 0) thresholds.push_back(gains[gains.size() - above]);
  };
  for (int i = kEven; i >= 1; --i) add(static_cast<double>(i) / kEven);
  for (int i = 1; i < kPerOctave * 16; ++i) add(std::exp2(-1.0 * i / kPerOctave) / kEven);
  thresholds.erase(std::ranges::unique(thresholds).begin(), thresholds.end());
  return thresholds;
}

/// The shortest number that names this threshold exactly.
std::string exact_text(float threshold) {
  const std::string text = fmt::to_string(threshold);
  const bool exact = static_cast<float>(std::strtod(text.c_str(), nullptr)) == threshold;
  return exact ? text : fmt::to_string(static_cast<double>(threshold));
}

struct GreedyTOptions {
  std::optional<double> threshold;
  std::string train;
  std::string candidates = "quantiles";

  void read(OptionReader& o) {
    o.real("threshold", threshold, 0, std::numeric_limits<double>::infinity(),
           "the smallest gain worth a match, in the unit of the gains");
    o.text("train", train, "dataset to tune the threshold on");
    o.choice("candidates", candidates, {"quantiles", "hundredths"},
             "the thresholds to try: quantiles of the gains in train, or the paper's 0.01..1.00");
    if (o.given("threshold") && (o.given("train") || o.given("candidates"))) {
      fail(ErrorCode::kUsage, "{}: give either threshold or train, not both", o.owner());
    }
  }
};

class GreedyT : public Policy {
 public:
  GreedyT(const GreedyTOptions& options, Progress& progress)
      : GreedyT(Past("greedy-t", options.train, Past::Sizes::kAny), options, progress) {}

  GreedyT(Past past, const GreedyTOptions& options, Progress& progress)
      : past_(std::move(past)),
        threshold_(find_threshold(options, progress)),
        policy_({threshold_}) {}

  std::optional<double> largest_gain() const override { return past_.largest_gain(); }
  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    past_.check(schema);
    return nullptr;
  }

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    return policy_.begin(openings);
  }
  std::string resolved_spec() const override {
    return fmt::format("greedy-t(threshold={})", exact_text(threshold_));
  }

 private:
  float find_threshold(const GreedyTOptions& options, Progress& progress) const {
    if (options.threshold) return static_cast<float>(*options.threshold);
    if (past_.size() == 0) {
      fail(ErrorCode::kUsage,
           "greedy-t: give train=FILE to tune the threshold on past instances, or "
           "threshold=NUMBER in the unit of the weights");
    }
    const auto thresholds = options.candidates == "hundredths" ? hundredths() : quantiles(past_);
    return thresholds[internal::best_setting(past_, GreedyThresholds(thresholds), thresholds.size(),
                                             progress)];
  }

  Past past_;
  float threshold_;
  GreedyThresholds policy_;
};

struct GreedyRtOptions {
  std::optional<double> scale, w_max;
  double offset = 0;
  int first = 0;
  std::string train;

  void read(OptionReader& o) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    o.real("scale", scale, kAboveZero, kAny,
           "weights are multiplied by this, because edges of weight below 1 are never taken");
    o.real("offset", offset, 0, kAny, "this is added to the scaled weights");
    o.real("w_max", w_max, 0, kAny, "the largest weight after scale and offset");
    o.integer("first", first, 0, 100, "the smallest exponent K");
    o.text("train", train, "dataset that gives scale = 1/smallest weight, and w_max");
    if (o.given("train") && (o.given("scale") || o.given("w_max"))) {
      fail(ErrorCode::kUsage, "{}: give either scale and w_max or train, not both", o.owner());
    }
  }
};

class GreedyRt : public Policy {
 public:
  explicit GreedyRt(const GreedyRtOptions& options)
      : offset_(options.offset),
        first_(options.first),
        past_("greedy-rt", options.train, Past::Sizes::kAny) {
    if (past_.size() > 0) {
      normalise();
    } else if (options.scale && options.w_max) {
      scale_ = *options.scale;
      w_max_ = *options.w_max;
    } else {
      fail(ErrorCode::kUsage,
           "greedy-rt: give train=FILE to take scale and w_max from past instances, or "
           "scale=NUMBER and w_max=NUMBER that fit the unit of the weights");
    }
    last_ = std::max(first_, static_cast<int>(std::ceil(std::log(w_max_ + 1))) - 1);
  }

  std::optional<double> largest_gain() const override { return past_.largest_gain(); }
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    std::vector<float> thresholds;
    for (const Opening& opening : openings) {
      Rng rng = opening.rng;
      const double k =
          first_ + static_cast<double>(rng.below(static_cast<std::uint64_t>(last_ - first_ + 1)));
      thresholds.push_back(static_cast<float>((std::exp(k) - offset_) / scale_));
    }
    return std::make_unique<AnyAbove>(std::move(thresholds));
  }

  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    past_.check(schema);
    return nullptr;
  }

  std::string resolved_spec() const override {
    return fmt::format("greedy-rt(scale={},offset={},w_max={},first={})", scale_, offset_, w_max_,
                       first_);
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
        row[i] = state.offers()[i - 1].gain >= thresholds_[episode] ? 1 : kNever;
      }
    }
    std::vector<float> thresholds_;
  };

  /// The paper's rule for synthetic graphs: divide all weights by the smallest one of the dataset.
  void normalise() {
    float smallest = std::numeric_limits<float>::infinity();
    float largest = 0;
    for (std::size_t i = 0; i < past_.size(); ++i) {
      internal::visit_edges(past_.problem(), past_.instance(i), [&](const Offer& offer) {
        smallest = std::min(smallest, offer.gain);
        largest = std::max(largest, offer.gain);
      });
    }
    if (largest <= 0) {
      fail(ErrorCode::kData, "{}: greedy-rt needs at least one edge that gains something",
           past_.file());
    }
    scale_ = 1 / static_cast<double>(smallest);
    w_max_ = static_cast<double>(largest) / static_cast<double>(smallest);
  }

  double scale_ = 1, offset_, w_max_ = 0;
  int first_, last_ = 0;
  Past past_;
};

}  // namespace

std::shared_ptr<const Policy> tuned_greedy_t(const BoundDataset& past, Progress& progress) {
  Past instances("greedy-t", "past instances", past, Past::Sizes::kAny);
  return std::make_shared<GreedyT>(std::move(instances), GreedyTOptions(), progress);
}

Entry<Policy> greedy_t_policy() {
  return make_entry<Policy, GreedyT, GreedyTOptions>(
      "greedy-t", "the largest gain, if it reaches a threshold, given or tuned on past instances");
}

Entry<Policy> greedy_rt_policy() {
  return make_entry<Policy, GreedyRt, GreedyRtOptions>(
      "greedy-rt", "any edge above a random threshold e^K, drawn once per episode");
}

}  // namespace foresight
