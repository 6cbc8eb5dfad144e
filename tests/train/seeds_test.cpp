#include "foresight/train/seeds.h"

#include <algorithm>
#include <limits>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

class Seeds : public testing::Test {
 protected:
  Seeds() {
    options_.model = "inv-ff(hidden=4)";
    options_.train = "crowd(u=4,v=6)";
    options_.instances = 100;
    options_.validation_instances = 20;
    options_.epochs = 2;
    options_.seed = 5;
    options_.folder = folder_.path() / "runs";
  }

  TempFolder folder_;
  RunOptions options_;
};

TEST_F(Seeds, EachHasItsRunAndAllAreJudgedAlike) {
  const SeedsResult result = train_seeds(options_, 3, no_progress());
  ASSERT_EQ(result.runs.size(), 3U);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < 3; ++i) {
    const SeedRun& run = result.runs[i];
    EXPECT_EQ(run.seed, 5 + i);
    EXPECT_EQ(run.folder, options_.folder / fmt::format("seed-{}", 5 + i));
    const RunRecord record = read_run(run.folder);
    EXPECT_EQ(record.seed, run.seed);
    EXPECT_EQ(record.best_ratio, run.trained.ratio);
    EXPECT_EQ(record.greedy_ratio, read_run(result.runs[0].folder).greedy_ratio)
        << "the same validation instances";
    ratios.push_back(run.trained.ratio);
  }
  EXPECT_NE(read_run(result.runs[0].folder).metrics, read_run(result.runs[1].folder).metrics);
  EXPECT_NEAR(result.ratio.mean, (ratios[0] + ratios[1] + ratios[2]) / 3, 1e-12);
  EXPECT_EQ(ratios[result.best], *std::ranges::max_element(ratios));

  // The first is the run that its seed gives alone.
  options_.folder = folder_.path() / "alone";
  train(options_, no_progress());
  EXPECT_EQ(read_run(options_.folder).metrics, read_run(result.runs[0].folder).metrics);
}

TEST_F(Seeds, CanBeResumedAndAddedTo) {
  int trained = 0;
  const auto once = [&](const RunOptions& run, Progress& progress) {
    if (++trained == 2) fail(ErrorCode::kCancelled, "interrupted");
    return Trained{run.model, train(run, progress).best_ratio};
  };
  expect_error(ErrorCode::kCancelled, {}, [&] { train_seeds(options_, 3, no_progress(), once); });
  expect_error(ErrorCode::kUsage, {"seed-5", "resume it"},
               [&] { train_seeds(options_, 3, no_progress()); });
  options_.resume = true;
  const SeedsResult found = train_seeds(options_, 3, no_progress());
  EXPECT_EQ(train_seeds(options_, 4, no_progress()).runs.size(), 4U);
  options_.folder = folder_.path() / "whole";
  const SeedsResult whole = train_seeds(options_, 3, no_progress());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.runs[i].trained.ratio, whole.runs[i].trained.ratio);
  }
}

TEST_F(Seeds, AFolderOfOneRunIsLeftAlone) {
  train(options_, no_progress());
  options_.resume = true;
  expect_error(ErrorCode::kUsage, {"a run of one seed"},
               [&] { train_seeds(options_, 2, no_progress()); });
}

TEST_F(Seeds, WhatCannotBeIsRefused) {
  expect_error(ErrorCode::kUsage, {"seeds must be 1 or more"},
               [&] { train_seeds(options_, 0, no_progress()); });
  options_.seed = std::numeric_limits<std::uint64_t>::max();
  expect_error(ErrorCode::kUsage, {"no 2 seeds"}, [&] { train_seeds(options_, 2, no_progress()); });
  EXPECT_FALSE(std::filesystem::exists(options_.folder));
}

// A run that was judged on the instances of another seed goes on with these.
TEST_F(Seeds, ARunOfThemIsResumedAmongThem) {
  const SeedsResult result = train_seeds(options_, 2, no_progress());
  RunOptions second = options_;
  second.seed = 6;
  second.folder = result.runs[1].folder;
  second.resume = true;
  second.epochs = 3;
  expect_error(ErrorCode::kUsage, {"validation_seed", "\"5\"", "\"6\""},
               [&] { train(second, no_progress()); });
  second.validation_seed = 5;
  EXPECT_EQ(train(second, no_progress()).epochs, 3);
}

}  // namespace
}  // namespace foresight
