// What trainers share: an optimiser, a falling learning rate, and rollouts in shards. Derive from
// `Learner`, play with `play_shards`, and learn with `step`.
//
// What a model computes for the backward pass is kept on tapes, which together have a fixed size
// (the option `tape`). If a shard's rows fit on its tape, one backward pass runs over all of them.
// If not, the first play keeps only a few numbers per decision. Once the loss is known, the shard is
// played again with the same decisions, and the gradient is computed piece by piece, each time the
// tape is full. Which shards fit, and where pieces end, depends on the options, the data and the
// parameters, but not on threads or on the machine.
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
  int batch = 0;
  int usual_episodes = 200;  // per update, where the data is plenty and episodes are short
  int standardize = 0;
  double tape = 1024;

  void read(OptionReader& o);
};

/// The number of instances per update that suits the data: usually `usual`. An update has at most
/// about 40,000 decisions, but at least two episodes; and an epoch has at least about 8 updates, of
/// at least two instances.
int fitting_batch(int usual, std::uint64_t instances, double arrivals, int rollouts);

/// A decision: what is kept of it until the update is done.
struct Decision {
  std::uint32_t episode;  // within the shard
  std::uint32_t choice;   // the entry that was taken
  std::int32_t time;      // number of the arrival
  float gain;             // of the choice, in the model's units
  float best;             // the highest score
};

/// A part of a batch, played and differentiated by one thread, with all its memory.
struct Shard {
  std::unique_ptr<RecordingBatch> model;
  Parameters gradient;
  std::vector<Rollout> rollouts;
  std::vector<double> values;     // of the rollouts, in the model's units of the gain
  std::size_t number = 0;         // among the batch's shards
  std::size_t first_episode = 0;  // within the batch
  std::size_t episodes = 0;

  /// In the order in which the model scored them: those that have a choice, or all if every output
  /// of the model is recorded.
  std::vector<Decision> decisions;
  std::vector<float> observations;  // what Learner::observe added, if anything

  // The tape, besides what the model keeps of it.
  bool whole = true;                   // it holds all rows of the play
  std::vector<std::uint32_t> entries;  // per row that the model scored, with a choice or without
  std::vector<float> scores;           // row after row, unless every output is recorded
  std::vector<float> gradients;        // of the loss with respect to the scores or outputs
  std::size_t num_entries = 0;         // of all rows together

  // What the backward pass found.
  double loss = 0;
  double entropy = 0;
  std::int64_t pieces = 0;
  std::int64_t rows = 0;  // of the network
};

/// The row of a decision while it is on the tape.
struct DecisionRow {
  std::size_t decision;                  // its place in the shard's list
  std::span<const float> scores;         // or the outputs for skip and every fixed node
  std::span<const float> probabilities;  // softmax of the scores; empty for outputs
  std::span<float> gradient;             // to be filled; it is 0 at first
};

class Learner : public Trainer {
 public:
  explicit Learner(LearnerOptions options) : options_(options), learning_rate_(options.lr) {}

  void begin(Model& model) override;
  void keep_parameters() override { drawn_ = false; }
  int batch_size() const override;
  void fit_batch(std::uint64_t instances, double arrivals) override;
  void retreat() override;
  double learning_rate(double progress) const override;
  bool anneals() const override { return options_.schedule == "cosine"; }
  TrainerState state() const override;
  void restore(const TrainerState& state) override;
  void end_epoch(std::span<const double>) override { learning_rate_ *= options_.decay; }

 protected:
  /// Plays the batch in shards. Then `shards()` holds the rollouts and decisions.
  void play_shards(const TrainingBatch& batch, Decode decode, Model::Record record);

  /// Returns the loss of a decision, and fills in its gradient. Called from several threads.
  using Loss = std::function<double(const Shard& shard, const DecisionRow& row)>;
  /// Differentiates the sum of all losses, clips the gradient and makes a step of the optimiser.
  /// Then the shards hold the sums of losses and entropies. The batch must be the one played.
  UpdateStats step(const TrainingBatch& batch, const Loss& loss);

  /// Called for each decision, from several threads. A trainer can add its own view of the state.
  virtual void observe(const State&, std::vector<float>& /*observations*/) const {}

  Model& model() { return *model_; }
  std::span<Shard> shards() { return std::span(shards_).first(num_shards_); }
  std::span<const Shard> shards() const { return std::span(shards_).first(num_shards_); }
  int setbacks() const { return setbacks_; }                         // how often it had to retreat
  double tape_bytes() const { return options_.tape * 1024 * 1024; }  // of all shards together

 private:
  class Tape;
  /// What happens when a tape is full, before its rows are forgotten.
  using OnFull = std::function<void()>;

  void play(const TrainingBatch& batch, Decode decode);
  std::vector<Rollout> play(const TrainingBatch& batch, Shard& shard, PlayOptions options,
                            const OnFull& on_full);
  void for_each_piece(const TrainingBatch& batch, Shard& shard, const std::function<void()>& visit);
  void differentiate(Shard& shard, const Loss& loss, std::size_t& decision) const;
  InputScale measure_inputs(const TrainingBatch& batch);
  InputScale input_scale(std::vector<double> means, std::vector<double> deviations) const;
  std::optional<RecordingBatch::Input> largest_input(const TrainingBatch& batch);
  int usual_batch() const;
  [[noreturn]] void fail_diverged(const std::string& what,
                                  const std::optional<RecordingBatch::Input>& largest) const;

  LearnerOptions options_;
  int fitted_batch_ = 0;  // instances per update, if the data was seen
  double learning_rate_;  // of the schedule "decay"
  double progress_ = 0;   // share of the run that is done
  Model* model_ = nullptr;
  std::optional<Adam> adam_;
  int setbacks_ = 0;
  bool drawn_ = true;  // are the first parameters meant for standardised inputs?
  bool scales_inputs_ = false;
  std::optional<InputScale> scale_;  // known once the first batch is played
  Model::Record record_ = Model::Record::kChoices;
  std::vector<Shard> shards_;
  std::size_t num_shards_ = 0;
  std::size_t share_ = 0;  // bytes of a shard's tape
};

}  // namespace foresight
