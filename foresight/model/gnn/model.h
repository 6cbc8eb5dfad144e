// gnn-hist, the paper's graph neural network. An encoder embeds the graph seen so far. The decoder,
// a perceptron, scores each candidate from the embeddings of the arrival, the candidate, the
// solution and all fixed nodes. It works with any number of fixed nodes in any order.
//
// With x_i the linear embedding of the inputs of node i, every layer of the encoder is an
// edge-conditioned linear map with mean aggregation (Gilmer et al., 2017),
//
//   x_i <- R x_i + mean_j W(w_ij)^T x_j + b,     W(w) = w A + B,
//
// with ReLU between layers. With one layer it is linear and costs nothing (folded.cpp). With more,
// the graph is embedded again at every arrival (deep.cpp). This header is what both share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foresight/model/gnn/inputs.h"
#include "foresight/model/model.h"
#include "foresight/nn/mlp.h"
#include "foresight/nn/network.h"

namespace foresight {

/// The sizes of the network, and the reference's names of its tensors.
struct GnnShape {
  NodeInputs inputs;
  std::size_t embed;                // length of an embedding
  std::size_t layers;               // of the encoder, named from 1 on
  std::vector<std::size_t> hidden;  // layers of the decoder

  static constexpr const char* kInitial = "initial_stepcontext";
  static constexpr const char* kFixedWeight = "embedder.node_embed_u.weight";
  static constexpr const char* kFixedBias = "embedder.node_embed_u.bias";
  static constexpr const char* kArrivalWeight = "embedder.node_embed_v.weight";
  static constexpr const char* kArrivalBias = "embedder.node_embed_v.bias";
  static constexpr const char* kSolutionWeight = "step_context_transf.weight";
  static constexpr const char* kSolutionBias = "step_context_transf.bias";
  static std::string edge_weight(std::size_t layer);  // A
  static std::string edge_bias(std::size_t layer);    // B
  static std::string root(std::size_t layer);         // R
  static std::string layer_bias(std::size_t layer);   // b

  /// Length of the decoder's input: gain, time, value, is_skip, mask, the cost if edges have their
  /// own, and the embeddings of the arrival, the candidate, the solution, and all fixed nodes.
  std::size_t decoder_inputs() const { return scalars() + 4 * embed; }
  std::size_t scalars() const { return inputs.costs ? 6 : 5; }

  /// The decoder, for this many inputs. Candidates share the last `shared` of them.
  Mlp decoder(std::size_t num_inputs, std::size_t shared = 0) const;

  void declare(Parameters& parameters) const;
  void initialise(Parameters& parameters, Rng& rng) const;
};

class GnnBatch;

class GnnModel : public Model {
 public:
  explicit GnnModel(GnnShape shape);

  const GnnShape& shape() const { return shape_; }
  const Parameters& parameters() const final { return parameters_; }
  void set_parameters(const Parameters& parameters) final;
  Parameters initial_parameters(Rng& rng) const final;
  std::vector<std::string> features() const final;
  Schema needs() const final;
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const final;
  std::unique_ptr<RecordingBatch> open_recording(std::span<const Opening> openings,
                                                 Record what) const final;
  Network network() const final;
  std::unique_ptr<Feed> feed(const Market& market) const final;

 private:
  /// Takes in new parameters.
  virtual void load(const Parameters& parameters) = 0;
  virtual std::unique_ptr<GnnBatch> make_batch(MlpTape::Record record) const = 0;

  GnnShape shape_;
  Parameters parameters_;
};

/// One row on the decoder's tape per candidate: skip, and then each offer.
class GnnBatch : public RecordingBatch {
 public:
  GnnBatch(const PackedMlp& decoder, MlpTape::Record record);

  void restart(std::span<const Opening> openings) final;
  void forget_rows() final;
  std::size_t rows() const final { return tape_.rows(); }
  std::size_t bytes() const final;
  std::size_t bytes_for(const State& state) const final;
  void score(std::span<const Turn> turns, Scores& scores) final;
  void backward(std::span<const float> score_gradients, Parameters& gradient) final;

 protected:
  /// The rows of a turn's candidates. There are none if there is no choice to compute.
  struct Rows {
    std::size_t first;
    std::size_t count;
  };
  MlpTape& tape() { return tape_; }
  const MlpTape& tape() const { return tape_; }

 private:
  virtual void open(std::span<const Opening> openings) = 0;
  /// Forgets what belongs to rows on the tape.
  virtual void forget() {}
  /// The bytes of so many rows of so many decisions, without those of `rows_`.
  virtual std::size_t bytes_of(std::size_t rows, std::size_t decisions) const = 0;
  /// Takes in a turn's arrival and the decision for the previous one.
  virtual void observe(const Turn& turn) = 0;
  /// Fills the decoder's inputs.
  virtual void fill(std::span<const Turn> turns, std::span<const Rows> rows) = 0;
  /// Adds the effect of the tape's output gradients to `gradient`.
  virtual void backward(Parameters& gradient) = 0;

  const PackedMlp& decoder_;
  bool recording_;
  MlpTape tape_;
  std::vector<Rows> rows_;     // of all turns on the tape
  std::size_t decisions_ = 0;  // those with a choice
};

/// For one message-passing layer, and for any number of layers.
std::unique_ptr<Model> folded_gnn(GnnShape shape);
std::unique_ptr<Model> deep_gnn(GnnShape shape);

}  // namespace foresight
