// What is bound fits: instances have what their problem needs, and labels are matchings worth what
// they say.
#include "foresight/problem/bound.h"

#include <limits>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/solve/solver.h"

namespace foresight {
namespace {

/// Three instances of one problem, each with two fixed nodes and two arrivals that join both.
Dataset three(const std::string& problem) {
  InstanceBuilder builder(2);
  if (problem == "adwords") builder.set_capacities({0.75F, 1});
  for (int t = 0; t < 2; ++t) {
    builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.5F, 0.25F});
  }
  const std::vector<Instance> instances(3, std::move(builder).build());
  return Dataset::gather({.problem = problem}, {"by hand", 1}, instances);
}

/// With the label of the last instance replaced.
Dataset with_last_label(const Dataset& data, const Label& label) {
  const BoundDataset solved = solve(bind_data(data), {}, no_progress());
  std::vector<Label> labels;
  for (std::size_t i = 0; i < solved.size(); ++i) labels.push_back(solved.label(i));
  labels.back() = label;
  return solved.with_labels(labels);
}

void expect_label_refused(const std::string& problem, const Label& label,
                          std::initializer_list<std::string> pieces) {
  const Dataset data = with_last_label(three(problem), label);
  expect_error(ErrorCode::kData, {"instance 2: ", "solve FILE --again"}, [&] { bind_data(data); });
  expect_error(ErrorCode::kData, pieces, [&] { bind_data(data); });
  // A file of them is as bad, and as good once they are dropped.
  const TempFolder folder;
  data.save(folder.path() / "data");
  expect_error(ErrorCode::kData, {(folder.path() / "data").string(), "instance 2: "},
               [&] { bind_data(Dataset::load(folder.path() / "data")); });
  EXPECT_FALSE(bind_data(data.without_labels()).labelled());
}

TEST(BindData, ALabelThatUsesANodeTwiceIsRefused) {
  expect_label_refused("e-obm", {1, 1, {0, 0}}, {"arrival 1", "node 0", "0 remain"});
}

TEST(BindData, ALabelThatSpendsMoreThanTheBudgetIsRefused) {
  expect_label_refused("adwords", {1, 1, {0, 0}}, {"arrival 1", "node 0", "0.25 remain"});
}

TEST(BindData, ALabelWhoseValueDoesNotFitItsMatchingIsRefused) {
  expect_label_refused("e-obm", {0.9, 0.9, {0, 1}}, {"value 0.9", "worth 0.75"});
  expect_label_refused("adwords", {0.5, 0.75, {0, 1}}, {"value 0.5", "worth 0.75"});
}

// From the library, labels need not come from a file that was checked.
TEST(BindData, LabelsThatNoFileCouldHoldAreRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const Label& label, std::initializer_list<std::string> pieces) {
    expect_error(ErrorCode::kData, pieces,
                 [&] { bind_data(with_last_label(three("e-obm"), label)); });
  };
  refused({0.5, 0.5, {0, 99}}, {"instance 2: ", "arrival 1", "node 99", "no such edge"});
  refused({0.5, 0.5, {0, -7}}, {"instance 2: ", "arrival 1", "node -7", "no such edge"});
  refused({kNan, 1, {0, 1}}, {"instance 2: ", "value nan"});
  refused({0.75, 0.5, {0, 1}}, {"instance 2: ", "bound 0.5", "value 0.75"});
  refused({0.75, kNan, {0, 1}}, {"instance 2: ", "bound nan"});
  const Dataset data = three("e-obm");
  const auto problem = problems().make("e-obm");
  expect_error(ErrorCode::kData, {"decides about 1 arrivals", "there are 2"}, [&] {
    check_label(*problem, data.instance(0), {0.5, 0.5, {0}});
  });
}

TEST(BindData, LabelsOfASolverAreAcceptedEvenIfRounded) {
  for (const char* spec : {"crowd(u=6,v=20)", "thick-z(u=6,v=60)", "triangular(u=5,v=20)"}) {
    const BoundSource source = bind_source(spec);
    const BoundDataset data = solve(generate(source, 3, 20, 1, no_progress()), {}, no_progress());
    EXPECT_EQ(bind_data(data), data);
  }
}

TEST(BindData, DataWithoutWhatItsProblemNeedsIsRefused) {
  expect_error(ErrorCode::kData, {"instance 0: ", "adwords", "budget"},
               [] { bind_data(three("e-obm").for_problem("adwords")); });
  expect_error(ErrorCode::kData, {"instance 0: ", "osbm", "topics"},
               [] { bind_data(three("e-obm").for_problem("osbm")); });
  expect_error(ErrorCode::kData, {"er", "instance 0: ", "adwords"},
               [] { bind_source("er", "adwords").draw(1, 0); });
}

TEST(SameProblem, SpellingOutADefaultMakesNoDifference) {
  EXPECT_TRUE(same_problem({.problem = "e-obm"}, {.problem = "e-obm()"}));
  EXPECT_FALSE(same_problem({.problem = "e-obm"}, {.problem = "adwords"}));
}

}  // namespace
}  // namespace foresight
