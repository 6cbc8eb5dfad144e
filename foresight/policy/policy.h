// Policies score what each arrival could be matched to, for a batch of episodes at a time.
//
// A policy is const while it decides. What it remembers about its episodes is in the Batch that it
// opens. Masking, arg-max and sampling are the same for every policy, in play.cpp.
//
//   auto policy = fit(policies().make("greedy-t(threshold=0.3)"), data.problem(), data.schema());
//   auto batch = policy->begin(openings);    // keeps the policy alive
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foresight/base/progress.h"
#include "foresight/base/registry.h"
#include "foresight/base/rng.h"
#include "foresight/data/source.h"
#include "foresight/problem/state.h"

namespace foresight {

/// What a policy is given when an episode begins.
struct Opening {
  const Problem* problem;
  Market market;
  Rng rng;                             // the policy's own stream for this episode
  const Progress* progress = nullptr;  // if set, for policies that take long to begin
};

/// One episode of a batch that waits for a decision.
struct Turn {
  const State* state;
  std::size_t episode;  // its position in the batch
};

/// The score of what must never be chosen. Skipping has another one, so something can always be chosen.
inline constexpr float kNever = -std::numeric_limits<float>::infinity();

/// The scores of one step. There is a row per turn, with the score of skipping and then the score
/// of each offer, in the order of `State::offers()`. The highest score is chosen. When sampling,
/// scores are log-odds.
class Scores {
 public:
  /// Makes room for the offers of these turns.
  void resize(std::span<const Turn> turns);

  std::size_t size() const { return begin_.size() - 1; }

  /// Slow policies call `check_cancelled` between two states. It throws Error(kCancelled) if
  /// interrupted.
  void watch(const Progress* progress) { progress_ = progress; }
  const Progress* watched() const { return progress_; }
  void check_cancelled() const;
  std::span<float> row(std::size_t turn) {
    return std::span(values_).subspan(begin_[turn], begin_[turn + 1] - begin_[turn]);
  }

 private:
  std::vector<float> values_;
  std::vector<std::size_t> begin_{0};
  const Progress* progress_ = nullptr;
};

class Policy;

/// A policy at work on a batch of episodes. Used by one thread.
class Batch {
 public:
  virtual ~Batch() = default;
  virtual void score(std::span<const Turn> turns, Scores& scores) = 0;

 private:
  friend class Policy;
  std::shared_ptr<const Policy> policy_;  // the one that opened it, to which a batch may refer
};

/// Immutable; safe to use from many threads.
class Policy : public std::enable_shared_from_this<Policy> {
 public:
  virtual ~Policy() = default;

  /// A batch keeps its policy alive if a shared pointer owns that, as for policies of a registry.
  /// Any other policy must outlive its batches.
  std::unique_ptr<Batch> begin(std::span<const Opening> openings) const {
    return keeping_this(open(openings));
  }

  /// This policy for data of that kind: null if it can be used as it is, else an adapted policy.
  /// Throws Error(kData) that says why if it cannot decide there. See `fit`.
  virtual std::shared_ptr<const Policy> fitted(const Problem& /*problem*/,
                                               const Schema& /*schema*/) const {
    return nullptr;
  }

  /// A spec that makes this policy without reading a training file again, e.g. with the tuned
  /// threshold filled in. Empty if the spec it was made from is such a spec.
  virtual std::string resolved_spec() const { return {}; }

  /// How many arrivals it learned to expect; nothing if it did not learn that. Where it is told an
  /// expectation, its own comes first.
  virtual std::optional<Horizon> expectation() const { return std::nullopt; }

  /// The largest gain of an edge in the data that it learned from; nothing if it learned from none.
  virtual std::optional<double> largest_gain() const { return std::nullopt; }

  /// Does it solve programs while it decides? Then a decision takes milliseconds, not microseconds.
  virtual bool solves() const { return false; }

  /// The spec of the source whose law of arrivals it knows; empty if it knows none.
  virtual std::string known_source() const { return {}; }

 protected:
  template <typename AnyBatch>
  std::unique_ptr<AnyBatch> keeping_this(std::unique_ptr<AnyBatch> batch) const {
    static_cast<Batch&>(*batch).policy_ = weak_from_this().lock();
    return batch;
  }

 private:
  virtual std::unique_ptr<Batch> open(std::span<const Opening> openings) const = 0;
};

/// The policy fitted to data of that kind. Throws Error(kData) if it cannot decide there.
std::shared_ptr<const Policy> fit(std::shared_ptr<const Policy> policy, const Problem& problem,
                                  const Schema& schema);

/// What a policy is told of the number of arrivals where data says this, or a person insists on it.
/// The optimal policy is always told the number, so that it stays a bound for all others.
inline Horizon told_to(const Policy& policy, const Horizon& horizon, bool insisted) {
  if (!policy.known_source().empty()) return {};
  const bool own = horizon.is_expected() && !insisted;
  return own ? policy.expectation().value_or(horizon) : horizon;
}

/// A batch whose episodes are scored one by one, each independent of the others.
class EpisodeBatch : public Batch {
 public:
  void score(std::span<const Turn> turns, Scores& scores) final;

 protected:
  /// Fills `row`: the score of skipping, then of each of the state's offers.
  virtual void score(const State& state, std::size_t episode, std::span<float> row) = 0;

  /// For policies that take long over one state; throws Error(kCancelled) when interrupted.
  void check_cancelled() const { scores_->check_cancelled(); }

 private:
  const Scores* scores_ = nullptr;  // those that are being filled
};

/// All policies.
Registry<Policy>& policies();

}  // namespace foresight
