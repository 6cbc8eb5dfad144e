#include "foresight/base/registry.h"

#include <algorithm>
#include <cmath>

#include "foresight/train/trainer.h"

namespace foresight {

#define FORESIGHT_ENTRY(name) Entry<Trainer> name##_trainer();
#include "foresight/train/registry.inc"
#undef FORESIGHT_ENTRY

Registry<Trainer>& trainers() {
  static Registry<Trainer> registry("trainer", {
#define FORESIGHT_ENTRY(name) name##_trainer(),
#include "foresight/train/registry.inc"
#undef FORESIGHT_ENTRY
                                               });
  return registry;
}

double TrainerState::number(const std::string& name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end()) {
    fail(ErrorCode::kData, "the saved state of the trainer has no number \"{}\"", name);
  }
  return found->second;
}

std::int64_t TrainerState::count(const std::string& name) const {
  constexpr double kMost = 1LL << 53;  // up to here all are exact
  const double value = number(name);
  if (!(value >= 0 && value <= kMost && value == std::floor(value))) {
    fail(ErrorCode::kData, "the saved state of the trainer has {} for \"{}\", not a whole number",
         value, name);
  }
  return static_cast<std::int64_t>(value);
}

void TrainerState::copy(const std::string& name, std::span<float> to) const {
  const auto found = arrays.find(name);
  if (found == arrays.end() || found->second.size() != to.size()) {
    fail(ErrorCode::kData, "the saved state of the trainer has {} entries in \"{}\", expected {}",
         found == arrays.end() ? 0 : found->second.size(), name, to.size());
  }
  std::ranges::transform(found->second, to.begin(),
                         [](double value) { return static_cast<float>(value); });
}

std::string trainer_for(const std::string& model_spec, const std::string& trainer_spec) {
  const std::string own = models().make(model_spec)->plan().trainer;
  if (trainer_spec.empty()) return own;
  Spec spec = Spec::parse(trainer_spec);
  const Spec defaults = Spec::parse(own);
  if (spec.name != defaults.name) return trainer_spec;
  for (const auto& value : defaults.values) {
    const bool given = std::any_of(spec.values.begin(), spec.values.end(),
                                   [&](const auto& other) { return other.first == value.first; });
    if (!given) spec.values.push_back(value);
  }
  return spec.to_string();
}

std::string trainer_with(const std::string& model_spec, const std::string& trainer_spec,
                         const std::vector<std::pair<std::string, std::string>>& options) {
  Spec spec = Spec::parse(trainer_for(model_spec, trainer_spec));
  for (const auto& option : options) {
    std::erase_if(spec.values, [&](const auto& value) { return value.first == option.first; });
    spec.values.push_back(option);
  }
  std::string text = spec.to_string();
  trainers().make(text);
  return text;
}

}  // namespace foresight
