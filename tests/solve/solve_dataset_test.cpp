#include <array>
#include <atomic>
#include <random>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/problem/state.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

BoundDataset small(const std::string& spec, std::uint64_t count) {
  return generate(bind_source(spec), 3, count, 1, no_progress());
}

TEST(SolveDataset, LabelsAreFeasibleAndWorthTheirValue) {
  for (const char* spec : {"crowd(u=6,v=12)", "thick-z(u=6,v=24)", "er(u=20,v=10,p=0.2)"}) {
    const BoundDataset data = solve(small(spec, 30), {}, no_progress());
    const auto problem = problems().make(data.schema().problem);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Label label = data.label(i);
      const Instance instance = data.instance(i);
      State state(*problem, instance.market());
      for (int t = 0; t < instance.num_arrivals(); ++t) {
        state.arrive(instance.arrival(t));
        state.decide(label.matching[static_cast<std::size_t>(t)]);
      }
      EXPECT_NEAR(state.value(), label.value, 1e-9);
      EXPECT_TRUE(label.proven());
    }
  }
}

TEST(SolveDataset, OptionsOutOfRangeAreRefused) {
  const BoundDataset data = small("er(u=2,v=2)", 1);
  for (const double limit : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    expect_error(ErrorCode::kUsage,
                 {"solve: time_limit must be a number > 0", fmt::format("\"{}\"", limit)},
                 [&] { solve(data, {.time_limit_seconds = limit}, no_progress()); });
  }
  expect_error(ErrorCode::kUsage, {"solve: threads", "0..4096", "\"5000\""},
               [&] { solve(data, {.threads = 5000}, no_progress()); });
}

TEST(SolveDataset, AGapOutOfRangeIsRefused) {
  const BoundDataset data = small("er(u=2,v=2)", 1);
  for (const double gap : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    expect_error(ErrorCode::kUsage, {"solve: gap", "0..1", fmt::format("\"{}\"", gap)},
                 [&] { solve(data, {.gap = gap}, no_progress()); });
  }
}

class CountSteps : public Progress {
 public:
  void advance(std::int64_t steps) override { count += steps; }
  std::atomic<std::int64_t> count = 0;
};

/// Adwords with bids of all sizes, which needs branch and bound.
BoundDataset auctions(std::uint64_t count) {
  std::mt19937 rng(5);
  std::vector<Instance> instances;
  for (std::uint64_t i = 0; i < count; ++i) {
    InstanceBuilder builder(4);
    builder.set_capacities({1.1f, 0.7f, 1.3f, 0.9f});
    for (int t = 0; t < 20; ++t) {
      std::vector<float> bids(4);
      for (float& bid : bids) bid = 0.1f + 0.3f * std::generate_canonical<float, 24>(rng);
      builder.arrive(std::array{0, 1, 2, 3}, bids);
    }
    instances.push_back(std::move(builder).build());
  }
  return bind_data(Dataset::gather({.problem = "adwords"}, {}, instances));
}

TEST(SolveDataset, LabelsWithinTheGapAreKeptAndASmallerGapImprovesThem) {
  constexpr std::size_t kCount = 12;
  const BoundDataset coarse = solve(auctions(kCount), {.gap = 0.05}, no_progress());
  CountSteps again, finer;
  EXPECT_EQ(Dataset(solve(coarse, {.gap = 0.05}, again)), Dataset(coarse));
  EXPECT_EQ(again.count, 0) << "labels within the gap are solved again";
  const BoundDataset exact = solve(coarse, {.gap = 0}, finer);
  EXPECT_GT(finer.count, 0) << "labels beyond the gap are kept";
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_TRUE(reaches(coarse.label(i), 0.05));
    EXPECT_TRUE(exact.label(i).proven());
    EXPECT_GE(exact.label(i).value, coarse.label(i).value);
    EXPECT_LE(exact.label(i).bound, coarse.label(i).bound);
  }
}

TEST(SolveDataset, ALabelThatIsNotReachedAgainKeepsItsValueAndBound) {
  const BoundDataset data = auctions(1);
  const Label optimum = solve(data, {.gap = 0}, no_progress()).label(0);
  Label loose = optimum;
  loose.bound += 1e-3;  // not within the gap, but known to be this good
  const BoundDataset again = solve(with_labels(data, std::array{loose}),
                                   {.time_limit_seconds = 1e-9, .gap = 0}, no_progress());
  EXPECT_EQ(again.label(0).value, optimum.value);
  EXPECT_LE(again.label(0).bound, loose.bound);
}

/// Cancels after some steps, as Ctrl-C does.
class CancelAfter : public Progress {
 public:
  explicit CancelAfter(std::int64_t steps) : left_(steps) {}
  void advance(std::int64_t steps) override { left_ -= steps; }
  bool cancelled() const override { return left_ <= 0; }

 private:
  std::atomic<std::int64_t> left_;
};

TEST(SolveDataset, AnInterruptedRunGoesOnWhereItStopped) {
  const TempFolder folder;
  const auto input = folder.path() / "data";
  const auto checkpoint = folder.path() / "data.partial";
  small("crowd(u=6,v=12)", 200).save(input);
  const BoundDataset data = bind_data(Dataset::load(input));
  CancelAfter cancel(50);
  expect_error(ErrorCode::kCancelled, {"of 200"}, [&] { solve(data, {}, cancel, checkpoint); });
  ASSERT_TRUE(std::filesystem::exists(checkpoint));

  CountSteps solved;
  const Dataset resumed = solve(data, {}, solved, checkpoint);
  EXPECT_GT(solved.count, 0);
  EXPECT_LE(solved.count, 150) << "what was solved before is solved again";
  EXPECT_EQ(resumed, solve(data, {}, no_progress()));
}

TEST(SolveDataset, ACheckpointForALargerGapIsImproved) {
  const TempFolder folder;
  const auto checkpoint = folder.path() / "data.partial";
  const BoundDataset data = auctions(40);
  CancelAfter cancel(20);
  expect_error(ErrorCode::kCancelled, {"of 40"},
               [&] { solve(data, {.gap = 0.05, .threads = 1}, cancel, checkpoint); });
  CountSteps same;
  solve(data, {.gap = 0.05}, same, checkpoint);
  EXPECT_LE(same.count, 20);
  const BoundDataset exact = solve(data, {.gap = 0}, no_progress(), checkpoint);
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_TRUE(exact.label(i).proven());
}

TEST(SolveDataset, ACheckpointOfOtherDataIsRefused) {
  const TempFolder folder;
  small("crowd(u=6,v=12)", 100).save(folder.path() / "a");
  small("crowd(u=6,v=12)", 101).save(folder.path() / "b");
  CancelAfter cancel(10);
  const auto checkpoint = folder.path() / "partial";
  expect_error(ErrorCode::kCancelled, {}, [&] {
    solve(bind_data(Dataset::load(folder.path() / "a")), {}, cancel, checkpoint);
  });
  expect_error(ErrorCode::kData, {checkpoint.string(), "other data"}, [&] {
    solve(bind_data(Dataset::load(folder.path() / "b")), {}, no_progress(), checkpoint);
  });
}

TEST(SolveDataset, ACheckpointWithALabelThatIsNoneIsRefused) {
  const TempFolder folder;
  const auto checkpoint = folder.path() / "partial";
  const std::vector<std::uint8_t> done = {1};
  const std::vector<double> value = {0};
  const std::vector<NodeId> matching = {7};
  SafeTensorsWriter writer;
  writer.set_meta("format", "foresight-partial-labels");
  const BoundDataset data = small("er(u=3,v=1)", 1);
  writer.set_meta("data", data.content_digest(false));
  writer.add<std::uint8_t>("done", {1}, done);
  writer.add<double>("value", {1}, value);
  writer.add<double>("bound", {1}, value);
  writer.add<NodeId>("matching", {1}, matching);
  writer.write(checkpoint);
  expect_error(ErrorCode::kData, {checkpoint.string(), "instance 0", "node 7"},
               [&] { solve(data, {}, no_progress(), checkpoint); });
}

TEST(SolveDataset, AProblemWithoutItsDataIsRefused) {
  expect_error(ErrorCode::kData, {"adwords", "budget"}, [] {
    solve(bind_data(small("er(u=3,v=4)", 2).for_problem("adwords")), {}, no_progress());
  });
  expect_error(ErrorCode::kData, {"osbm", "topics"}, [] {
    solve(bind_data(small("er(u=3,v=4)", 2).for_problem("osbm")), {}, no_progress());
  });
  expect_error(ErrorCode::kUsage, {"no problem \"tsp\"", "e-obm"}, [] {
    solve(bind_data(small("er(u=3,v=4)", 2).for_problem("tsp")), {}, no_progress());
  });
}

}  // namespace
}  // namespace foresight
