// Spec strings, and whatever can be made from one: sources, policies, models and trainers.
#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

#include "foresight/base/error.h"
#include "foresight/model/model.h"
#include "foresight/train/trainer.h"

namespace foresight {
namespace {

constexpr double kLargestNumber = 30;

/// Asks for no large sizes and for no file, also within the specs in its values.
bool is_harmless(const Spec& spec) {
  for (const auto& [key, value] : spec.values) {
    if (value.find('/') != value.npos) return false;
    if (std::strtod(value.c_str(), nullptr) > kLargestNumber) return false;
    try {
      if (!is_harmless(Spec::parse(value))) return false;
    } catch (const Error&) {
      // Not a spec but a number or a word.
    }
  }
  return true;
}

/// Makes and uses one; a spec that names nothing of this kind, or is refused, is no finding.
template <typename T, typename Use>
void try_all(const Registry<T>& registry, const std::string& spec, const Use& use) {
  try {
    const std::shared_ptr<T> made = registry.make(spec);
    use(*made);
  } catch (const Error&) {
  }
}

template <typename T>
void add_defaults(const Registry<T>& registry, std::vector<std::string>& seeds) {
  for (const auto& entry : registry.entries()) {
    Spec spec{entry.name, {}};
    for (const OptionInfo& option : registry.options(entry)) {
      if (option.default_value.empty()) continue;
      spec.values.emplace_back(option.name, option.default_value);
    }
    seeds.push_back(spec.to_string());
    seeds.push_back(entry.name);
  }
}

}  // namespace

void fuzz_spec(std::string_view content) {
  const Spec spec = Spec::parse(content);
  const std::string text = spec.to_string();
  expect(Spec::parse(text) == spec, "the spec after writing it");
  if (!is_harmless(spec)) return;
  const Schema schema{.problem = "e-obm", .fixed_attributes = {"a"}};
  const Instance instance = make_instance(schema, 3, 4);
  try_all(sources(), text, [](const Source& source) {
    const Instance drawn = source.draw(1, 0);
    play_once(source.schema().problem, drawn, *policies().make("greedy"));
    source.arrival_law(drawn.market());
  });
  try_all(policies(), text,
          [&](const Policy& policy) { play_once(schema.problem, instance, policy); });
  try_all(models(), text, [&](const Architecture& architecture) {
    play_once(schema.problem, instance, *architecture.build({schema, 3}));
  });
  try_all(trainers(), text,
          [](const Trainer& trainer) { expect(trainer.batch_size() > 0, "the size of a batch"); });
}

std::vector<std::string> spec_seeds() {
  std::vector<std::string> seeds = {"name( key = value , other=\"quoted, (value)\" )",
                                    "er(u=3,v=4,p=0.5,weights=uniform)",
                                    "mix(first=er(u=2,v=3),second=er(u=3,v=4))",
                                    "optimal-online(source=\"er(u=2,v=3,p=0.5)\")",
                                    "robust(policy=greedy-t(threshold=0.5),expert=ranking,wmax=2)",
                                    "greedy-rt(scale=2,w_max=5)",
                                    "mirror-descent(start=1,eta=2,mirror=entropy)",
                                    "crowd(u=3,v=4)",
                                    "thick-z(u=4,v=8)",
                                    "gnn-hist(embed=2,hidden=2,layers=1,encoder=2)"};
  add_defaults(sources(), seeds);
  add_defaults(policies(), seeds);
  add_defaults(models(), seeds);
  add_defaults(trainers(), seeds);
  return seeds;
}

}  // namespace foresight
