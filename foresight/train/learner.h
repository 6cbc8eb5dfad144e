// What trainers share: an optimiser, a falling learning rate, and rollouts in shards. Derive from
// `Learner`, play with `play_shards`, and learn with `step`.
#pragma once

#include <functional>
#include <optional>

#include "foresight/nn/input_scale.h"
#include "foresight/policy/play.h"
#include "foresight/train/trainer.h"

namespace foresight {

struct LearnerOptions {
  double lr = 0.003;
  double decay = 0.98;
  std::string schedule = "decay";
  double clip = 1.0;
  int batch = 200;
  int standardize = 0;

  void read(OptionReader& o);
};

/// A part of a batch, played and differentiated by one thread, with all its memory.
struct Shard {
  std::unique_ptr<RecordingBatch> model;
  Parameters gradient;
  std::vector<Rollout> rollouts;
  std::size_t number = 0;         // among the batch's shards
  std::size_t first_episode = 0;  // within the batch
  std::size_t episodes = 0;

  // One entry per decision that has a choice, in the order in which the model scored them:
  std::vector<std::size_t> episode;  // within the shard
  std::vector<std::size_t> choice;
  std::vector<int> time;            // number of the arrival
  std::vector<float> gain;          // of the choice
  std::vector<float> observations;  // what Learner::observe added, if anything
  // One entry per row that the model scored, with a choice or without:
  std::vector<std::size_t> entries;
  std::vector<float> scores;         // row after row
  std::vector<float> probabilities;  // softmax of the scores, row after row
  std::vector<float> gradients;      // of the loss with respect to the scores, row after row
};

class Learner : public Trainer {
 public:
  explicit Learner(LearnerOptions options) : options_(options), learning_rate_(options.lr) {}

  void begin(Model& model) override;
  int batch_size() const override { return options_.batch; }
  double learning_rate(double progress) const override;
  bool anneals() const override { return options_.schedule == "cosine"; }
  TrainerState state() const override;
  void restore(const TrainerState& state) override;
  void end_epoch(std::span<const double>) override { learning_rate_ *= options_.decay; }

 protected:
  /// Plays the batch in shards. Then `shards()` holds the rollouts and probabilities.
  void play_shards(const TrainingBatch& batch, Decode decode, Model::Record record);
  /// Calls `differentiate` for each shard, which must add to the shard's gradient. Then clips the
  /// sum and makes a step of the optimiser.
  double step(int threads, const std::function<void(Shard&)>& differentiate);

  /// Called for each decision with a choice, from several threads. A trainer can add its own view
  /// of the state.
  virtual void observe(const State&, std::vector<float>& /*observations*/) const {}

  Model& model() { return *model_; }
  std::span<Shard> shards() { return std::span(shards_).first(num_shards_); }

 private:
  void play(const TrainingBatch& batch, Decode decode, Model::Record record);
  InputScale measure_inputs();
  InputScale input_scale(std::vector<double> means, std::vector<double> deviations) const;

  LearnerOptions options_;
  double learning_rate_;  // of the schedule "decay"
  double progress_ = 0;   // share of the run that is done
  Model* model_ = nullptr;
  std::optional<Adam> adam_;
  bool scales_inputs_ = false;
  std::optional<InputScale> scale_;  // known once the first batch is played
  std::vector<Shard> shards_;
  std::size_t num_shards_ = 0;
};

}  // namespace foresight
