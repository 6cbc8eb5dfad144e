#include "foresight/nn/parameters.h"

#include <algorithm>
#include <cmath>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

Parameters example() {
  Parameters parameters;
  parameters.add("weight", {2, 3});
  parameters.add("bias", {2});
  parameters.add("scale", {});
  return parameters;
}

TEST(Parameters, TensorsFollowEachOtherInOneBuffer) {
  Parameters parameters = example();
  EXPECT_EQ(parameters.values().size(), 9u);
  ASSERT_EQ(parameters.tensors().size(), 3u);
  EXPECT_EQ(parameters.tensors()[1].name, "bias");
  EXPECT_EQ(parameters.tensors()[1].offset, 6u);
  EXPECT_EQ(parameters.tensors()[0].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(parameters.tensors()[2].size, 1u) << "a tensor without dimensions is a number";

  parameters["bias"][1] = 5;
  EXPECT_EQ(parameters.values()[7], 5);
  const Parameters& constant = parameters;
  EXPECT_EQ(constant["bias"].data(), constant.values().data() + 6);
}

TEST(Parameters, StartAtZeroAndKeepTheirValuesWhenMoreAreAdded) {
  Parameters parameters = example();
  EXPECT_TRUE(std::ranges::all_of(parameters.values(), [](float x) { return x == 0; }));
  parameters["weight"][5] = 3;
  parameters.add("more", {100});
  EXPECT_EQ(parameters["weight"][5], 3);
}

TEST(Parameters, AreComparedByLayoutAndValue) {
  Parameters a = example();
  Parameters b = a;
  EXPECT_EQ(a, b);
  b["scale"][0] = 1;
  EXPECT_NE(a, b);
  EXPECT_TRUE(a.same_layout(b));
  Parameters renamed;
  renamed.add("weight", {3, 2});
  renamed.add("bias", {2});
  renamed.add("scale", {});
  EXPECT_FALSE(a.same_layout(renamed));
  EXPECT_NE(a, renamed);
}

TEST(Parameters, ZerosHaveTheSameLayoutAndLeaveTheOriginalAlone) {
  Parameters parameters = example();
  parameters["scale"][0] = 2;
  EXPECT_EQ(parameters.zeros(), example());
  EXPECT_EQ(parameters["scale"][0], 2);
  parameters.set_zero();
  EXPECT_EQ(parameters, example());
}

TEST(Parameters, AreAddedValueByValue) {
  Parameters a = example(), b = example();
  for (std::size_t i = 0; i < 9; ++i) {
    a.values()[i] = static_cast<float>(i);
    b.values()[i] = 0.5f;
  }
  add(a, b);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(a.values()[i], static_cast<float>(i) + 0.5f);
  EXPECT_EQ(b.values()[3], 0.5f);
}

TEST(Parameters, RefuseATakenNameAndNameAMissingOne) {
  Parameters parameters = example();
  expect_error(ErrorCode::kUsage, {"bias"}, [&] { parameters.add("bias", {7}); });
  expect_error(ErrorCode::kUsage, {"offset"}, [&] { parameters["offset"]; });
  EXPECT_EQ(parameters, example());
}

TEST(InitialiseLinear, IsUniformWithinOneOverTheRootOfTheFanIn) {
  std::vector<float> values(20'000);
  Rng rng(1, Stream::kPolicy, 0);
  initialise_linear(values, 16, rng);
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_GE(low, -0.25f);
  EXPECT_LE(high, 0.25f);
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 0.005);
  EXPECT_NEAR(squares / count, 0.25 * 0.25 / 3, 0.0005) << "the variance of a uniform number";
}

TEST(InitialiseLinear, DependsOnNothingButTheStream) {
  std::vector<float> a(10), b(10), other(10);
  Rng first(1, Stream::kPolicy, 0), same(1, Stream::kPolicy, 0), different(2, Stream::kPolicy, 0);
  initialise_linear(a, 3, first);
  initialise_linear(b, 3, same);
  initialise_linear(other, 3, different);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, other);
}

}  // namespace
}  // namespace foresight
