// What models see of real markets is worth something: with the column they learn what they cannot
// learn without it.
#include <array>

#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/solve/solver.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

/// The ratio on the training data itself, which holds two kinds of instances.
double best_ratio(const std::string& model, const BoundDataset& data, std::uint64_t seed = 1) {
  const TempFolder folder;
  RunOptions options;
  options.model = model;
  options.train_data = data;
  options.validation_data = data;
  const std::string trainer = Spec::parse(trainer_for(model, "")).name;
  options.trainer = trainer + "(lr=0.01,batch=25)";
  if (trainer == "reinforce") {
    options.trainer =
        "reinforce(lr=0.005,batch=25,rollouts=8,baseline=others,credit=to-go,entropy=0.3,entropy_"
        "end=0)";
  }
  options.epochs = 30;
  options.threads = 1;
  options.seed = seed;
  options.folder = folder.path() / "run";
  return train(options, no_progress()).best_ratio;
}

/// Can the model learn it? A single seed may end in the best of the policies that do not look.
bool learns(const std::string& model, const BoundDataset& data) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    if (best_ratio(model, data, seed) > 0.99) return true;
  }
  return false;
}

BoundDataset gather(const Schema& schema, const std::vector<Instance>& instances) {
  return solve(bind_data(Dataset::gather(schema, {"by hand", 1}, instances)), {}, no_progress());
}

std::vector<std::string> models_that(const auto& fits) {
  std::vector<std::string> names;
  for (const auto& entry : models().entries()) {
    if (fits(entry)) names.push_back(entry.name);
  }
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// One node and two arrivals. The second is worth 1 on some days, and 0.1 on the others. An
/// attribute of the first arrival, which is worth 0.5, tells which day it is.
BoundDataset good_and_bad_days(float bad_day, float good_day) {
  const Schema schema = {.problem = "e-obm", .arrival_attributes = {"demand"}};
  std::vector<Instance> instances;
  for (int i = 0; i < 1000; ++i) {
    const bool good = i % 2 == 0;
    const std::array attributes = {good ? good_day : bad_day};
    InstanceBuilder builder(1);
    for (const float weight : {0.5F, good ? 1.0F : 0.1F}) {
      builder.arrive(std::array{NodeId{0}}, std::array{weight}, kNoType, {}, attributes);
    }
    instances.push_back(std::move(builder).build());
  }
  return gather(schema, instances);
}

class ArrivalAttributes : public testing::TestWithParam<std::string> {};

TEST_P(ArrivalAttributes, TellWhatIsToCome) {
  const BoundDataset data = good_and_bad_days(0, 1);
  // Choices that differ by 0.5 must both be tried.
  const std::string explore = GetParam().ends_with("value") ? ",temperature=0.3" : "";
  const std::string size = GetParam() + "(hidden=16" + explore;
  EXPECT_TRUE(learns(size + ")", data));
  EXPECT_TRUE(learns(size + ")", good_and_bad_days(2000, 2050))) << "in another unit";
  // Always to take the first arrival earns (1 + 0.5) / 2 of the optimum, never to take it less.
  EXPECT_LT(best_ratio(size + ",attributes=0)", data), 0.76);
}

INSTANTIATE_TEST_SUITE_P(Models, ArrivalAttributes,
                         testing::ValuesIn(models_that([](const Entry<Architecture>& entry) {
                           const auto all = models().options(entry);
                           return std::ranges::find(all, "attributes", &OptionInfo::name) !=
                                  all.end();
                         })),
                         test_name);

/// One node with an hour to give. The second arrival, which is worth more, always takes half of it.
/// The first takes as much or all of it, and only its cost tells which.
BoundDataset short_and_long_jobs() {
  const Schema schema = {.problem = "gen-assignment", .capacities = true, .costs = true};
  std::vector<Instance> instances;
  for (int i = 0; i < 1000; ++i) {
    InstanceBuilder builder(1);
    builder.set_capacities({1});
    const std::array node = {NodeId{0}};
    const std::array first = {0.5F}, second = {0.8F};
    const std::array own = {i % 2 == 0 ? 0.5F : 1.0F}, half = {0.5F};
    builder.arrive(Arrival{node, first, kNoType, {}, {}, own});
    builder.arrive(Arrival{node, second, kNoType, {}, {}, half});
    instances.push_back(std::move(builder).build());
  }
  return gather(schema, instances);
}

class Costs : public testing::TestWithParam<std::string> {};

TEST_P(Costs, TellWhichJobsAreTooLong) {
  // Always or never to take the first arrival earns 0.81 of the optimum.
  EXPECT_TRUE(learns(GetParam() + "(hidden=16)", short_and_long_jobs()));
}

INSTANTIATE_TEST_SUITE_P(Models, Costs,
                         testing::ValuesIn(models_that([](const auto&) { return true; })),
                         test_name);

}  // namespace
}  // namespace foresight
