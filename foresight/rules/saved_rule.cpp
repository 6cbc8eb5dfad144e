#include "foresight/rules/saved_rule.h"

#include <algorithm>

#include "foresight/base/error.h"
#include "foresight/base/options.h"

namespace foresight {
namespace {

constexpr const char* kRule = "rule";
constexpr const char* kPast = "train";  // how every rule calls the file that it learns from

}  // namespace

bool learns_from_past(const std::string& name) {
  const auto& entries = policies().entries();
  const auto entry = std::ranges::find(entries, name, &Entry<Policy>::name);
  if (entry == entries.end()) return false;
  const auto options = policies().options(*entry);
  return std::ranges::find(options, kPast, &OptionInfo::name) != options.end();
}

void save_rule(const std::string& spec, const Dataset& past, const std::filesystem::path& path) {
  const bool learns = learns_from_past(Spec::parse(spec).name);
  const Dataset kept = learns ? past.without_labels() : past.select({});
  kept.save(path, {{kRule, spec}});
}

bool is_saved_rule(const SafeTensors& file) {
  return file.metadata().contains(kRule);
}

const std::string& saved_rule(const SafeTensors& file) {
  return file.meta(kRule);
}

std::shared_ptr<const Policy> read_rule(const SafeTensors& file, Progress& progress) {
  try {
    Spec spec = Spec::parse(saved_rule(file));
    if (learns_from_past(spec.name)) spec.values.emplace_back(kPast, file.path().string());
    return policies().make(spec.to_string(), progress);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled) throw;
    fail(ErrorCode::kData, "{}: the rule {} cannot be used: {}", file.path().string(),
         saved_rule(file), error.what());
  }
}

}  // namespace foresight
