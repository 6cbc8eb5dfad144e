#include "foresight/base/registry.h"

#include <algorithm>

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

std::string trainer_for(const std::string& model_spec, const std::string& trainer_spec) {
  // Found by the paper's authors in their sweeps, and used for every dataset.
  static const std::map<std::string, std::string> kTuned = {
      {"ff", "reinforce(lr=0.008,decay=0.96,beta=0.75,entropy=0.05)"},
      {"inv-ff", "reinforce(lr=0.02,decay=0.98,beta=0.7,entropy=0.003)"},
      {"ff-hist", "reinforce(lr=0.003,decay=0.98,beta=0.75,entropy=0.03)"},
      {"inv-ff-hist", "reinforce(lr=0.006,decay=0.97,beta=0.8,entropy=0.0006)"},
      {"gnn-hist", "reinforce(lr=0.002,decay=0.99,beta=0.95,entropy=0.05)"},
      {"ff-supervised", "imitation(lr=0.0006,decay=0.99)"},
      // Ours.
      {"inv-ff-plus",
       "reinforce(lr=0.006,schedule=cosine,batch=25,rollouts=8,baseline=others,credit=to-go,"
       "entropy=0.1,entropy_end=0,standardize=1)"},
      {"value", "td(lr=0.003,schedule=cosine)"},
      {"inv-value", "td(lr=0.003,schedule=cosine)"}};
  const auto tuned = kTuned.find(Spec::parse(model_spec).name);
  if (tuned == kTuned.end()) return trainer_spec.empty() ? "reinforce" : trainer_spec;
  if (trainer_spec.empty()) return tuned->second;
  Spec spec = Spec::parse(trainer_spec);
  const Spec defaults = Spec::parse(tuned->second);
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
