#include "foresight/export/onnx.h"

#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/version.h"
#include "foresight/export/onnx_writer_internal.h"
#include "foresight/features/features.h"
#include "foresight/nn/network.h"
#include "foresight/problem/units_json_internal.h"

namespace foresight {
namespace {

using Operation = Network::Operation;

constexpr int kIrVersion = 7;  // of the file format, from the same year as the operators

/// The name of an operation in ONNX, and how it is given its axis.
struct Operator {
  const char* name;
  enum class Axis { kNone, kInput, kAttribute } axis = Axis::kNone;
};

Operator operator_for(Operation operation) {
  using enum Operator::Axis;
  switch (operation) {
    case Operation::kMatMul:
      return {"MatMul"};
    case Operation::kAdd:
      return {"Add"};
    case Operation::kSubtract:
      return {"Sub"};
    case Operation::kMultiply:
      return {"Mul"};
    case Operation::kDivide:
      return {"Div"};
    case Operation::kMaximum:
      return {"Max"};
    case Operation::kMinimum:
      return {"Min"};
    case Operation::kRelu:
      return {"Relu"};
    case Operation::kTranspose:
      return {"Transpose"};
    case Operation::kSum:
      return {"ReduceSum", kInput};
    case Operation::kMean:
      return {"ReduceMean", kAttribute};
    case Operation::kLast:
      return {"Slice", kInput};
    case Operation::kSqueeze:
      return {"Squeeze", kInput};
  }
  return {"Identity"};
}

// ValueInfoProto: name = 1, type = 2, doc_string = 3; the rest is the shape of a tensor of floats.
Message value_info(const std::string& name, const std::vector<Network::Axis>& axes,
                   const std::string& meaning = "") {
  Message shape;
  for (const Network::Axis& axis : axes) {
    Message dimension;
    axis.name.empty() ? dimension.number(1, static_cast<std::int64_t>(axis.size))
                      : dimension.text(2, axis.name);
    shape.message(1, dimension);
  }
  const Message type = Message().message(1, Message().number(1, 1).message(2, shape));
  Message info;
  info.text(1, name).message(2, type);
  if (!meaning.empty()) info.text(3, meaning);
  return info;
}

/// The graph, and the lists of integers that some operators take as inputs.
class GraphWriter {
 public:
  // GraphProto: node = 1, name = 2, initializer = 5, input = 11, output = 12
  Message write(const Network& network, const std::string& name) {
    for (const Network::Step& step : network.steps()) graph_.message(1, node(step));
    graph_.text(2, name);
    for (const Network::Constant& constant : network.constants()) {
      graph_.message(5, onnx_tensor(constant.name, constant.shape, constant.values));
    }
    for (const auto& [list, value] : lists_) {
      graph_.message(5, onnx_tensor(list, std::span(&value, 1)));
    }
    for (const Network::Input& input : network.inputs()) {
      graph_.message(11, value_info(input.name, input.shape, input.meaning));
    }
    graph_.message(12, value_info(network.output().name, network.output().shape));
    return std::move(graph_);
  }

 private:
  // NodeProto: input = 1, output = 2, name = 3, op_type = 4, attribute = 5
  Message node(const Network::Step& step) {
    const Operator op = operator_for(step.operation);
    const auto axis = static_cast<std::int64_t>(step.axis);
    Message message;
    for (const Network::Value& operand : step.operands) message.text(1, operand);
    if (step.operation == Operation::kLast) {
      message.text(1, list(-1)).text(1, list(std::numeric_limits<std::int64_t>::max()));
    }
    if (op.axis == Operator::Axis::kInput) message.text(1, list(axis));
    message.text(2, step.result).text(3, step.result).text(4, op.name);
    if (op.axis == Operator::Axis::kAttribute) {
      message.message(5, onnx_attribute("axes", std::span(&axis, 1)));
    }
    if (step.operation == Operation::kSum || step.operation == Operation::kMean) {
      message.message(5, onnx_attribute("keepdims", 1));
    }
    if (step.operation == Operation::kTranspose) {
      static constexpr std::int64_t kOrder[] = {0, 2, 1};
      message.message(5, onnx_attribute("perm", kOrder));
    }
    return message;
  }

  /// The name of a constant list of this one number.
  std::string list(std::int64_t value) {
    const bool end = value == std::numeric_limits<std::int64_t>::max();
    const std::string name = end ? "end" : value < 0 ? "last" : fmt::format("axis{}", value);
    lists_.emplace(name, value);
    return name;
  }

  Message graph_;
  std::map<std::string, std::int64_t> lists_;
};

/// What a person or a program may want to know about the model.
std::map<std::string, std::string> metadata(const TrainedModel& trained, const Network& network) {
  nlohmann::json columns = nlohmann::json::object();
  for (const Network::Input& input : network.inputs()) columns[input.name] = input.columns;
  std::map<std::string, std::string> entries = {
      {"format", "foresight-policy"},
      {"version", "1"},
      {"model", trained.info.spec},
      {"problem", trained.info.context.schema.problem},
      {"fixed_nodes", fmt::to_string(trained.info.context.num_fixed)},
      {"features", json_text(nlohmann::json(trained.model->features()))},
      {"feature_version", fmt::to_string(kFeatureVersion)},
      {"columns", json_text(columns)},
      {"units", json_text(units_json(trained.info.context.units))},
      {"attribute_units", json_text(attribute_units_json(trained.info.context.attributes))}};
  for (const auto& [key, value] : trained.info.provenance) {
    entries[fmt::format("provenance.{}", key)] = value;
  }
  return entries;
}

}  // namespace

// ModelProto: ir_version = 1, producer_name = 2, producer_version = 3, doc_string = 6, graph = 7,
// opset_import = 8 (version = 2), metadata_props = 14 (key = 1, value = 2)
std::string to_onnx(const TrainedModel& trained) {
  const Network network = trained.model->network();
  Message model;
  model.number(1, kIrVersion).text(2, "foresight").text(3, kVersion);
  model.text(6, fmt::format("{} for {}: the highest score is the decision", trained.info.spec,
                            trained.info.context.schema.problem));
  model.message(7, GraphWriter().write(network, trained.info.spec));
  model.message(8, Message().text(1, "").number(2, kOnnxOperators));
  for (const auto& [key, value] : metadata(trained, network)) {
    model.message(14, Message().text(1, key).text(2, value));
  }
  constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();
  if (model.bytes().size() > kMostBytes) {
    fail(ErrorCode::kUsage, "{} has {} parameters, too many for an ONNX file, which holds 2 GiB",
         trained.info.spec, trained.model->parameters().values().size());
  }
  return model.bytes();
}

}  // namespace foresight
