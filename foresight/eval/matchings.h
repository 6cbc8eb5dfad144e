// Who got what: every decision of every policy, and of the hindsight optimum, as a table in CSV.
//
//   const Evaluation evaluation = evaluate(data, contestants, {.matchings = true}, progress);
//   write_matchings(data, evaluation, "matchings.csv");
#pragma once

#include <filesystem>

#include "foresight/eval/evaluate.h"

namespace foresight {

/// One line per instance, policy and arrival; the optimum comes first and is the policy "optimum".
/// The columns are in docs/formats.md. `evaluation` must be of this data, with its matchings kept.
void write_matchings(const BoundDataset& data, const Evaluation& evaluation,
                     const std::filesystem::path& file);

}  // namespace foresight
