// A network written down, so that other programs can run what a model has learned: arrays that go
// in, constants, and the operations that make the output of them (export/onnx.h makes a file of
// it).
//
//   Network network;
//   auto x = network.input({"features", "what the model sees", {{"batch"}, {"", 63}}, columns});
//   x = add_mlp(network, mlp, parameters, x);
//   network.output("scores", {{"batch"}, {"", 11}}, x);
//
// Arrays are those of NumPy: row-major, and shapes are broadcast.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foresight/nn/parameters.h"

namespace foresight {

class Mlp;

class Network {
 public:
  /// An axis of a given size, or of any size, under a name.
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
    kMean,       // likewise
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

/// Columns [first, first + count) of a tensor with a row per output, as a constant with a row per
/// input. A part of a tensor has a name of its own.
Network::Value add_weight(Network& network, const Parameters& parameters, const std::string& tensor,
                          std::size_t first, std::size_t count, const std::string& part = "");
/// The tensor as it is.
Network::Value add_tensor(Network& network, const Parameters& parameters, const std::string& tensor,
                          std::vector<std::size_t> shape);

/// A perceptron: what it makes of the last axis of x. From a later layer on, x is what the layers
/// before have made, before its ReLU.
Network::Value add_mlp(Network& network, const Mlp& mlp, const Parameters& parameters,
                       Network::Value x, std::size_t first_layer = 0);

}  // namespace foresight
