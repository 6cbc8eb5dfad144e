#include <atomic>

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

  class CountSteps : public Progress {
   public:
    void advance(std::int64_t steps) override { count += steps; }
    std::atomic<std::int64_t> count = 0;
  } solved;
  const Dataset resumed = solve(data, {}, solved, checkpoint);
  EXPECT_GT(solved.count, 0);
  EXPECT_LE(solved.count, 150) << "what was solved before is solved again";
  EXPECT_EQ(resumed, solve(data, {}, no_progress()));
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
