// A description of a network, so that other programs can run what a model has learned: its inputs,
// its constants, and the operations that compute the output. export/onnx.h writes it to a file.
//
//   Network network;
//   auto x = network.input({"features", "what the model sees", {{"batch"}, {"", 63}}, columns});
//   x = add_mlp(network, mlp, parameters, x);
//   network.output("scores", {{"batch"}, {"", 11}}, x);
//
// Arrays are as in NumPy: row-major, and shapes are broadcast.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foresight/nn/parameters.h"

namespace foresight {

class Mlp;

class Network {
 public:
  /// An axis with a fixed size, or with a name and any size.
  struct Axis {
    std::string name;
    std::size_t size = 0;
  };
  struct Input {
    std::string name, meaning;
    std::vector<Axis> shape;
    std::vector<std::string> columns;  // names along the last axis, if they have any
  };
  struct Constant {
    std::string name;
    std::vector<std::size_t> shape;
    std::vector<float> values;
  };
  struct Output {
    std::string name;
    std::vector<Axis> shape;
  };
  enum class Operation {
    kMatMul,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kMaximum,
    kMinimum,
    kRelu,
    kTranspose,  // of the last two of three axes
    kSum,        // along an axis, which stays with size 1
    kMean,       // as kSum
    kLast,       // the last entry along an axis, which stays with size 1
    kSqueeze,    // without an axis of size 1
  };
  /// Values are known by their names.
  using Value = std::string;
  struct Step {
    Operation operation;
    std::vector<Value> operands;
    std::size_t axis;
    Value result;
  };

  Value input(Input input);
  Value constant(std::string name, std::vector<std::size_t> shape, std::vector<float> values);
  Value apply(Operation operation, std::vector<Value> operands, std::size_t axis = 0);
  /// The result of the last step.
  void output(std::string name, std::vector<Axis> shape, const Value& value);

  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<Constant>& constants() const { return constants_; }
  const std::vector<Step>& steps() const { return steps_; }
  const Output& output() const { return output_; }

 private:
  std::vector<Input> inputs_;
  std::vector<Constant> constants_;
  std::vector<Step> steps_;
  Output output_;
};

/// Adds columns [first, first + count) of a tensor with a row per output, as a constant with a row
/// per input. `part` names a part of a tensor.
Network::Value add_weight(Network& network, const Parameters& parameters, const std::string& tensor,
                          std::size_t first, std::size_t count, const std::string& part = "");
/// Adds the tensor as it is.
Network::Value add_tensor(Network& network, const Parameters& parameters, const std::string& tensor,
                          std::vector<std::size_t> shape);

/// Applies a perceptron to the last axis of x. If it starts at a later layer, x is the output of
/// the layer before, without its ReLU.
Network::Value add_mlp(Network& network, const Mlp& mlp, const Parameters& parameters,
                       Network::Value x, std::size_t first_layer = 0);

}  // namespace foresight
