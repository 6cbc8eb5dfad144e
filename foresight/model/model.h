// Models: policies with parameters that are learned.
//
// An `Architecture` (what a spec such as "inv-ff-hist(hidden=100)" names) becomes a `Model` for one
// problem and size. A model is a policy like any other; for training it opens a batch that records
// what it computed, so that one backward pass over the whole rollout gives the gradient.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foresight/data/source.h"
#include "foresight/model/feed.h"
#include "foresight/nn/mlp.h"
#include "foresight/nn/network.h"
#include "foresight/nn/parameters.h"
#include "foresight/policy/policy.h"

namespace foresight {

/// What a model is built for.
struct ModelContext {
  Schema schema;         // the problem, and the names of attributes and topics
  NodeId num_fixed = 0;  // models that see all fixed nodes at once serve only this many

  /// A file holds only so many numbers: a model that needs more is refused before it takes memory.
  double most_parameters = std::numeric_limits<double>::infinity();
  /// Throws Error(kData) if these are too many.
  void check_parameters(double count) const;
};

/// A batch that remembers what `score` computed. Rows are numbered over all steps, in the order in
/// which `score` saw their turns.
class RecordingBatch : public Batch {
 public:
  /// Forgets everything and begins with other episodes; keeps its memory.
  virtual void restart(std::span<const Opening> openings) = 0;

  /// Adds the gradient of sum(score_gradients * scores) over all rows since the batch was opened.
  /// `score_gradients` lists the rows one after the other, each as long as its scores.
  virtual void backward(std::span<const float> score_gradients, Parameters& gradient) = 0;

  /// Raw outputs for skip and every fixed node, masked or not, of the given row; and the backward
  /// pass from gradients of those. Only for models that have them; for imitation.
  virtual std::span<const float> outputs(std::size_t row) const;
  virtual void backward_outputs(std::span<const float> output_gradients, Parameters& gradient);

  /// Adds every input that was computed to the moments of its column: one per feature. Only for
  /// models that have a `perceptron`.
  virtual void add_inputs(std::span<Moments> columns);
};

class Model : public Policy {
 public:
  virtual const Parameters& parameters() const = 0;
  /// The layout must be that of `parameters()`. Not while another thread uses the model.
  virtual void set_parameters(const Parameters& parameters) = 0;
  /// Draws fresh parameters.
  virtual Parameters initial_parameters(Rng& rng) const = 0;

  /// The scores of a value model are values (gain and what is left) divided by this; 0 for other
  /// models.
  virtual double temperature() const { return 0; }

  /// The perceptron whose first layer takes the features as they are, if there is one.
  virtual const Mlp* perceptron() const { return nullptr; }

  /// Names of the input columns, kept in checkpoints.
  virtual std::vector<std::string> features() const = 0;

  /// How decisions without a choice (nothing to offer but skip) are treated: they have probability
  /// 1 and no gradient, so they are not computed unless the raw outputs are wanted.
  enum class Record { kChoices, kOutputs };
  virtual std::unique_ptr<RecordingBatch> record(std::span<const Opening> openings,
                                                 Record what) const = 0;

  /// The model as other programs can run it, and what it is given there in an episode of this
  /// market. The network's scores are those of `Batch::score` wherever there is a choice.
  virtual Network network() const = 0;
  virtual std::unique_ptr<Feed> feed(const Market& market) const = 0;
};

class Architecture {
 public:
  virtual ~Architecture() = default;
  virtual std::unique_ptr<Model> build(const ModelContext& context) const = 0;
};

/// An architecture that is its options and a function `build(options, context)`.
template <typename Options, auto kBuild>
class ArchitectureOf : public Architecture {
 public:
  explicit ArchitectureOf(Options options) : options_(std::move(options)) {}
  std::unique_ptr<Model> build(const ModelContext& context) const override {
    return kBuild(options_, context);
  }

 private:
  Options options_;
};

template <typename Options, auto kBuild>
Entry<Architecture> make_architecture(std::string name, std::string summary) {
  return make_entry<Architecture, ArchitectureOf<Options, kBuild>, Options>(std::move(name),
                                                                            std::move(summary));
}

/// Every model there is: ff, ff-hist, ff-supervised, inv-ff, inv-ff-hist, ...
const Registry<Architecture>& models();

}  // namespace foresight
