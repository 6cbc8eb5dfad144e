// The encoder of gnn-hist with one message-passing layer (model.h). It is a single matrix.
//
// With x_i = M_i (inputs of i) the linear node embedding, the layer is
//
//   e_i = R x_i + mean_j W(w_ij)^T x_j + b,     W(w) = w A + B.
//
// So messages can be summed before they are multiplied:
//
//   e_u = G_fixed z_u,       G_fixed   = [R M_u, A^T M_v, B^T M_v],
//   e_v = G_arrival z_v,     G_arrival = [R M_v, A^T M_u, B^T M_u],
//
// with b in the column of the constant 1. The embedding of the solution (the mean over past
// decisions of Theta [e_u; e_v] + c) and the mean embedding of the fixed nodes are also linear, in
// mean summaries. So there is a matrix T, which depends only on the parameters, with
//
//   decoder's input = T row,     row = what graph.h sums up about a candidate.
//
// The decoder's first layer W can then be folded into W T, so the encoder costs nothing per
// decision. The gradient comes back the same way, once per batch: dW = d(WT) T^T, dT = W^T d(WT).
#pragma once

#include <vector>

#include "foresight/model/gnn/graph.h"
#include "foresight/model/gnn/model.h"
#include "foresight/nn/matrix.h"
#include "foresight/nn/parameters.h"

namespace foresight {

/// A small dense matrix for work that is done once per batch.
class Dense {
 public:
  /// Some rows and columns of a matrix, or their transpose.
  struct View {
    double* data;
    std::size_t rows, columns, row_step, column_step;

    double& operator()(std::size_t i, std::size_t j) const {
      return data[i * row_step + j * column_step];
    }
    View transposed() const { return {data, columns, rows, column_step, row_step}; }
    View part(std::size_t row, std::size_t column, std::size_t num_rows,
              std::size_t num_columns) const {
      return {&(*this)(row, column), num_rows, num_columns, row_step, column_step};
    }
  };

  Dense(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), values_(rows * columns) {}
  View view() { return {values_.data(), rows_, columns_, columns_, 1}; }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> values_;
};

class GraphEncoder {
 public:
  explicit GraphEncoder(const GnnShape& shape);

  /// Length of the decoder's input.
  std::size_t outputs() const { return outputs_; }
  const GraphColumns& columns() const { return columns_; }

  /// T: a row per input of the decoder, a column per column of `EpisodeGraph`'s rows.
  Dense matrix(const Parameters& parameters) const;

  /// Adds the gradient of the parameters to `gradient`, given the gradient of T.
  void backward(const Parameters& parameters, Dense matrix_gradient, Parameters& gradient) const;

 private:
  struct Weights;
  Weights read(const Parameters& parameters) const;

  NodeInputs inputs_;
  GraphColumns columns_;
  std::size_t embed_;
  std::size_t scalars_;
  std::size_t outputs_;
};

}  // namespace foresight
