// The data of a search, in its folder: what models are trained on, what rules learn from, by which
// instances policies are chosen, and on which they are judged.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "foresight/problem/bound.h"
#include "foresight/train/run.h"

namespace foresight {

struct Ground {
  std::string train;                  // a source to draw from, or a file
  std::optional<BoundSource> source;  // that source
  std::vector<Instance> examples;     // a few of the training instances
  std::filesystem::path past;         // what rules learn from
  std::filesystem::path watched;  // some of `choose`, by which runs choose among their own models
  BoundDataset choose;            // by which one policy is chosen, with optima
  std::optional<BoundDataset> judge;  // others; nothing: `choose` must serve for that, too
};

/// Throws Error if there is nothing to learn from or nothing to choose by. Writes nothing.
void check_ground(const RunOptions& options);

/// Makes what is not in the folder yet.
Ground prepare_ground(const RunOptions& options, Progress& progress);

}  // namespace foresight
