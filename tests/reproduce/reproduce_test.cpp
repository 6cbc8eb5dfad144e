// Experiments that can be interrupted, and the paper's targets.
#include <algorithm>
#include <atomic>

#include "tests/expect_error.h"
#include "tests/shared_data.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/mapped_file.h"
#include "foresight/reproduce/target.h"

namespace foresight {
namespace {

const Scale kTiny{.name = "tiny",
                  .epochs = 3,
                  .instances = 200,
                  .validation_instances = 20,
                  .test_instances = 30};
const DataSpec kCrowd{"crowd", "crowd(u=4,v=8)"};
const Contest kTest{"crowd", kCrowd, {"greedy", "greedy-t"}, {{"inv-ff", kCrowd}, {"ff", kCrowd}}};

/// Counts the jobs begun, and cancels after some steps of training.
class Watcher : public Progress {
 public:
  void begin(std::string_view what, std::int64_t, std::string_view) override {
    jobs.emplace_back(what);
    training_ = what.starts_with("training");
  }
  void advance(std::int64_t steps) override {
    if (training_) trained += steps;
  }
  bool cancelled() const override { return trained >= cancel_after; }

  std::vector<std::string> jobs;
  std::atomic<std::int64_t> trained = 0;
  std::int64_t cancel_after = std::numeric_limits<std::int64_t>::max();

 private:
  std::atomic<bool> training_ = false;
};

std::vector<double> ratios_of(const std::filesystem::path& file, std::size_t policy) {
  return evaluation_from_json(MappedFile(file).text(), "file").policies.at(policy).ratios;
}

TEST(Laboratory, DoesNothingTwice) {
  const TempFolder folder;
  Watcher first;
  const auto file = Laboratory(folder.path(), kTiny, 1, 1, first).run(kTest);
  EXPECT_EQ(std::ranges::count(first.jobs, "training inv-ff on crowd"), 1);
  EXPECT_EQ(std::ranges::count(first.jobs, "training ff on crowd"), 1);
  const std::string before(MappedFile(file).text());
  Watcher second;
  EXPECT_EQ(Laboratory(folder.path(), kTiny, 1, 1, second).run(kTest), file);
  EXPECT_TRUE(second.jobs.empty()) << second.jobs.front();
  EXPECT_EQ(MappedFile(file).text(), before);
}

TEST(Laboratory, GoesOnAfterAnInterruptionToTheSameResult) {
  const TempFolder folder;
  const auto whole = Laboratory(folder.path() / "whole", kTiny, 1, 1, no_progress()).run(kTest);
  Watcher watcher;
  watcher.cancel_after = 2;  // of the 3 updates of the first run
  expect_error(ErrorCode::kCancelled, {"interrupted"},
               [&] { Laboratory(folder.path() / "cut", kTiny, 1, 1, watcher).run(kTest); });
  Watcher rest;
  const auto resumed = Laboratory(folder.path() / "cut", kTiny, 1, 1, rest).run(kTest);
  EXPECT_LT(rest.trained, 6);  // less than both runs from the start
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(ratios_of(resumed, i), ratios_of(whole, i)) << i;
}

TEST(Laboratory, AnotherTestOrScaleIsDoneAnew) {
  const TempFolder folder;
  Laboratory(folder.path(), kTiny, 1, 1, no_progress()).run(kTest);
  Contest fewer = kTest;
  fewer.learned.pop_back();
  Watcher watcher;
  const auto file = Laboratory(folder.path(), kTiny, 1, 1, watcher).run(fewer);
  ASSERT_EQ(watcher.jobs.size(), 2U) << "nothing is drawn or trained again";
  EXPECT_TRUE(watcher.jobs[0].starts_with("greedy-t learns from")) << watcher.jobs[0];
  EXPECT_EQ(watcher.jobs[1], "evaluating on crowd");
  EXPECT_EQ(evaluation_from_json(MappedFile(file).text(), "file").policies.size(), 3U);
}

// With other epochs, new curves stood beside an old table.
TEST(Laboratory, AFolderIsForOneScaleAndOneSeed) {
  const TempFolder folder;
  { Laboratory(folder.path(), kTiny, 1, 1, no_progress()); }
  Scale more = kTiny;
  more.epochs += 1;
  expect_error(ErrorCode::kUsage, {"epochs", "another folder"},
               [&] { Laboratory(folder.path(), more, 1, 1, no_progress()); });
  expect_error(ErrorCode::kUsage, {"seed 1, not 2", "another folder"},
               [&] { Laboratory(folder.path(), kTiny, 2, 1, no_progress()); });
  const Laboratory held(folder.path(), kTiny, 1, 1, no_progress());
  expect_error(ErrorCode::kUsage, {"writing this folder"},
               [&] { Laboratory(folder.path(), kTiny, 1, 1, no_progress()); });
}

TEST(Laboratory, LabelsAreMadeForModelsThatImitate) {
  const TempFolder folder;
  Laboratory laboratory(folder.path(), kTiny, 1, 1, no_progress());
  laboratory.train({"ff-supervised", kCrowd});
  EXPECT_TRUE(Dataset::load(folder.path() / "data/crowd.train").labelled());
  const Contestant contestant =
      make_contestant((folder.path() / "runs/crowd/ff-supervised").string(),
                      bind_data(Dataset::load(folder.path() / "data/crowd.train")));
  EXPECT_EQ(contestant.trained_on, "crowd(u=4,v=8)");
}

TEST(Targets, HaveNamesOfTheirOwnAndClaimsAboutTestsTheyHave) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "gmission");
  std::filesystem::create_directories(folder.path() / "movielens");
  std::set<std::string> names;
  for (const Target& target : paper_targets(folder.path(), "full")) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_FALSE(target.tests.empty()) << target.name;
    std::map<std::string, const Contest*> tests;
    for (const Contest& test : target.tests) {
      EXPECT_TRUE(tests.emplace(test.name, &test).second) << test.name;
    }
    for (const Claim& claim : target.claims) {
      EXPECT_TRUE(tests.contains(claim.test)) << claim.test;
      EXPECT_TRUE(claim.other_test.empty() || tests.contains(claim.other_test)) << claim.text;
    }
    for (const PublishedRatio& ratio : target.published) EXPECT_TRUE(tests.contains(ratio.test));
  }
  EXPECT_EQ(names.size(), 11U);
}

TEST(Targets, WithoutTheirBaseGraphAreEmpty) {
  const TempFolder folder;
  for (const Target& target : paper_targets(folder.path(), "full")) {
    const bool real = target.name.starts_with("gmission") || target.name.starts_with("movielens") ||
                      target.name == "transfer" || target.name == "curves";
    EXPECT_EQ(target.tests.empty(), real) << target.name;
  }
}

TEST(Targets, ClaimsAreJudgedByTheResults) {
  const TempFolder folder;
  Contest contest = kTest;
  contest.data = {"dense", "er(u=4,v=8,p=0.6)"};
  contest.baselines = {"greedy", "random"};
  contest.learned.clear();
  Target target{"own", "Own", {contest}, {}};
  target.claims = {{"greedy is as good as itself", "crowd", "greedy", "greedy", true},
                   {"looking at weights helps", "crowd", "greedy", "random"},
                   {"looking at weights harms", "crowd", "random", "greedy"},
                   {"of another scale", "elsewhere", "greedy", "random"}};
  target.published = {{"crowd", "greedy", 0.5}, {"crowd", "random", 0.75}};
  Laboratory laboratory(folder.path(), kTiny, 1, 1, no_progress());
  Report report("");
  reproduce(target, laboratory, report);
  ASSERT_EQ(report.tables().size(), 2U);
  const auto& claims = report.tables()[0].rows;
  ASSERT_EQ(claims.size(), 3U);
  EXPECT_EQ(claims[0].back(), "yes");
  EXPECT_EQ(claims[1].back(), "yes");
  EXPECT_EQ(claims[2].back(), "no");
  const auto& published = report.tables()[1];
  EXPECT_EQ(published.columns, (std::vector<std::string>{"policy", "crowd", "paper"}));
  EXPECT_EQ(published.rows[1][0], "random");
  EXPECT_EQ(published.rows[1][2], "0.75");
}

}  // namespace
}  // namespace foresight
