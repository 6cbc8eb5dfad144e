#include "foresight/train/run_record.h"

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/train/run.h"

namespace foresight {
namespace {

TEST(RunRecord, TellsWhatARunWasAndHowItWent) {
  const TempFolder folder;
  RunOptions options;
  options.model = "inv-ff(hidden=4)";
  options.train = "crowd(u=4,v=6)";
  options.instances = 200;
  options.validation_instances = 20;
  options.epochs = 2;
  options.folder = folder.path() / "run";
  options.command = "foresight train inv-ff";
  const RunResult result = train(options, no_progress());
  ASSERT_TRUE(is_run_folder(options.folder));
  const RunRecord record = read_run(options.folder);
  EXPECT_EQ(record.model, "inv-ff(hidden=4,layers=2)") << "with all options";
  EXPECT_TRUE(record.train.starts_with("crowd(u=4,v=6,")) << record.train;
  EXPECT_EQ(record.validation, record.train);
  EXPECT_EQ(record.problem, "e-obm");
  EXPECT_EQ(record.command, "foresight train inv-ff");
  EXPECT_NE(record.trainer.find("reinforce("), std::string::npos);
  EXPECT_EQ(record.epochs, 2);
  EXPECT_EQ(record.metrics["epoch"], (std::vector<double>{1, 2}));
  EXPECT_EQ(record.best_ratio, result.best_ratio);
  EXPECT_EQ(record.best_epoch, result.best_epoch);
  EXPECT_GT(record.timing["seconds"].front(), 0);
  EXPECT_TRUE(record.metrics["no such"].empty());
}

TEST(RunRecord, SaysWhichRuleTheModelIsNoBetterThan) {
  RunRecord record;
  record.best_epoch = 1;
  record.best_ratio = 0.8;
  EXPECT_FALSE(record.unbeaten()) << "of an earlier version";
  record.greedy_ratio = 0.7;
  record.threshold_ratio = 0.7;
  record.rival_p = 0.2;
  EXPECT_EQ(record.unbeaten()->name, "greedy");
  record.threshold_ratio = 0.75;
  EXPECT_EQ(record.unbeaten()->name, "greedy-t");
  EXPECT_EQ(record.unbeaten()->ratio, 0.75);
  EXPECT_EQ(record.unbeaten()->p, 0.2);
  record.rival_p = 0.04;
  EXPECT_FALSE(record.unbeaten());
}

TEST(RunRecord, FoldersWithoutARunAndDamagedOnesAreRefused) {
  const TempFolder folder;
  EXPECT_FALSE(is_run_folder(folder.path()));
  expect_error(ErrorCode::kData, {"does not hold a training run", "config.json"},
               [&] { read_run(folder.path()); });
  folder.write_file("config.json", R"({"model": "ff", "trainer": "reinforce", "train": "er"})");
  expect_error(ErrorCode::kData, {"config.json", "no field \"problem\""},
               [&] { read_run(folder.path()); });
  folder.write_file("last.safetensors", "damaged");
  expect_error(ErrorCode::kData, {"last.safetensors", "too few"}, [&] { read_run(folder.path()); });
}

// Only the record counts; metrics.csv is a copy of it for people.
TEST(RunRecord, AMetricsFileThatSomebodySpoiltChangesNothing) {
  const TempFolder folder;
  RunOptions options;
  options.model = "inv-ff(hidden=4)";
  options.train = "crowd(u=4,v=6)";
  options.instances = 200;
  options.validation_instances = 20;
  options.epochs = 2;
  options.folder = folder.path() / "run";
  train(options, no_progress());
  const RunRecord before = read_run(options.folder);
  std::ofstream(options.folder / "metrics.csv") << "value\nzero\n";
  EXPECT_EQ(read_run(options.folder).metrics, before.metrics);
}

}  // namespace
}  // namespace foresight
