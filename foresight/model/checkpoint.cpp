#include "foresight/model/checkpoint.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/mapped_file.h"
#include "foresight/base/safetensors.h"
#include "foresight/data/horizon_json_internal.h"
#include "foresight/features/features.h"
#include "foresight/problem/units_json_internal.h"
#include "foresight/rules/saved_rule.h"

namespace foresight {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "foresight-model";
constexpr const char* kVersion = "1";
constexpr const char* kProvenance = "provenance.";

ModelContext read_context(const SafeTensors& file) {
  const JsonField json = JsonField::parse(
      file.meta("context"), fmt::format("{}: metadata \"context\"", file.path().string()));
  ModelContext context;
  context.schema.problem = json["problem"].text();
  context.schema.fixed_attributes = json["fixed_attributes"].texts();
  context.schema.arrival_attributes = json["arrival_attributes"].texts();
  context.schema.topics = json["topics"].texts();
  context.num_fixed = json["num_fixed"].integer<NodeId>();
  // Written only where there are any.
  context.schema.capacities = json.find("capacities").has_value();
  context.schema.costs = json.find("costs").has_value();
  context.schema.horizon = read_horizon(json);
  // Models from before there were units see everything as it is.
  if (const auto units = json.find("units")) context.units = read_units(*units);
  if (const auto units = json.find("attribute_units")) {
    context.attributes = read_attribute_units(*units, context.schema.fixed_attributes.size(),
                                              context.schema.arrival_attributes.size());
  }
  if (const auto largest = json.find("largest_gain")) context.largest_gain = largest->number();
  if (context.num_fixed < 0) {
    json["num_fixed"].reject(fmt::format("is {}; expected 0 or more", context.num_fixed));
  }
  return context;
}

std::shared_ptr<Model> build(const SafeTensors& file, const ModelInfo& info) {
  ModelContext context = info.context;
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : file.tensors()) bytes += tensor.bytes.size();
  // Some more than it holds, so that a model of other features can be told which they are.
  constexpr double kMore = 1e5;
  context.most_parameters = static_cast<double>(bytes / sizeof(float)) + kMore;
  try {
    return models().make(info.spec)->build(context);
  } catch (const Error& error) {
    fail(ErrorCode::kData, "{}: {}", file.path().string(), error.what());
  }
}

/// The names that only the first list has.
std::vector<std::string> missing(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  const std::set<std::string> known(others.begin(), others.end());
  std::vector<std::string> result;
  std::ranges::copy_if(names, std::back_inserter(result),
                       [&](const std::string& name) { return !known.contains(name); });
  return result;
}

void check_features(const SafeTensors& file, const TrainedModel& trained) {
  const auto known = parse_json_list(file.meta("features")).value_or(std::vector<std::string>());
  const auto computed = trained.model->features();
  if (known == computed) return;
  std::string difference;
  const auto describe = [&](const std::vector<std::string>& names, const char* how) {
    constexpr std::size_t kShown = 5;
    if (names.empty()) return;
    const auto shown = std::span(names).first(std::min(names.size(), kShown));
    difference += fmt::format("; {} [{}{}]", how, fmt::join(shown, ", "),
                              names.size() > kShown ? ", ..." : "");
  };
  describe(missing(computed, known), "it does not know");
  describe(missing(known, computed), "only it knows");
  fail(ErrorCode::kData,
       "{}: the model was trained on other features than {} has in this program{}; train it again",
       file.path().string(), trained.info.spec, difference);
}

/// A folder of several seeds has a run in each of its folders.
std::string hint_at_seeds(const std::filesystem::path& path) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().filename().string().starts_with("seed-")) {
      return fmt::format("; give one of its seeds, as in {}", entry.path().string());
    }
  }
  return {};
}

}  // namespace

std::shared_ptr<const SafeTensors> open_checkpoint(const std::filesystem::path& path) {
  if (!is_folder(path)) return SafeTensors::open(path);
  if (!path_exists(path / "best.safetensors")) {
    fail(ErrorCode::kData,
         "{}: the folder holds no trained model: there is no best.safetensors in it{}",
         path.string(), hint_at_seeds(path));
  }
  for (const char* file : kRunFiles) note_read(path / file);
  return SafeTensors::open(path / "best.safetensors");
}

void write_model(SafeTensorsWriter& writer, const ModelInfo& info, const Model& model) {
  const Schema& schema = info.context.schema;
  writer.set_meta("format", kFormat);
  writer.set_meta("version", kVersion);
  writer.set_meta("model", info.spec);
  writer.set_meta("features", json_text(Json(model.features())));
  writer.set_meta("feature_version", fmt::to_string(kFeatureVersion));
  Json context{{"problem", schema.problem},
               {"fixed_attributes", schema.fixed_attributes},
               {"arrival_attributes", schema.arrival_attributes},
               {"topics", schema.topics},
               {"num_fixed", info.context.num_fixed}};
  if (schema.capacities) context["capacities"] = true;
  if (schema.costs) context["costs"] = true;
  if (!schema.horizon.is_known()) context["horizon"] = schema.horizon.to_string();
  if (info.context.units != Units()) context["units"] = units_json(info.context.units);
  if (info.context.attributes != AttributeUnits()) {
    context["attribute_units"] = attribute_units_json(info.context.attributes);
  }
  if (info.context.largest_gain > 0) context["largest_gain"] = info.context.largest_gain;
  writer.set_meta("context", json_text(context));
  for (const auto& [key, value] : info.provenance) writer.set_meta(kProvenance + key, value);
  for (const Parameters::Tensor& tensor : model.parameters().tensors()) {
    writer.add<float>(tensor.name, tensor.shape, model.parameters()[tensor.name]);
  }
}

bool is_model(const SafeTensors& file) {
  const auto format = file.metadata().find("format");
  return format != file.metadata().end() && format->second == kFormat;
}

TrainedModel read_model(const SafeTensors& file) {
  const std::string path = file.path().string();
  if (is_saved_rule(file)) {
    fail(ErrorCode::kData, "{}: this file holds the rule {}, not a model with parameters", path,
         saved_rule(file));
  }
  if (!is_model(file)) fail(ErrorCode::kData, "{}: this file does not hold a model", path);
  if (file.meta("version") != kVersion) {
    fail(ErrorCode::kData, "{}: the model has version {}, but this program reads version {}", path,
         file.meta("version"), kVersion);
  }
  if (file.meta("feature_version") != fmt::to_string(kFeatureVersion)) {
    fail(ErrorCode::kData,
         "{}: the model was trained on version {} of the features, but this program computes "
         "version {}; train it again",
         path, file.meta("feature_version"), kFeatureVersion);
  }
  TrainedModel trained;
  trained.info.spec = file.meta("model");
  trained.info.context = read_context(file);
  for (const auto& [key, value] : file.metadata()) {
    if (key.starts_with(kProvenance)) {
      trained.info.provenance[key.substr(std::string_view(kProvenance).size())] = value;
    }
  }
  trained.model = build(file, trained.info);
  check_features(file, trained);
  Parameters parameters = trained.model->parameters();
  for (const Parameters::Tensor& tensor : parameters.tensors()) {
    const auto values = file.array<float>(tensor.name);
    if (file.shape(tensor.name) != tensor.shape) {
      fail(ErrorCode::kData, "{}: array \"{}\" does not have the shape that {} needs", path,
           tensor.name, trained.info.spec);
    }
    std::copy(values.begin(), values.end(), parameters[tensor.name].begin());
  }
  trained.model->set_parameters(parameters);
  return trained;
}

TrainedModel load_model(const std::filesystem::path& path) {
  return read_model(*open_checkpoint(path));
}

}  // namespace foresight
