// Turns what a person names into a policy. Only this code looks for policies in the file system.
//
//   NamedPolicy named = resolve("runs/inv-ff-hist", data.problem(), data.schema());
//
// The spec of a registered policy comes first. So a file or folder with the name of a policy must
// be given with its folder, as in ./greedy. Anything else is a run folder or a checkpoint file, of
// a model, of an optimal online policy, or of a rule that `train auto` kept.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "foresight/base/progress.h"
#include "foresight/model/checkpoint.h"
#include "foresight/policy/policy.h"

namespace foresight {

struct NamedPolicy {
  std::shared_ptr<const Policy> policy;
  std::string rule;                  // the name in the registry; empty for a model
  std::optional<ModelInfo> trained;  // for a trained model
  std::string digest;                // of the file that it was read from, if any
};

/// Throws Error(kUsage) if there is no such policy, and what reading a file throws. Some policies
/// learn when they are made; `progress` shows it.
NamedPolicy resolve(const std::string& text, Progress& progress = no_progress());

/// The same, fitted to data of this kind.
NamedPolicy resolve(const std::string& text, const Problem& problem, const Schema& schema,
                    Progress& progress = no_progress());

}  // namespace foresight
