// Models: policies with parameters that are learned.
//
//   const auto model = models().make("inv-ff-hist(hidden=100)")->build(context);
//   model->set_parameters(model->initial_parameters(rng));
//
// An `Architecture` (what a spec such as "inv-ff-hist(hidden=100)" names) becomes a `Model` for one
// problem, size and set of columns. A model is a policy like any other. For training it opens a
// batch that records on a tape what it computed. Then a backward pass over the tape gives the
// gradient, of the whole rollout or of a piece of it.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foresight/data/source.h"
#include "foresight/model/fit.h"
#include "foresight/nn/parameters.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/units.h"

namespace foresight {

class Feed;
class Mlp;
class Network;

/// What a model is built for.
struct ModelContext {
  Schema schema;             // the problem, and the names of attributes and topics
  NodeId num_fixed = 0;      // models that see all fixed nodes at once work only with this many
  ColumnPlaces places = {};  // the positions of those attributes and topics in the data
  Units units = {};          // in which it sees gains, costs and amounts
  AttributeUnits attributes = {};  // and attributes, if no trainer standardises them
  double largest_gain = 0;         // in the training data; 0 if that is not known

  /// The traits of the schema's problem.
  Traits traits() const;
  /// Does a fixed node have an amount that is left, and not only whether it is matched?
  bool amounts() const { return schema.capacities || traits().amounts(); }

  /// A file holds only so many numbers: a model that needs more is refused before it takes memory.
  double most_parameters = std::numeric_limits<double>::infinity();
  /// Throws Error(kData) if these are too many.
  void check_parameters(double count) const;
};

/// A batch that keeps what `score` computed on a tape. Rows are numbered over all steps on the tape,
/// in the order in which `score` saw their turns.
class RecordingBatch : public Batch {
 public:
  /// Forgets everything and begins with other episodes, in the same memory.
  virtual void restart(std::span<const Opening> openings) = 0;

  /// Empties the tape. The episodes go on, and later rows are those that they would be anyway. So
  /// the gradients of all pieces of a rollout add up to the gradient of the whole.
  virtual void forget_rows() = 0;

  /// Adds the gradient of sum(score_gradients * scores) over all rows on the tape.
  /// `score_gradients` lists the rows one after the other, each as long as its scores.
  virtual void backward(std::span<const float> score_gradients, Parameters& gradient) = 0;

  /// The rows of the network on the tape.
  virtual std::size_t rows() const = 0;

  /// The bytes of the rows on the tape, with all that belongs to them; and the bytes that scoring
  /// this state adds, or somewhat more. What a model remembers of its episodes does not count, nor
  /// does memory of a fixed size.
  virtual std::size_t bytes() const = 0;
  virtual std::size_t bytes_for(const State& state) const = 0;

  /// The raw outputs of a row, for skip and every fixed node, masked or not; and the backward pass
  /// from their gradients. For imitation, and only for models that have such outputs.
  virtual std::span<const float> outputs(std::size_t row) const;
  virtual void backward_outputs(std::span<const float> output_gradients, Parameters& gradient);

  /// Adds every input on the tape to the moments of its column, one per feature. Only for models
  /// that have a `perceptron`.
  virtual void add_inputs(std::span<Moments> columns);

  /// The input on the tape that is furthest from 0. Where a network fails, it says why.
  struct Input {
    std::string column;
    float value = 0;
  };
  virtual std::optional<Input> largest_input() const { return std::nullopt; }
};

class Model : public Policy {
 public:
  virtual const Parameters& parameters() const = 0;
  /// The layout must be that of `parameters()`. Do not call it while another thread uses the model.
  virtual void set_parameters(const Parameters& parameters) = 0;
  /// Draws fresh parameters.
  virtual Parameters initial_parameters(Rng& rng) const = 0;

  /// The scores of a value model are values (gain plus the worth of what is left, in units of the
  /// gain) divided by this. It is 0 for other models.
  virtual double temperature() const { return 0; }

  /// The units in which it sees the world, and in which trainers measure what it gains.
  const Units& units() const { return context_.units; }

  /// The perceptron whose first layer takes the features unchanged, if there is one.
  virtual const Mlp* perceptron() const { return nullptr; }

  /// How errors call it: "model ff-hist".
  std::string title() const { return "model " + name_; }

  /// Names of the input columns, kept in checkpoints.
  virtual std::vector<std::string> features() const = 0;

  /// The problem, and the names of the attributes and topics that the model sees.
  virtual Schema needs() const {
    return {.problem = context_.schema.problem,
            .capacities = context_.schema.capacities,
            .costs = context_.schema.costs};
  }

  std::optional<Horizon> expectation() const override {
    const Horizon& learned = context_.schema.horizon;
    return learned.is_expected() ? std::optional(learned) : std::nullopt;
  }

  std::optional<double> largest_gain() const override {
    return context_.largest_gain > 0 ? std::optional(context_.largest_gain) : std::nullopt;
  }

  /// This model, or one that reads the data's columns from other positions.
  std::shared_ptr<const Policy> fitted(const Problem& problem, const Schema& schema) const final;

  /// What to record. Decisions without a choice (only skip is possible) have probability 1 and no
  /// gradient, so they are computed only for kOutputs.
  enum class Record { kChoices, kOutputs };
  /// The batch keeps the model alive, as with `begin`.
  std::unique_ptr<RecordingBatch> record(std::span<const Opening> openings, Record what) const {
    return keeping_this(open_recording(openings, what));
  }

  /// The model as other programs can run it, and its inputs there in an episode of this market. The
  /// network's scores are those of `Batch::score` wherever there is a choice.
  virtual Network network() const = 0;
  virtual std::unique_ptr<Feed> feed(const Market& market) const = 0;

 private:
  friend class Architecture;
  virtual std::unique_ptr<RecordingBatch> open_recording(std::span<const Opening> openings,
                                                         Record what) const = 0;

  std::string name_;  // of its architecture
  ModelContext context_;
  std::function<std::shared_ptr<Model>(const ModelContext&)> rebuild_;
};

/// How a model is trained by default.
struct TrainingPlan {
  std::string trainer = "reinforce";  // a spec, as tuned for the model

  /// Its place in `train auto`, if it has one.
  struct Automatic {
    bool same_nodes = false;  // only if the fixed nodes are the same in all instances
    /// Trainers to try it with: specs, where options not given are those of `trainer`.
    std::vector<std::string> variants = {""};
  };
  std::optional<Automatic> automatic = {};
};

class Architecture : public std::enable_shared_from_this<Architecture> {
 public:
  virtual ~Architecture() = default;

  std::shared_ptr<Model> build(const ModelContext& context) const;
  const TrainingPlan& plan() const { return plan_; }

 protected:
  Architecture(std::string name, TrainingPlan plan)
      : name_(std::move(name)), plan_(std::move(plan)) {}

 private:
  virtual std::unique_ptr<Model> make(const ModelContext& context) const = 0;

  std::string name_;
  TrainingPlan plan_;
};

/// An entry for a model made of its options and a function `build(options, context)`. The plan says
/// its trainer and its place in `train auto`.
template <typename Options, auto kBuild>
Entry<Architecture> make_architecture(std::string name, std::string summary,
                                      TrainingPlan plan = {}) {
  class Made : public Architecture {
   public:
    Made(std::string own_name, TrainingPlan own_plan, Options options)
        : Architecture(std::move(own_name), std::move(own_plan)), options_(std::move(options)) {}

   private:
    std::unique_ptr<Model> make(const ModelContext& context) const override {
      return kBuild(options_, context);
    }
    Options options_;
  };
  return {name, std::move(summary), [](OptionReader& reader) { Options().read(reader); },
          [name, plan = std::move(plan)](OptionReader& reader) -> std::shared_ptr<Architecture> {
            Options options;
            options.read(reader);
            reader.finish();
            return std::make_shared<Made>(name, plan, std::move(options));
          }};
}

/// All models: ff, ff-hist, ff-supervised, inv-ff, inv-ff-hist, ...
Registry<Architecture>& models();

}  // namespace foresight
