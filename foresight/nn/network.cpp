#include "foresight/nn/network.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "foresight/nn/mlp.h"

namespace foresight {

Network::Value Network::input(Input input) {
  inputs_.push_back(std::move(input));
  return inputs_.back().name;
}

Network::Value Network::constant(std::string name, std::vector<std::size_t> shape,
                                 std::vector<float> values) {
  constants_.push_back({std::move(name), std::move(shape), std::move(values)});
  return constants_.back().name;
}

Network::Value Network::apply(Operation operation, std::vector<Value> operands, std::size_t axis) {
  steps_.push_back({operation, std::move(operands), axis, fmt::format("step{}", steps_.size())});
  return steps_.back().result;
}

void Network::output(std::string name, std::vector<Axis> shape, const Value& value) {
  const auto step = std::ranges::find(steps_, value, &Step::result);
  assert(step == steps_.end() - 1);
  step->result = name;
  output_ = {std::move(name), std::move(shape)};
}

Network::Value add_weight(Network& network, const Parameters& parameters, const std::string& tensor,
                          std::size_t first, std::size_t count, const std::string& part) {
  const auto values = parameters[tensor];
  std::size_t outputs = 0;
  for (const auto& each : parameters.tensors()) {
    if (each.name == tensor) outputs = each.shape.front();
  }
  const std::size_t inputs = values.size() / outputs;
  std::vector<float> transposed;
  transposed.reserve(count * outputs);
  for (std::size_t j = first; j < first + count; ++j) {
    for (std::size_t i = 0; i < outputs; ++i) transposed.push_back(values[i * inputs + j]);
  }
  return network.constant(part.empty() ? tensor : fmt::format("{}.{}", tensor, part),
                          {count, outputs}, std::move(transposed));
}

Network::Value add_tensor(Network& network, const Parameters& parameters, const std::string& tensor,
                          std::vector<std::size_t> shape) {
  const auto values = parameters[tensor];
  return network.constant(tensor, std::move(shape), {values.begin(), values.end()});
}

Network::Value add_mlp(Network& network, const Mlp& mlp, const Parameters& parameters,
                       Network::Value x, std::size_t first_layer) {
  using enum Network::Operation;
  for (std::size_t layer = first_layer; layer < mlp.num_layers(); ++layer) {
    if (layer > 0) x = network.apply(kRelu, {x});
    x = network.apply(kMatMul, {x, add_weight(network, parameters, mlp.weight_name(layer), 0,
                                              mlp.sizes()[layer])});
    x = network.apply(
        kAdd, {x, add_tensor(network, parameters, mlp.bias_name(layer), {mlp.sizes()[layer + 1]})});
  }
  return x;
}

}  // namespace foresight
