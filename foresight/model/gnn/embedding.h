// The encoder of gnn-hist with any number of message-passing layers (model.h), for whole graphs.
//
// A message is linear in what it carries, so messages are summed before they are multiplied. With
//
//   z_i = (x_i, mean_j w_ij x_j, mean_j x_j)
//
// a layer is
//
//   x_i <- [R, A^T, B^T] z_i + b,
//
// which is a layer of a perceptron whose rows are nodes. For embeddings of length E it takes
// O(edges E + nodes E^2) instead of O(edges E^2). So all that is learned here is in small
// perceptrons, one after the other, and the rows of many graphs pass through them together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foresight/model/gnn/log.h"
#include "foresight/model/gnn/model.h"
#include "foresight/nn/mlp.h"

namespace foresight {

/// The perceptrons of the network, made of the model's parameters. Threads may share it while none
/// calls `load`.
class DeepNetwork {
 public:
  explicit DeepNetwork(const GnnShape& shape);

  void load(const Parameters& parameters);

  /// A gradient for the perceptrons' `backward`, and its share in the gradient of the model.
  Parameters gradient() const { return packed_.zeros(); }
  void add_gradient(const Parameters& gradient, Parameters& sum) const;

  const GnnShape& shape() const { return shape_; }
  const std::vector<PackedMlp>& stages() const { return stages_; }
  const PackedMlp& solution() const { return solution_; }
  const PackedMlp& decoder() const { return decoder_; }

 private:
  /// A tensor of the model as some columns of a perceptron's tensor.
  struct Block {
    std::string tensor;
    std::string packed;
    std::size_t rows;
    std::size_t column;
    bool transposed;
  };
  static PackedMlp make(Mlp mlp, Parameters& packed);
  template <typename From, typename To, typename Visit>
  void for_each_entry(From& model, To& packed, Visit&& visit) const;

  GnnShape shape_;
  Parameters packed_;
  std::vector<PackedMlp> stages_;  // the embedding of inputs, then the message-passing layers
  PackedMlp solution_;             // inputs: means of e_u and e_v, 1 with a past, 1 without a past
  PackedMlp decoder_;
  std::vector<Block> blocks_;
};

/// Embeds graphs, and takes gradients back through them. Used by one thread.
class GraphEmbedding {
 public:
  explicit GraphEmbedding(const DeepNetwork& network);

  /// Forgets earlier graphs and embeds these.
  void forward(std::span<const GraphView> views);

  /// Fills the part of the decoder's input that holds embeddings, for one candidate of a view.
  void fill(std::size_t view, std::size_t candidate, std::span<float> part) const;
  /// Takes the gradient of that part.
  void take_gradient(std::size_t view, std::size_t candidate, std::span<const float> part);

  /// Adds the effect of the gradients taken since `forward`. `gradient` comes from the network.
  void backward(Parameters& gradient);

 private:
  struct Placed : GraphView {
    std::size_t first;  // row of its first node on every tape
  };
  template <typename Visit>
  void for_each_edge(Visit&& visit) const;
  void fill_inputs();
  void aggregate(std::size_t stage);
  void spread(std::size_t stage);
  void summarise();
  void spread_summary();

  const DeepNetwork& network_;
  std::size_t embed_;
  std::vector<Placed> views_;
  std::vector<float> shares_;   // of a neighbour in a node's mean, by row
  std::vector<MlpTape> tapes_;  // one per stage, a row per node
  MlpTape solution_;            // a row per view
  std::vector<float> means_;    // of the embeddings of fixed nodes, one per view
  std::vector<float> d_means_;  // their gradients
};

}  // namespace foresight
