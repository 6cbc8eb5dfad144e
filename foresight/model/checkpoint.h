// A trained model in a file: self-contained, digest-checked, readable by any safetensors library.
//
//   TrainedModel trained = load_model("run");        // a run folder means its best checkpoint
//   double ratio = evaluate(data, {{"mine", trained.model}}, ...);
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "foresight/base/safetensors.h"
#include "foresight/model/model.h"

namespace foresight {

/// What a checkpoint says about its model.
struct ModelInfo {
  std::string spec;      // of the architecture
  ModelContext context;  // what it was built for
  std::map<std::string, std::string>
      provenance;  // how it was trained: data, trainer, seed, epoch, ...
};

/// Adds the model to a file; a training state adds more arrays beside it.
void write_model(SafeTensorsWriter& writer, const ModelInfo& info, const Model& model);

struct TrainedModel {
  ModelInfo info;
  std::shared_ptr<Model> model;
};

/// Throws Error(kData) if the file holds no model, or one of another feature version.
TrainedModel read_model(const SafeTensors& file);

/// Where a model is: a folder stands for the `best.safetensors` in it.
std::filesystem::path checkpoint_file(const std::filesystem::path& path);

/// Throws Error(kData), naming the model, if it is for another problem.
void check_problem(const std::string& name, const ModelInfo& info, const Schema& schema);

/// Reads a checkpoint; a folder stands for the `best.safetensors` in it.
TrainedModel load_model(const std::filesystem::path& path);

/// What a person means by a policy's name.
struct NamedPolicy {
  std::shared_ptr<const Policy> policy;
  std::optional<ModelInfo> trained;  // for a trained model
};

/// A policy from what a person names: a run folder, a checkpoint file (of a model or of an optimal
/// online policy), or a spec. A file is refused if it is for another problem than `schema`.
NamedPolicy find_policy(const std::string& name, const Schema& schema);

}  // namespace foresight
