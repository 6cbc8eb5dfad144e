// What a run says about rules that need no training.
#include <algorithm>

#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/policy/play.h"
#include "foresight/rules/thresholds.h"
#include "foresight/solve/solver.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

BoundDataset drawn(std::size_t count, std::uint64_t seed) {
  const BoundSource source = bind_source("er(u=4,v=16,p=0.4)");
  return solve(generate(source, seed, count, 1, no_progress()), {}, no_progress());
}

double ratio_of(const Policy& policy, const BoundDataset& data) {
  const auto rollouts = play(data, policy, {}, 1, no_progress());
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) sum += rollouts[i].value / data.label(i).bound;
  return sum / static_cast<double>(data.size());
}

class RivalsOfARun : public testing::Test {
 protected:
  RivalsOfARun() {
    options_.model = "inv-ff-hist";
    options_.train_data = drawn(200, 1);
    options_.validation_data = validation_;
    options_.instances = 2'000;
    options_.epochs = 8;
    options_.folder = folder_.path() / "run";
  }

  TempFolder folder_;
  BoundDataset validation_ = drawn(300, 2);
  RunOptions options_;
};

TEST_F(RivalsOfARun, AreGreedyAndAThresholdThatTheTrainingDataChose) {
  options_.epochs = 1;
  const RunResult result = train(options_, no_progress());
  EXPECT_NEAR(*result.greedy_ratio, ratio_of(*policies().make("greedy"), validation_), 1e-12);
  options_.train_data->save(folder_.path() / "past");
  const auto tuned =
      policies().make(fmt::format("greedy-t(train=\"{}\")", (folder_.path() / "past").string()));
  EXPECT_NEAR(*result.threshold_ratio, ratio_of(*tuned, validation_), 1e-12);
  EXPECT_GT(*result.threshold_ratio, *result.greedy_ratio + 0.01);
  EXPECT_EQ(tuned_greedy_t(bind_data(*options_.train_data), no_progress())->resolved_spec(),
            tuned->resolved_spec());
  const RunRecord record = read_run(options_.folder);
  EXPECT_EQ(record.greedy_ratio, result.greedy_ratio);
  EXPECT_EQ(record.threshold_ratio, result.threshold_ratio);
}

TEST_F(RivalsOfARun, AreBeatenByAModelThatLearned) {
  const RunResult result = train(options_, no_progress());
  EXPECT_GT(result.best_ratio, *result.threshold_ratio);
  EXPECT_FALSE(result.unbeaten);
  EXPECT_LT(read_run(options_.folder).rival_p, 0.001);
}

TEST_F(RivalsOfARun, AreNotBeatenByAModelThatDidNot) {
  options_.trainer = "reinforce(lr=0)";
  options_.epochs = 1;
  const RunResult result = train(options_, no_progress());
  ASSERT_TRUE(result.unbeaten);
  EXPECT_EQ(result.unbeaten->name, "greedy-t");
  EXPECT_EQ(result.unbeaten->ratio, result.threshold_ratio);
  EXPECT_GT(result.unbeaten->p, 0.05);
  options_.resume = true;
  EXPECT_TRUE(train(options_, no_progress()).unbeaten) << "a run that is done says it, too";
}

// One instance can show nothing.
TEST_F(RivalsOfARun, NeedEnoughInstancesToBeBeaten) {
  options_.validation_data = drawn(1, 2);
  const RunResult result = train(options_, no_progress());
  ASSERT_TRUE(result.unbeaten);
  EXPECT_EQ(result.unbeaten->p, 0.5);
}

}  // namespace
}  // namespace foresight
