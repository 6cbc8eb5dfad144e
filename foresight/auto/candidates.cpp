#include <algorithm>

#include "foresight/auto/candidates_internal.h"
#include "foresight/model/model.h"
#include "foresight/policy/policy.h"
#include "foresight/rules/saved_rule.h"
#include "foresight/train/trainer.h"

namespace foresight {

bool same_nodes(BoundInstances instances) {
  const Market& first = instances[0].market();
  return std::ranges::all_of(instances, [&](const Instance& instance) {
    const Market& market = instance.market();
    return market.num_fixed == first.num_fixed && std::ranges::equal(market.ids, first.ids) &&
           std::ranges::equal(market.attributes.values, first.attributes.values);
  });
}

std::vector<LearnedCandidate> learned_candidates(BoundInstances examples) {
  const bool same = same_nodes(examples);
  std::vector<LearnedCandidate> candidates;
  for (const auto& entry : models().entries()) {
    const TrainingPlan plan = models().make(entry.name)->plan();
    if (!plan.automatic || (plan.automatic->same_nodes && !same)) continue;
    int number = 0;
    for (const std::string& variant : plan.automatic->variants) {
      const std::string name =
          ++number == 1 ? entry.name : fmt::format("{}-{}", entry.name, number);
      candidates.push_back({name, entry.name, trainer_for(entry.name, variant)});
    }
  }
  return candidates;
}

std::vector<RuleCandidate> rule_candidates(const std::filesystem::path& past) {
  std::vector<RuleCandidate> candidates;
  for (const auto& entry : policies().entries()) {
    Spec spec{entry.name, {}};
    if (learns_from_past(entry.name)) spec.values.emplace_back("train", past.string());
    candidates.push_back({entry.name, spec.to_string()});
  }
  // Of rules that are equally good, the first is kept.
  std::ranges::stable_partition(candidates, [](const auto& rule) { return rule.name == "greedy"; });
  return candidates;
}

std::string gentler(const std::string& model, const std::string& trainer) {
  std::vector<std::pair<std::string, std::string>> changed;
  for (const auto& [name, value] :
       Spec::parse(trainers().canonical(trainer_for(model, trainer))).values) {
    const double factor = name == "lr" ? 0.5 : name == "entropy" ? 0.3 : 1;
    if (factor < 1) changed.push_back({name, fmt::format("{}", factor * std::stod(value))});
  }
  return trainer_with(model, trainer, changed);
}

}  // namespace foresight
