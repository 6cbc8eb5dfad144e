#include "foresight/model/robust.h"

#include <algorithm>
#include <limits>

#include "foresight/base/error.h"
#include "foresight/model/resolve.h"

namespace foresight {
namespace {

struct RobustOptions {
  std::string policy;
  std::string expert = "greedy";
  RobustTerms terms;

  void read(OptionReader& o) {
    o.text("policy", policy, "the learner: a spec, a run folder or a checkpoint");
    o.text("expert", expert, "the policy to fall back on: a spec, a run folder or a checkpoint");
    o.real("rho", terms.rho, 0, 1, "the guaranteed share of the expert's value");
    o.real("wmax", terms.wmax, 0, 1e100,
           "the largest gain that an edge can have; without it, the largest that the learner has "
           "seen in the data it learned from");
  }
};

class Robust : public Policy {
 public:
  Robust(std::shared_ptr<const Policy> learner, std::shared_ptr<const Policy> expert,
         const RobustTerms& terms)
      : learner_(std::move(learner)), expert_(std::move(expert)), terms_(terms) {
    const auto seen = terms_.wmax ? terms_.wmax : learner_->largest_gain();
    if (!seen) {
      fail(ErrorCode::kUsage,
           "robust: the learner does not know how much an edge can gain; give wmax=NUMBER in the "
           "unit of the weights, or a learner that learned from past instances");
    }
    wmax_ = *seen;
  }

  /// The same terms for others.
  Robust(const Robust& robust, std::shared_ptr<const Policy> learner,
         std::shared_ptr<const Policy> expert)
      : learner_(std::move(learner)),
        expert_(std::move(expert)),
        terms_(robust.terms_),
        wmax_(robust.wmax_) {}

  Robust(const RobustOptions& options, Progress& progress)
      : Robust(resolve_learner(options.policy, progress), resolve(options.expert, progress).policy,
               options.terms) {}

  std::optional<Horizon> expectation() const override { return learner_->expectation(); }
  std::optional<double> largest_gain() const override { return learner_->largest_gain(); }
  std::shared_ptr<const Policy> fitted(const Problem& problem,
                                       const Schema& schema) const override {
    check_guaranteed(problem);
    auto learner = learner_->fitted(problem, schema), expert = expert_->fitted(problem, schema);
    if (!learner && !expert) return nullptr;
    return std::make_shared<Robust>(*this, learner ? learner : learner_, expert ? expert : expert_);
  }

 private:
  class RobustBatch;

  static std::shared_ptr<const Policy> resolve_learner(const std::string& text,
                                                       Progress& progress) {
    if (text.empty()) {
      fail(ErrorCode::kUsage,
           "robust: give policy=LEARNER, which is a spec, a run folder or a checkpoint");
    }
    return resolve(text, progress).policy;
  }

  static void check_guaranteed(const Problem& problem) {
    const Traits traits = problem.traits();
    if (traits.additive() && traits.use != Traits::Use::kOther) return;
    fail(ErrorCode::kData,
         "robust can guarantee nothing in problem \"{}\", which has {}; it needs gains that do not "
         "depend on each other, and nodes that are matched once or have budgets",
         problem.name(), describe(traits));
  }

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override;

  std::shared_ptr<const Policy> learner_, expert_;
  RobustTerms terms_;
  double wmax_;  // what an episode begins with
};

class Robust::RobustBatch : public Batch {
 public:
  RobustBatch(const Robust& policy, std::span<const Opening> openings)
      : policy_(policy),
        learner_(policy.learner_->begin(openings)),
        expert_(policy.expert_->begin(openings)),
        wmax_(openings.size(), policy.wmax_) {
    for (const Opening& opening : openings) {
      check_guaranteed(*opening.problem);
      states_.emplace_back(*opening.problem, opening.market);
      Rng rng = opening.rng;
      ties_.emplace_back(rng.next(), Stream::kDecode, 0);
    }
  }

  void score(std::span<const Turn> turns, Scores& scores) override {
    expert_turns_.clear();
    for (const Turn& turn : turns) {
      show(*turn.state, states_[turn.episode], wmax_[turn.episode]);
      expert_turns_.push_back({&states_[turn.episode], turn.episode});
    }
    expert_scores_.resize(expert_turns_);
    expert_scores_.watch(scores.watched());
    expert_->score(expert_turns_, expert_scores_);
    learner_->score(turns, scores);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      State& expert = states_[turns[i].episode];
      const NodeId advice = choose(expert, expert_scores_.row(i), ties_[turns[i].episode]);
      expert.decide(advice);
      restrict(*turns[i].state, expert, advice, wmax_[turns[i].episode], scores.row(i));
    }
  }

 private:
  /// Shows the arrival to the expert. No edge that anybody could take gains more than wmax.
  void show(const State& state, State& expert, double& wmax) const {
    expert.arrive(state.arrival());
    for (const auto& offers : {state.offers(), expert.offers()}) {
      for (const Offer& offer : offers) {
        if (offer.gain <= wmax) continue;
        if (policy_.terms_.wmax) {
          fail(ErrorCode::kData,
               "robust can guarantee nothing: arrival {} has weight {} > wmax={}; give a larger "
               "wmax",
               state.history().arrivals, offer.gain, wmax);
        }
        wmax = offer.gain;
      }
    }
  }

  static NodeId choose(const State& state, std::span<const float> row, Rng& rng) {
    const float best = *std::ranges::max_element(row);
    auto skip = rng.below(static_cast<std::uint64_t>(std::ranges::count(row, best)));
    std::size_t i = 0;
    while (row[i] != best || skip-- > 0) ++i;
    return i == 0 ? kSkip : state.offers()[i - 1].node;
  }

  /// Leaves the safe choices if the one that the learner prefers is safe; otherwise only the
  /// expert's advice.
  void restrict(const State& state, const State& expert, NodeId advice, double wmax,
                std::span<float> row) const {
    double reserved = 0;
    for (NodeId u = 0; u < state.market().num_fixed; ++u) {
      reserved += reserve(expert, u, state.remaining(u), wmax);
    }
    // A guarantee needs the largest number that can still come, not the one to be expected.
    const double left = state.market().horizon.is_known() ? state.to_come()
                                                          : std::numeric_limits<double>::infinity();
    const auto is_safe = [&](double value, double reserve_needed) {
      const double most = std::min(reserve_needed, wmax * left);
      return value >= policy_.terms_.rho * (expert.value() + most);
    };
    const auto offers = state.offers();
    const float preferred = *std::ranges::max_element(row);
    bool follow_learner = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      double value = state.value();
      double needed = reserved;
      if (i > 0) {
        const Offer& offer = offers[i - 1];
        const double ours = state.remaining(offer.node);
        value += offer.gain;
        needed += reserve(expert, offer.node, ours - offer.cost, wmax) -
                  reserve(expert, offer.node, ours, wmax);
      }
      if (!is_safe(value, needed)) {
        row[i] = kNever;
      } else if (row[i] == preferred) {
        follow_learner = true;
      }
    }
    if (follow_learner) return;
    std::ranges::fill(row, kNever);
    const auto advised = std::ranges::find(offers, advice, &Offer::node);
    row[advised == offers.end() ? 0 : static_cast<std::size_t>(advised - offers.begin()) + 1] = 0;
  }

  /// The most that the expert can still earn on node u but we cannot, if we have `ours` of it left.
  static double reserve(const State& expert, NodeId u, double ours, double wmax) {
    const double there = expert.remaining(u);
    if (there <= ours) return 0;
    if (expert.problem().traits().units()) return wmax * (there - ours);
    const double tolerance = kCapacityTolerance * static_cast<double>(expert.capacity(u));
    return std::min(there + tolerance, there - ours + wmax);
  }

  const Robust& policy_;
  std::unique_ptr<Batch> learner_, expert_;
  std::vector<State> states_;  // per episode: the expert's own
  std::vector<Rng> ties_;      // per episode: how the expert breaks ties
  std::vector<double> wmax_;   // per episode
  std::vector<Turn> expert_turns_;
  Scores expert_scores_;
};

std::unique_ptr<Batch> Robust::open(std::span<const Opening> openings) const {
  return std::make_unique<RobustBatch>(*this, openings);
}

}  // namespace

std::unique_ptr<Policy> make_robust(std::shared_ptr<const Policy> learner,
                                    std::shared_ptr<const Policy> expert,
                                    const RobustTerms& terms) {
  return std::make_unique<Robust>(std::move(learner), std::move(expert), terms);
}

Entry<Policy> robust_policy() {
  return make_entry<Policy, Robust, RobustOptions>(
      "robust", "follows a learner while rho x an expert's value stays guaranteed");
}

}  // namespace foresight
