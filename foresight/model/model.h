// Models: policies with parameters that are learned.
//
//   const auto model = models().make("inv-ff-hist(hidden=100)")->build(context);
//   model->set_parameters(model->initial_parameters(rng));
//
// An `Architecture` (what a spec such as "inv-ff-hist(hidden=100)" names) becomes a `Model` for one
// problem, size and set of columns. A model is a policy like any other. For training it opens a
// batch that records what it computed. Then one backward pass over the whole rollout gives the
// gradient.
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

namespace foresight {

class Feed;
class Mlp;
class Network;

/// What a model is built for.
struct ModelContext {
  Schema schema;             // the problem, and the names of attributes and topics
  NodeId num_fixed = 0;      // models that see all fixed nodes at once work only with this many
  ColumnPlaces places = {};  // the positions of those attributes and topics in the data

  /// The traits of the schema's problem.
  Traits traits() const;
  /// Does a fixed node have an amount that is left, and not only whether it is matched?
  bool amounts() const { return schema.capacities || traits().amounts(); }

  /// A file holds only so many numbers: a model that needs more is refused before it takes memory.
  double most_parameters = std::numeric_limits<double>::infinity();
  /// Throws Error(kData) if these are too many.
  void check_parameters(double count) const;
};

/// A batch that remembers what `score` computed. Rows are numbered over all steps, in the order in
/// which `score` saw their turns.
class RecordingBatch : public Batch {
 public:
  /// Forgets everything and begins with other episodes, in the same memory.
  virtual void restart(std::span<const Opening> openings) = 0;

  /// Adds the gradient of sum(score_gradients * scores) over all rows since the batch was opened.
  /// `score_gradients` lists the rows one after the other, each as long as its scores.
  virtual void backward(std::span<const float> score_gradients, Parameters& gradient) = 0;

  /// The raw outputs of a row, for skip and every fixed node, masked or not; and the backward pass
  /// from their gradients. For imitation, and only for models that have such outputs.
  virtual std::span<const float> outputs(std::size_t row) const;
  virtual void backward_outputs(std::span<const float> output_gradients, Parameters& gradient);

  /// Adds every computed input to the moments of its column, one per feature. Only for models that
  /// have a `perceptron`.
  virtual void add_inputs(std::span<Moments> columns);
};

class Model : public Policy {
 public:
  virtual const Parameters& parameters() const = 0;
  /// The layout must be that of `parameters()`. Do not call it while another thread uses the model.
  virtual void set_parameters(const Parameters& parameters) = 0;
  /// Draws fresh parameters.
  virtual Parameters initial_parameters(Rng& rng) const = 0;

  /// The scores of a value model are values (gain plus the worth of what is left) divided by this.
  /// It is 0 for other models.
  virtual double temperature() const { return 0; }

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
    double decisions;         // needed to learn; 60e6 take one to three minutes on two cores
    bool same_nodes = false;  // only if the fixed nodes are the same in all instances
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
