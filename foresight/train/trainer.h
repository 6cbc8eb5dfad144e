// Trainers turn a batch of past instances into one step of learning.
//
//   auto trainer = trainers().make("reinforce(lr=0.006,decay=0.97)");
//   trainer->begin(model);
//   UpdateStats stats = trainer->update({bind_instances(problem, instances), labels, seed});
//
// A batch is cut into shards of fixed size. One thread plays and differentiates each shard, and
// gradients are added in the order of the shards. So the result does not depend on the number of
// threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foresight/base/registry.h"
#include "foresight/model/model.h"
#include "foresight/nn/adam.h"
#include "foresight/problem/bound.h"

namespace foresight {

struct TrainingBatch {
  BoundInstances instances;
  std::span<const Label> labels;  // one per instance, for trainers that need them
  std::uint64_t seed = 0;
  std::uint64_t first_index = 0;  // number of the first episode among all episodes of the run
  int threads = 0;
  double progress = 0;  // share of the whole run that is done, for schedules
  const Progress* watched =
      nullptr;  // if set, cancelling it ends the update with Error(kCancelled)
};

/// The statistics of one update.
struct UpdateStats {
  double mean_value = 0;  // of the episodes played
  double entropy = 0;     // per episode, summed over its decisions
  double loss = 0;
  double gradient_norm = 0;  // before clipping
  std::int64_t decisions = 0;
  std::int64_t rows = 0;    // that passed through the network and back
  std::int64_t pieces = 0;  // backward passes: one per shard, or more if it did not fit its tape
};

/// Everything that an interrupted run needs to continue.
struct TrainerState {
  Adam::State adam;
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> arrays;  // exact also for floats

  /// These throw Error(kData) if it is not there or does not fit. An array is copied into `to`.
  double number(const std::string& name) const;
  std::int64_t count(const std::string& name) const;  // a whole number, 0 or more
  void copy(const std::string& name, std::span<float> to) const;
};

class Trainer {
 public:
  virtual ~Trainer() = default;

  /// The model to train; it must outlive the trainer.
  virtual void begin(Model& model) = 0;
  /// Called after `begin` if the parameters are those of a trained model, not drawn ones.
  virtual void keep_parameters() {}
  virtual UpdateStats update(const TrainingBatch& batch) = 0;
  /// Called when the model has fallen behind and was given back its best parameters. From now on it
  /// makes smaller steps, and explores more.
  virtual void retreat() = 0;
  /// Called after each pass over the data, with the model's values on the validation set.
  virtual void end_epoch(std::span<const double> validation_values) = 0;

  virtual bool needs_labels() const { return false; }
  /// Instances per update. `fit_batch` chooses them for data of so many instances per epoch, with
  /// so many arrivals each on average, unless the trainer's options give them. Call it before the
  /// first update, or not at all.
  virtual int batch_size() const = 0;
  virtual void fit_batch(std::uint64_t /*instances*/, double /*arrivals*/) {}
  virtual int episodes_per_instance() const { return 1; }
  /// The learning rate when this share of the run is done.
  virtual double learning_rate(double progress) const = 0;
  /// Does the learning rate fall to 0 at the end of the run? Then late models are better than their
  /// validation ratios show.
  virtual bool anneals() const { return false; }
  /// Does an epoch depend on the number of epochs in all?
  virtual bool depends_on_length() const { return anneals(); }
  virtual TrainerState state() const = 0;
  virtual void restore(const TrainerState& state) = 0;
};

/// All trainers.
Registry<Trainer>& trainers();

/// The spec, with options that are not given filled in from the model's own trainer (its
/// TrainingPlan). An empty spec gives that trainer.
std::string trainer_for(const std::string& model_spec, const std::string& trainer_spec);

/// The same with these options, whatever the spec says about them. Throws Error(kUsage) if there is
/// no such trainer or option, or if a value is out of range.
std::string trainer_with(const std::string& model_spec, const std::string& trainer_spec,
                         const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace foresight
