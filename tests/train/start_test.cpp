// Runs that begin with the parameters of another one.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/auto/auto.h"
#include "foresight/model/checkpoint.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

class Started : public testing::Test {
 protected:
  Started() {
    options_.model = "inv-ff-hist(hidden=6)";
    options_.train = "er(u=4,v=16,p=0.4)";
    options_.instances = 400;
    options_.validation_instances = 100;
    options_.epochs = 4;
    options_.folder = folder_.path() / "first";
  }

  /// Trains, and returns options of a run that starts there and learns nothing.
  RunOptions after_first() {
    first_ = train(options_, no_progress());
    RunOptions next = options_;
    next.start = options_.folder.string();
    next.folder = folder_.path() / "next";
    next.trainer = "reinforce(lr=0)";
    next.epochs = 1;
    return next;
  }

  void expect_refused(ErrorCode code, std::initializer_list<std::string> pieces,
                      const RunOptions& options) const {
    expect_error(code, pieces, [&] { train(options, no_progress()); });
    EXPECT_FALSE(std::filesystem::exists(options.folder));
  }

  TempFolder folder_;
  RunOptions options_;
  RunResult first_;
};

TEST_F(Started, TheFirstParametersAreThoseOfTheOtherRun) {
  RunOptions next = after_first();
  EXPECT_EQ(train(next, no_progress()).best_ratio, first_.best_ratio);
  EXPECT_EQ(load_model(next.folder).model->parameters(),
            load_model(options_.folder).model->parameters());
  EXPECT_EQ(load_model(next.folder).info.provenance.at("start"), next.start);
  next.start = (options_.folder / "last.safetensors").string();
  next.folder = folder_.path() / "of-a-file";
  train(next, no_progress());
  EXPECT_EQ(load_model(next.folder).model->parameters(),
            load_model(next.start).model->parameters());
}

TEST_F(Started, LearnsOnFromThere) {
  RunOptions next = after_first();
  next.trainer = "reinforce(lr=0.001)";
  next.seed = 2;
  const double warm = train(next, no_progress()).best_ratio;
  RunOptions cold = next;
  cold.start.clear();
  cold.folder = folder_.path() / "cold";
  EXPECT_GT(warm, train(cold, no_progress()).best_ratio + 0.01);
  EXPECT_NE(load_model(next.folder).model->parameters(),
            load_model(options_.folder).model->parameters());
}

// Drawn parameters are meant for standardised inputs; trained ones have been fitted to them.
TEST_F(Started, TrainedParametersAreNotStandardisedAgain) {
  options_.trainer = "reinforce(standardize=1)";
  RunOptions next = after_first();
  next.trainer = "reinforce(standardize=1,lr=0)";
  train(next, no_progress());
  const auto start = load_model(options_.folder), found = load_model(next.folder);
  const auto then = start.model->parameters().values(), now = found.model->parameters().values();
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(then[i])));
    difference = std::max(difference, std::abs(static_cast<double>(now[i] - then[i])));
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(difference, 1e-4 * largest) << "only rounding";
  EXPECT_NEAR(read_run(next.folder).best_ratio, first_.best_ratio, 1e-3);
}

TEST_F(Started, TheSpecMayHaveOtherWords) {
  RunOptions next = after_first();
  next.model = "inv-ff-hist( layers=2, hidden=06 )";
  EXPECT_EQ(train(next, no_progress()).best_ratio, first_.best_ratio);
}

TEST_F(Started, AnotherModelIsRefusedByBothNames) {
  RunOptions next = after_first();
  next.model = "inv-ff-hist(hidden=7)";
  expect_refused(ErrorCode::kUsage, {"start", "first holds the model", "hidden=6", "hidden=7"},
                 next);
  next.model = "inv-ff";
  expect_refused(ErrorCode::kUsage, {"inv-ff-hist(hidden=6", "inv-ff("}, next);
  next.start = (folder_.path() / "nowhere").string();
  expect_refused(ErrorCode::kIo, {"nowhere"}, next);
}

TEST_F(Started, OtherDataIsRefusedIfTheModelDoesNotFitIt) {
  RunOptions next = after_first();
  next.train = "thick-z(u=4,v=16)";
  expect_refused(ErrorCode::kData, {"start", "e-obm", "adwords"}, next);
  next.train = "er(u=7,v=9,p=0.4)";
  EXPECT_EQ(train(next, no_progress()).epochs, 1) << "an invariant model works with any size";

  options_.model = "ff(hidden=4)";
  options_.folder = folder_.path() / "sized";
  next = after_first();
  next.folder = folder_.path() / "of-another-size";
  next.train = "er(u=7,v=9,p=0.4)";
  expect_refused(ErrorCode::kData, {"start", "4 fixed nodes", "7"}, next);
}

Dataset with_columns(const std::vector<std::string>& names) {
  std::vector<Instance> instances;
  for (int i = 0; i < 10; ++i) {
    InstanceBuilder builder(1);
    const std::vector<float> attributes(names.size(), static_cast<float>(i));
    builder.arrive(std::array{NodeId{0}}, std::array{0.5F}, kNoType, {}, attributes);
    builder.arrive(std::array{NodeId{0}}, std::array{0.7F}, kNoType, {}, attributes);
    instances.push_back(std::move(builder).build());
  }
  const Schema schema{.problem = "e-obm", .arrival_attributes = names};
  return Dataset::gather(schema, {"by hand", 1}, instances);
}

TEST_F(Started, OtherColumnsAreRefused) {
  options_.model = "inv-ff-plus(hidden=4)";
  options_.train_data = options_.validation_data = with_columns({"x", "y"});
  options_.instances = 20;
  RunOptions next = after_first();
  next.train_data = next.validation_data = with_columns({"x", "z"});
  expect_refused(ErrorCode::kData, {"start", "[x, y]", "[x, z]"}, next);
  next.train_data = next.validation_data = with_columns({"y", "x"});
  expect_refused(ErrorCode::kData, {"start", "another order"}, next);
  next.train_data = next.validation_data = options_.train_data;
  EXPECT_EQ(train(next, no_progress()).epochs, 1);
}

TEST_F(Started, ResumingNeedsTheSameStart) {
  RunOptions next = after_first();
  train(next, no_progress());
  const RunRecord record = read_run(next.folder);
  EXPECT_EQ(record.start, next.start);
  EXPECT_FALSE(record.start_digest.empty());
  next.resume = true;
  next.epochs = 2;
  RunOptions other = next;
  other.start.clear();
  expect_error(ErrorCode::kUsage, {"cannot be resumed", "start was", "first"},
               [&] { train(other, no_progress()); });
  std::filesystem::copy(options_.folder, folder_.path() / "moved");
  next.start = (folder_.path() / "moved").string();
  EXPECT_EQ(train(next, no_progress()).epochs, 2) << "a run may be moved";
  options_.seed = 2;
  options_.folder = folder_.path() / "another";
  train(options_, no_progress());
  next.start = options_.folder.string();
  expect_error(ErrorCode::kUsage, {"cannot be resumed", "start", "have changed"},
               [&] { train(next, no_progress()); });
}

TEST_F(Started, AutoStartsNowhere) {
  RunOptions next = after_first();
  next.trainer.clear();
  next.epochs = 0;
  next.instances = 0;
  expect_error(ErrorCode::kUsage, {"auto", "start"}, [&] { train_auto(next, no_progress()); });
}

}  // namespace
}  // namespace foresight
