// Decisions of a model as its network is given them, with our own scores: what an export is checked
// against, wherever it runs. docs/export.md lists the arrays of the file.
#pragma once

#include <cstddef>
#include <filesystem>

#include "foresight/model/checkpoint.h"
#include "foresight/problem/bound.h"

namespace foresight {

/// Plays the instances one after the other, by the model as it fits the data, until there are `most` decisions with a choice, and
/// writes these; returns how many there were. Throws Error(kData) if there is none.
std::size_t write_samples(const std::filesystem::path& path, const TrainedModel& trained,
                          const BoundDataset& data, std::size_t most);

}  // namespace foresight
