// A rule in a file, with the past instances that it learned from, so that one file is the whole
// policy.
//
//   save_rule("bid-price(phases=5)", past, "best.safetensors");
//   auto policy = read_rule(*SafeTensors::open("best.safetensors"), progress);
//
// The file is the dataset of these instances, and its metadata "rule" is the spec without them. A rule
// that learns from nothing has none of them. Reading lets the rule learn again.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "foresight/base/progress.h"
#include "foresight/base/safetensors.h"
#include "foresight/data/dataset.h"
#include "foresight/policy/policy.h"

namespace foresight {

/// Does the rule of this name learn from past instances?
bool learns_from_past(const std::string& name);

/// `spec` must not name a file to learn from. Replaces `path` in one step.
void save_rule(const std::string& spec, const Dataset& past, const std::filesystem::path& path);

bool is_saved_rule(const SafeTensors& file);
/// Its spec, without the past.
const std::string& saved_rule(const SafeTensors& file);

/// Throws Error(kData) if it names no rule, or one that cannot learn from this past.
std::shared_ptr<const Policy> read_rule(const SafeTensors& file, Progress& progress);

}  // namespace foresight
