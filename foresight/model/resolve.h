// From what a person names to a policy: the only place that looks for one in the file system.
//
//   NamedPolicy named = resolve("runs/inv-ff-hist", data.problem(), data.schema());
//
// A spec of a registered policy comes first: a file or folder that is called like one is named with
// its folder, as in ./greedy. Anything else is a run folder or a checkpoint file, of a model or of an
// optimal online policy.
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
  std::string rule;                  // the registry's name of what decides; empty for a model
  std::optional<ModelInfo> trained;  // for a trained model
  std::string digest;                // of the file it was read from, if it was
};

/// Throws Error(kUsage) where there is no such policy, and what reading a file throws. `progress`
/// shows policies that learn when they are made.
NamedPolicy resolve(const std::string& text, Progress& progress = no_progress());

/// The same, fitted to data of this kind.
NamedPolicy resolve(const std::string& text, const Problem& problem, const Schema& schema,
                    Progress& progress = no_progress());

}  // namespace foresight
