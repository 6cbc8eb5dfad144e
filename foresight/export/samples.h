// Sample decisions of a model: the inputs of its network, and our own scores. With them, an
// exported network can be checked wherever it runs. docs/export.md lists the arrays of the file.
//
//   write_samples("samples.safetensors", load_model("run"), data, 1000);
#pragma once

#include <cstddef>
#include <filesystem>

#include "foresight/model/checkpoint.h"
#include "foresight/problem/bound.h"

namespace foresight {

/// Plays the instances one after the other, with the model fitted to the data, until there are
/// `most` decisions with a choice. Writes them and returns their number. Throws Error(kData) if
/// there is none.
std::size_t write_samples(const std::filesystem::path& path, const TrainedModel& trained,
                          const BoundDataset& data, std::size_t most);

}  // namespace foresight
