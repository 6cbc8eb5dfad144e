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
  EXPECT_EQ(record.model, "inv-ff(hidden=4)");
  EXPECT_EQ(record.train, "crowd(u=4,v=6)");
  EXPECT_EQ(record.problem, "e-obm");
  EXPECT_EQ(record.command, "foresight train inv-ff");
  EXPECT_NE(record.trainer.find("reinforce("), std::string::npos);
  EXPECT_EQ(record.epochs, 2);
  EXPECT_EQ(record.column("epoch"), (std::vector<double>{1, 2}));
  EXPECT_NEAR(record.column("best_ratio").back(), result.best_ratio, 1e-6);
  EXPECT_GT(record.column("seconds").front(), 0);
  EXPECT_TRUE(record.column("no such").empty());
}

TEST(RunRecord, FoldersWithoutARunAndDamagedOnesAreRefused) {
  const TempFolder folder;
  EXPECT_FALSE(is_run_folder(folder.path()));
  expect_error(ErrorCode::kData, {"holds no training run", "config.json"},
               [&] { read_run(folder.path()); });
  folder.write_file("config.json", R"({"model": "ff", "trainer": "reinforce", "train": "er"})");
  expect_error(ErrorCode::kData, {"config.json", "no field \"epochs\""},
               [&] { read_run(folder.path()); });
  folder.write_file("config.json",
                    R"({"model": "ff", "trainer": "reinforce", "train": "er", "epochs": 3})");
  const RunRecord stopped = read_run(folder.path());
  EXPECT_TRUE(stopped.column("epoch").empty());
  folder.write_file("metrics.csv", "epoch,value\n1,zero\n");
  expect_error(ErrorCode::kData, {"metrics.csv:2", "value", "zero"},
               [&] { read_run(folder.path()); });
  folder.write_file("metrics.csv", "validation_ratio\n0.5\n");
  expect_error(ErrorCode::kData, {"metrics.csv", "no column \"epoch\"", "validation_ratio"},
               [&] { read_run(folder.path()); });
}

}  // namespace
}  // namespace foresight
