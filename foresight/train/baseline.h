// Baselines: what an episode's cost (minus its value) is compared with, to reduce the variance of
// the policy gradient. Each depends on nothing that the decision it judges has an influence on.
#pragma once

#include <memory>
#include <span>

#include "foresight/train/learner.h"

namespace foresight {

class Baseline {
 public:
  virtual ~Baseline() = default;

  virtual void begin(Model&) {}
  /// Before a batch is differentiated: learns from it, and gets ready for `cost`.
  virtual void prepare(const TrainingBatch& batch, std::span<Shard> shards) = 0;
  /// The cost that was to be expected at a decision of the shard; thread-safe.
  virtual double cost(const Shard& shard, std::size_t decision) const = 0;
  virtual void end_epoch(std::span<const double> /*validation_values*/) {}
  virtual void observe(const State&, std::vector<float>& /*observations*/) const {}

  /// Is `cost` about what comes from the decision on, not about the whole episode?
  virtual bool looks_ahead() const { return false; }

  virtual void save(TrainerState&) const {}
  virtual void restore(const TrainerState&) {}
};

/// The exponential moving average of the batches' mean cost, the current one included; the paper's.
std::unique_ptr<Baseline> make_average_baseline(double beta);

/// What the best model so far, taking its best choices, gets on the same instance (Rennie et al.,
/// 2017; Kool et al., 2019). It is replaced after an epoch whose model is better on the validation
/// set, by a paired t-test at 0.05.
std::unique_ptr<Baseline> make_rollout_baseline();

/// What the other episodes of the same instance cost on average from this arrival on. `rollouts`
/// episodes in a row belong to one instance.
std::unique_ptr<Baseline> make_leave_one_out_baseline(int rollouts);

/// What the nodes that are left could still be worth to the arrivals to come, in hindsight.
/// Arrivals do not depend on decisions, so this control variate is unbiased although it knows the
/// future. For nodes that are matched once and edges that gain their weight.
std::unique_ptr<Baseline> make_hindsight_baseline();

/// A small network that learns to tell the episode's cost from its state.
std::unique_ptr<Baseline> make_critic_baseline();

}  // namespace foresight
