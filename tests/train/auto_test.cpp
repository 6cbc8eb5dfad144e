#include "foresight/train/auto.h"

#include <algorithm>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/model/checkpoint.h"

namespace foresight {
namespace {

RunOptions tiny(const std::string& source, const std::filesystem::path& folder) {
  RunOptions options;
  options.train = source;
  options.instances = 200;
  options.validation_instances = 50;
  options.epochs = 2;
  options.folder = folder;
  return options;
}

std::vector<std::string> names(const AutoResult& result) {
  std::vector<std::string> all;
  for (const auto& [model, ratio] : result.ratios) all.push_back(model);
  return all;
}

/// The models with a place in `train auto`, by whether they need the same nodes in all instances.
std::vector<std::string> automatic(bool with_same_nodes) {
  std::vector<std::string> all;
  for (const auto& entry : models().entries()) {
    const auto plan = models().make(entry.name)->plan().automatic;
    if (plan && (with_same_nodes || !plan->same_nodes)) all.push_back(entry.name);
  }
  return all;
}

TEST(Auto, KeepsTheBestOfWhatSuitsTheData) {
  const TempFolder folder;
  const AutoResult result = train_auto(tiny("crowd(u=4,v=8)", folder.path()), no_progress());
  EXPECT_EQ(names(result), automatic(true));
  EXPECT_GT(automatic(true).size(), automatic(false).size());
  const auto best = std::ranges::max_element(result.ratios, {}, [](auto& it) { return it.second; });
  EXPECT_EQ(result.model, best->first);
  EXPECT_EQ(result.run.best_ratio, best->second);
  EXPECT_EQ(load_model(folder.path()).info.spec, result.model);
}

TEST(Auto, LeavesTheRunOfOneModelAlone) {
  const TempFolder folder;
  RunOptions options = tiny("crowd(u=4,v=6)", folder.path() / "run");
  options.model = "ff";
  train(options, no_progress());
  const std::string before = SafeTensors::open(options.folder / "best.safetensors")->digest();
  for (const bool resume : {false, true}) {
    options.resume = resume;
    expect_error(ErrorCode::kUsage, {"holds a run of one model"},
                 [&] { train_auto(options, no_progress()); });
  }
  EXPECT_EQ(SafeTensors::open(options.folder / "best.safetensors")->digest(), before);
}

TEST(Auto, TriesOnlyInvariantModelsWhereNodesVary) {
  const TempFolder folder;
  const AutoResult result =
      train_auto(tiny("crowd(u=4,v=8,workers=vary)", folder.path() / "a"), no_progress());
  EXPECT_EQ(names(result), automatic(false));
  EXPECT_GT(automatic(false).size(), 1U);
  const AutoResult mixed = train_auto(
      tiny("mix(first=er(u=4,v=8),second=er(u=6,v=9))", folder.path() / "b"), no_progress());
  EXPECT_EQ(names(mixed), automatic(false));
}

TEST(Auto, CountsAllEpisodesOfAnInstance) {
  const auto episodes = [](const char* model) {
    return trainers().make(trainer_for(model, ""))->episodes_per_instance();
  };
  EXPECT_EQ(episodes("value"), 1);
  EXPECT_EQ(episodes("inv-ff-plus"), 8);
}

TEST(Auto, GivesEveryCandidateWhatTwoMinutesAllow) {
  RunOptions options;
  options.instances = 0;
  for (const char* source : {"er(u=10,v=30)", "er(u=100,v=100,p=0.05)", "er(u=94,v=100,p=1)"}) {
    options.train = source;
    const Instance example = sources().make(source)->draw(0, 0);
    const double degree =
        static_cast<double>(example.num_edges()) / static_cast<double>(example.num_arrivals());
    const double cost = std::max(1 + example.market().num_fixed / 25.0, degree / 2);
    const auto runs = auto_candidates(options);
    ASSERT_EQ(runs.size(), automatic(true).size());
    for (const RunOptions& run : runs) {
      const auto trainer = trainers().make(trainer_for(run.model, ""));
      const auto episodes = run.instances * static_cast<std::uint64_t>(run.epochs) *
                            static_cast<std::uint64_t>(trainer->episodes_per_instance());
      EXPECT_LE(static_cast<double>(episodes) * example.num_arrivals() * cost, 66e6) << run.model;
      EXPECT_GE(run.epochs, 5) << run.model;
      EXPECT_EQ(run.instances % static_cast<std::uint64_t>(trainer->batch_size()), 0U);
      EXPECT_LE(run.validation_instances * static_cast<std::uint64_t>(run.epochs),
                std::max<std::uint64_t>(episodes, 100U * static_cast<std::uint64_t>(run.epochs)));
      EXPECT_EQ(run.validation_instances, runs.front().validation_instances) << "judged alike";
    }
  }
}

TEST(Auto, PassesOverALargeFileLessOften) {
  const TempFolder folder;
  const std::string spec = "er(u=4,v=8)";
  for (const std::uint64_t size : {100U, 60'000U}) {
    const auto path = folder.path() / fmt::to_string(size);
    generate(*sources().make(spec), {spec, 1}, size, 1, no_progress()).save(path);
    RunOptions options;
    options.instances = 0;
    options.train = path.string();
    const auto runs = auto_candidates(options);
    for (const RunOptions& run : runs) {
      const int episodes = trainers().make(trainer_for(run.model, ""))->episodes_per_instance();
      const bool cut = size > 100 && episodes == 8;  // eight episodes of each instance
      if (episodes == 1 && run.model != "value") continue;
      EXPECT_EQ(run.epochs, cut ? 13 : 100) << run.model;
    }
  }
}

TEST(Auto, GivesLargerAndDenserGraphsFewerDecisions) {
  EXPECT_EQ(instances_for(12e6, 50, "er(u=10,v=30,p=0.1)"), 5'600U);
  EXPECT_EQ(instances_for(12e6, 50, "er(u=100,v=100,p=0.05)"), 400U);
  EXPECT_EQ(instances_for(120e6, 50, "er(u=100,v=100,p=0.9)"), 400U);
  EXPECT_EQ(instances_for(1, 50, "er(u=10,v=30)"), 200U);
}

}  // namespace
}  // namespace foresight
