// Policies: they score what each arrival could be matched to, for a batch of episodes at a time.
//
// A policy is const while it decides; what it remembers about its episodes lives in the Batch it
// opens. Masking, arg-max and sampling are done once, in play.cpp, for every policy alike.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foresight/base/registry.h"
#include "foresight/base/rng.h"
#include "foresight/problem/state.h"

namespace foresight {

/// What a policy is given when an episode begins.
struct Opening {
  Market market;
  Rng rng;  // the policy's own stream for this episode
};

/// One episode of a batch that awaits a decision.
struct Turn {
  const State* state;
  std::size_t episode;  // its position in the batch
};

/// The scores of one step: a row per turn, holding the score of skipping and then that of each
/// offer, in the order of `State::offers()`. The highest score is chosen; sampling takes them as
/// log-odds.
class Scores {
 public:
  /// Makes room for the offers of these turns.
  void resize(std::span<const Turn> turns);

  std::size_t size() const { return begin_.size() - 1; }
  std::span<float> row(std::size_t turn) {
    return std::span(values_).subspan(begin_[turn], begin_[turn + 1] - begin_[turn]);
  }

 private:
  std::vector<float> values_;
  std::vector<std::size_t> begin_{0};
};

/// A policy at work on a batch of episodes. Used by one thread.
class Batch {
 public:
  virtual ~Batch() = default;
  virtual void score(std::span<const Turn> turns, Scores& scores) = 0;
};

/// Immutable; safe to use from many threads.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::unique_ptr<Batch> begin(std::span<const Opening> openings) const = 0;

  /// The spec that makes this policy without reading any training file again, e.g. with a tuned
  /// threshold filled in. Empty where the spec it was made from says it all.
  virtual std::string resolved_spec() const { return {}; }
};

/// A batch whose episodes are scored one by one, each independent of the others.
class EpisodeBatch : public Batch {
 public:
  void score(std::span<const Turn> turns, Scores& scores) final;

 protected:
  /// Fills `row`: the score of skipping, then of each of the state's offers.
  virtual void score(const State& state, std::size_t episode, std::span<float> row) = 0;
};

/// Every policy there is.
Registry<Policy>& policies();

}  // namespace foresight
