// Dataset::load, and what is done with a dataset: playing, solving, evaluating, saving.
#include "foresight/data/dataset.h"

#include <algorithm>

#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

#include "foresight/base/error.h"
#include "foresight/eval/evaluate.h"
#include "foresight/solve/solver.h"

namespace foresight {

void fuzz_dataset(std::string_view content) {
  const TempFolder folder;
  const Dataset data = Dataset::load(folder.write_file("in", with_digest(content)));
  data.save(folder.path() / "out");
  expect(Dataset::load(folder.path() / "out") == data, "the dataset after saving it again");
  const BoundDataset bound = bind_data(data);
  bool small = data.size() < 10;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Instance instance = data.instance(i);
    small = small && instance.market().num_fixed < 10 && instance.num_arrivals() < 10;
    play_once(data.schema().problem, instance, *policies().make("greedy"));
  }
  if (!small) return;
  // Policies that learn from past instances.
  for (const auto& entry : policies().entries()) {
    const auto options = policies().options(entry);
    if (std::ranges::find(options, "train", &OptionInfo::name) == options.end()) continue;
    try {
      const Spec spec{entry.name, {{"train", (folder.path() / "out").string()}}};
      const auto policy = policies().make(spec.to_string());
      for (std::size_t i = 0; i < data.size(); ++i) {
        play_once(data.schema().problem, data.instance(i), *policy);
      }
    } catch (const Error&) {
      // It cannot learn from these.
    }
  }
  if (!data.labelled()) {
    solve(bound, {.time_limit_seconds = 1, .threads = 1}, no_progress());
    return;
  }
  const std::vector<Contestant> contestants = {make_contestant("greedy", bound)};
  evaluate(bound, contestants, {.threads = 1, .episodes = 2}, no_progress());
}

std::vector<std::string> dataset_seeds() {
  std::vector<std::string> seeds;
  for (const Dataset& data : small_datasets()) {
    seeds.push_back(bytes_of([&](const auto& path) { data.save(path); }));
    const Dataset unlabelled = data.without_labels();
    seeds.push_back(bytes_of([&](const auto& path) { unlabelled.save(path); }));
  }
  return seeds;
}

}  // namespace foresight
