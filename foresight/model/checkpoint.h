// A trained model in a file. It is self-contained, checked by its digest, and readable by any
// safetensors library.
//
//   TrainedModel trained = load_model("run");        // a run folder means its best checkpoint
//   Evaluation result = evaluate(data, {{"mine", trained.model}}, ...);
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "foresight/model/model.h"

namespace foresight {

class SafeTensors;
class SafeTensorsWriter;

/// What a checkpoint says about its model.
struct ModelInfo {
  std::string spec;      // of the architecture
  ModelContext context;  // what it was built for
  std::map<std::string, std::string>
      provenance;  // how it was trained: data, trainer, seed, epoch, ...
};

/// Adds the model to a file. The state of a training run adds more arrays.
void write_model(SafeTensorsWriter& writer, const ModelInfo& info, const Model& model);

struct TrainedModel {
  ModelInfo info;
  std::shared_ptr<Model> model;
};

bool is_model(const SafeTensors& file);

/// Throws Error(kData) if the file holds no model, or a model with another feature version.
TrainedModel read_model(const SafeTensors& file);

/// The files of a training run. The last one is the commit: what is in it was done.
inline constexpr const char* kRunFiles[] = {
    "train.safetensors", "validation.safetensors", "best.safetensors", "config.json", "metrics.csv",
    "timing.csv",        "last.safetensors"};

/// Opens a checkpoint. A folder stands for the `best.safetensors` in it; Error(kData) says if it has
/// none.
std::shared_ptr<const SafeTensors> open_checkpoint(const std::filesystem::path& path);

/// Reads a checkpoint. A folder stands for the `best.safetensors` in it.
TrainedModel load_model(const std::filesystem::path& path);

}  // namespace foresight
