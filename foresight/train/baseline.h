// Baselines. An episode's cost (minus its value) is compared with a baseline, to reduce the
// variance of the policy gradient. The decision that is judged has no influence on its baseline.
//
//   auto baseline = make_leave_one_out_baseline(/*rollouts=*/8);
//   baseline->prepare(batch, shards);
//   const double advantage = cost - baseline->cost(shard, decision);
#pragma once

#include <memory>
#include <span>

#include "foresight/train/learner.h"

namespace foresight {

class Baseline {
 public:
  virtual ~Baseline() = default;

  virtual void begin(Model&) {}
  /// Called before a batch is differentiated. Learns from it and prepares `cost`.
  virtual void prepare(const TrainingBatch& batch, std::span<Shard> shards) = 0;
  /// The expected cost at a decision of the shard. Thread-safe.
  virtual double cost(const Shard& shard, std::size_t decision) const = 0;
  virtual void end_epoch(std::span<const double> /*validation_values*/) {}
  virtual void observe(const State&, std::vector<float>& /*observations*/) const {}

  /// Does `cost` count only what comes from the decision on, not the whole episode?
  virtual bool looks_ahead() const { return false; }

  virtual void save(TrainerState&) const {}
  virtual void restore(const TrainerState&) {}
};

/// The paper's baseline: the exponential moving average of the batches' mean cost, including the
/// current batch.
std::unique_ptr<Baseline> make_average_baseline(double beta);

/// What the best model so far costs on the same instance with its best choices (Rennie et al.,
/// 2017; Kool et al., 2019). It is replaced after an epoch whose model is better on the validation
/// set, by a paired t-test at 0.05.
std::unique_ptr<Baseline> make_rollout_baseline();

/// What the other episodes of the same instance cost on average from this arrival on. Each group of
/// `rollouts` consecutive episodes belongs to one instance.
std::unique_ptr<Baseline> make_leave_one_out_baseline(int rollouts);

/// What the remaining nodes could still be worth to the arrivals to come, in hindsight. Arrivals do
/// not depend on decisions, so this control variate is unbiased although it knows the future. Only
/// for nodes that are matched once and edges that gain their weight.
std::unique_ptr<Baseline> make_hindsight_baseline();

/// A small network that learns to estimate the episode's cost from its state. Its tape has so many
/// bytes.
std::unique_ptr<Baseline> make_critic_baseline(double tape_bytes);

}  // namespace foresight
