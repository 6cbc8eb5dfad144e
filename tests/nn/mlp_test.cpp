#include "foresight/nn/mlp.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

using InputGradient = PackedMlp::InputGradient;

/// A perceptron in double, in plain loops: what it computes is beyond doubt.
class Reference {
 public:
  Reference(const Mlp& mlp, const Parameters& parameters) : sizes_(mlp.sizes()) {
    for (std::size_t i = 0; i < mlp.num_layers(); ++i) {
      const auto weight = parameters[mlp.weight_name(i)];
      const auto bias = parameters[mlp.bias_name(i)];
      values_.insert(values_.end(), weight.begin(), weight.end());
      values_.insert(values_.end(), bias.begin(), bias.end());
    }
  }

  /// All parameters, in the order of the buffer they came from.
  std::vector<double>& values() { return values_; }

  std::vector<double> output(std::vector<double> x) const {
    const double* value = values_.data();
    for (std::size_t layer = 0; layer + 1 < sizes_.size(); ++layer) {
      std::vector<double> y(sizes_[layer + 1]);
      for (double& sum : y) {
        for (const double xi : x) sum += xi * *value++;
      }
      for (double& sum : y) sum += *value++;
      if (layer + 2 < sizes_.size()) {
        for (double& sum : y) sum = std::max(sum, 0.0);
      }
      x = y;
    }
    return x;
  }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<double> values_;
};

std::vector<std::vector<std::size_t>> shapes() {
  return {{1, 1},         {1, 1, 1},  {3, 2},       {5, 7, 1},      {16, 100, 100, 1},
          {9, 1, 4},      {17, 8, 8}, {8, 33, 16},  {2, 64, 65, 3}, {63, 100, 100, 100, 11},
          {200, 130, 13}, {40, 12},   {7, 5, 1, 2}, {513, 20, 101}};
}

class MlpTest : public testing::TestWithParam<const Kernels*> {
 protected:
  /// One perceptron with random weights and random rows on a tape, ready for `backward`.
  struct Setup {
    Setup(const Kernels& kernels, const std::vector<std::size_t>& sizes, std::size_t rows)
        : mlp("ff", sizes), packed(mlp, kernels), tape(packed) {
      mlp.declare(parameters);
      mlp.initialise(parameters, rng);
      packed.load(parameters);
      add_rows(rows);
    }
    void add_rows(std::size_t rows) {
      const std::size_t first = tape.append(rows);
      for (std::size_t row = first; row < tape.rows(); ++row) fill(tape.input(row));
      packed.forward(tape);
      for (std::size_t row = first; row < tape.rows(); ++row) fill(tape.output_gradient(row));
    }
    void fill(std::span<float> values) {
      for (float& value : values) value = static_cast<float>(rng.normal());
    }
    /// What `backward` differentiates.
    double objective(const Reference& reference) {
      double sum = 0;
      for (std::size_t row = 0; row < tape.rows(); ++row) {
        const auto input = tape.input(row);
        const auto output = reference.output({input.begin(), input.end()});
        const auto gradient = tape.output_gradient(row);
        for (std::size_t i = 0; i < output.size(); ++i) sum += output[i] * gradient[i];
      }
      return sum;
    }

    Rng rng{7, Stream::kPolicy, 0};
    Mlp mlp;
    Parameters parameters;
    PackedMlp packed;
    MlpTape tape;
  };

  const Kernels& kernels_ = *GetParam();
};

TEST_P(MlpTest, OutputsMatchPlainLoopsInDouble) {
  for (const auto& sizes : shapes()) {
    for (const std::size_t rows : {1u, 2u, 3u, 50u, 97u}) {
      Setup setup(kernels_, sizes, rows);
      const Reference reference(setup.mlp, setup.parameters);
      for (std::size_t row = 0; row < rows; ++row) {
        const auto input = setup.tape.input(row);
        const auto expected = reference.output({input.begin(), input.end()});
        const auto output = setup.tape.output(row);
        ASSERT_EQ(output.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          ASSERT_NEAR(output[i], expected[i], 1e-5) << "row " << row << ", output " << i;
        }
      }
    }
  }
}

TEST_P(MlpTest, EveryGradientMatchesFiniteDifferences) {
  constexpr double kStep = 1e-5;
  constexpr std::size_t kMaxChecks = 120;  // differences per shape: large ones are sampled
  for (const auto& sizes : shapes()) {
    for (const std::size_t rows : {1u, 5u}) {
      Setup setup(kernels_, sizes, rows);
      Parameters gradient = setup.parameters.zeros();
      setup.packed.backward(setup.tape, gradient, InputGradient::kYes);

      Reference reference(setup.mlp, setup.parameters);
      const std::size_t stride = reference.values().size() / kMaxChecks + 1;
      for (std::size_t i = 0; i < reference.values().size(); i += stride) {
        double& value = reference.values()[i];
        const double before = value;
        value = before + kStep;
        const double above = setup.objective(reference);
        value = before - kStep;
        const double below = setup.objective(reference);
        value = before;
        ASSERT_NEAR(gradient.values()[i], (above - below) / (2 * kStep), 1e-4) << "parameter " << i;
      }

      const std::size_t row = rows - 1;
      const auto input = setup.tape.input(row);
      const auto weights = setup.tape.output_gradient(row);
      for (std::size_t i = 0; i < input.size(); ++i) {
        std::vector<double> x(input.begin(), input.end());
        x[i] += kStep;
        const auto above = reference.output(x);
        x[i] -= 2 * kStep;
        const auto below = reference.output(x);
        double slope = 0;
        for (std::size_t k = 0; k < above.size(); ++k) {
          slope += weights[k] * (above[k] - below[k]) / (2 * kStep);
        }
        ASSERT_NEAR(setup.tape.input_gradient(row)[i], slope, 1e-4) << "input " << i;
      }
    }
  }
}

TEST_P(MlpTest, GradientsOfManyRowsAreTheSumOfTheGradientsOfEach) {
  for (const auto& sizes : shapes()) {
    Setup setup(kernels_, sizes, 131);
    Parameters gradient = setup.parameters.zeros();
    setup.packed.backward(setup.tape, gradient, InputGradient::kYes);

    Parameters sum = setup.parameters.zeros();
    MlpTape one(setup.packed);
    for (std::size_t row = 0; row < setup.tape.rows(); ++row) {
      one.clear();
      one.append(1);
      std::ranges::copy(setup.tape.input(row), one.input(0).begin());
      setup.packed.forward(one);
      std::ranges::copy(setup.tape.output_gradient(row), one.output_gradient(0).begin());
      setup.packed.backward(one, sum, InputGradient::kYes);
      EXPECT_TRUE(std::ranges::equal(one.input_gradient(0), setup.tape.input_gradient(row)));
    }
    for (std::size_t i = 0; i < sum.values().size(); ++i) {
      ASSERT_NEAR(gradient.values()[i], sum.values()[i], 1e-4) << "parameter " << i;
    }
  }
}

TEST_P(MlpTest, ARowGivesTheSameBitsAloneAndInABatch) {
  for (const auto& sizes : shapes()) {
    Setup setup(kernels_, sizes, 61);
    MlpTape alone(setup.packed, MlpTape::Record::kNo);
    for (std::size_t row = 0; row < setup.tape.rows(); ++row) {
      alone.clear();
      alone.append(1);
      std::ranges::copy(setup.tape.input(row), alone.input(0).begin());
      setup.packed.forward(alone);
      EXPECT_TRUE(std::ranges::equal(alone.output(0), setup.tape.output(row))) << "row " << row;
    }
  }
}

TEST_P(MlpTest, StepsOfAnyLengthGiveTheSameBits) {
  Setup whole(kernels_, {16, 100, 100, 1}, 150);
  Setup steps(kernels_, {16, 100, 100, 1}, 0);
  for (const std::size_t rows : {1u, 60u, 0u, 3u, 86u}) {
    const std::size_t first = steps.tape.append(rows);
    for (std::size_t row = first; row < first + rows; ++row) {
      std::ranges::copy(whole.tape.input(row), steps.tape.input(row).begin());
    }
    steps.packed.forward(steps.tape);
  }
  Parameters a = whole.parameters.zeros(), b = a;
  for (std::size_t row = 0; row < 150; ++row) {
    EXPECT_TRUE(std::ranges::equal(steps.tape.output(row), whole.tape.output(row)));
    std::ranges::copy(whole.tape.output_gradient(row), steps.tape.output_gradient(row).begin());
  }
  whole.packed.backward(whole.tape, a);
  steps.packed.backward(steps.tape, b);
  EXPECT_EQ(a, b);
}

// Tapes grow in blocks of 1024 rows and 1024 groups. Steps end before, at and after their ends.
TEST_P(MlpTest, LongTapesGiveTheSameBitsAsShortOnes) {
  constexpr std::size_t kShared = 3, kGroups = 2'600;
  Rng rng(3, Stream::kPolicy, 0);
  const auto fill = [&](std::span<float> values) {
    for (float& value : values) value = static_cast<float>(rng.normal());
  };
  const Mlp mlp("ff", {8, 9, 2}, kShared);
  Parameters parameters;
  mlp.declare(parameters);
  mlp.initialise(parameters, rng);
  PackedMlp packed(mlp, kernels_);
  packed.load(parameters);
  MlpTape tape(packed), grouped(packed), alone(packed);
  EXPECT_EQ(tape.bytes_of(10, 4), 10 * tape.bytes_of(1, 0) + 4 * tape.bytes_of(0, 1));
  std::vector<std::size_t> first;
  for (std::size_t group = 0; group < kGroups; ++group) {
    const std::size_t rows = 1 + group % 3;
    first.push_back(tape.append(rows));
    grouped.append(rows);
    fill(tape.shared_input(first[group]));
    std::ranges::copy(tape.shared_input(first[group]), grouped.shared_input(first[group]).begin());
    for (std::size_t row = first[group]; row < tape.rows(); ++row) {
      fill(tape.input(row));
      std::ranges::copy(tape.input(row), grouped.input(row).begin());
    }
    if (group % 511 == 0) packed.forward(tape);
  }
  packed.forward(tape);
  packed.forward(grouped);  // all at once
  EXPECT_GT(tape.rows(), 5'000U);
  EXPECT_EQ(tape.groups(), kGroups);
  Parameters sum = parameters.zeros();
  for (std::size_t group = 0; group < kGroups; ++group) {
    alone.clear();
    alone.append(1 + group % 3);
    std::ranges::copy(tape.shared_input(first[group]), alone.shared_input(0).begin());
    for (std::size_t k = 0; k < alone.rows(); ++k) {
      std::ranges::copy(tape.input(first[group] + k), alone.input(k).begin());
    }
    packed.forward(alone);
    for (std::size_t k = 0; k < alone.rows(); ++k) {
      const std::size_t row = first[group] + k;
      ASSERT_TRUE(std::ranges::equal(alone.output(k), tape.output(row))) << row;
      ASSERT_TRUE(std::ranges::equal(grouped.output(row), tape.output(row))) << row;
      fill(alone.output_gradient(k));
      std::ranges::copy(alone.output_gradient(k), tape.output_gradient(row).begin());
      std::ranges::copy(alone.output_gradient(k), grouped.output_gradient(row).begin());
    }
    packed.backward(alone, sum);
  }
  Parameters gradient = parameters.zeros(), other = gradient;
  packed.backward(tape, gradient, InputGradient::kYes);
  packed.backward(grouped, other);
  EXPECT_EQ(gradient, other);
  for (std::size_t i = 0; i < sum.values().size(); ++i) {
    EXPECT_NEAR(gradient.values()[i], sum.values()[i], 1e-2) << "parameter " << i;
  }
}

TEST_P(MlpTest, ATapeThatDoesNotRecordGivesTheSameBits) {
  Setup setup(kernels_, {9, 30, 20, 3}, 200);
  MlpTape tape(setup.packed, MlpTape::Record::kNo);
  tape.append(200);
  for (std::size_t row = 0; row < 200; ++row) {
    std::ranges::copy(setup.tape.input(row), tape.input(row).begin());
  }
  setup.packed.forward(tape);
  for (std::size_t row = 0; row < 200; ++row) {
    EXPECT_TRUE(std::ranges::equal(tape.output(row), setup.tape.output(row))) << "row " << row;
  }
}

TEST_P(MlpTest, AClearedTapeRemembersNothing) {
  Setup setup(kernels_, {9, 30, 3}, 100);
  Setup fresh(kernels_, {9, 30, 3}, 0);
  Parameters first = setup.parameters.zeros(), second = first;
  setup.packed.backward(setup.tape, first);
  setup.tape.clear();
  setup.rng = fresh.rng = Rng(9, Stream::kPolicy, 0);
  setup.add_rows(10);
  fresh.add_rows(10);
  first.set_zero();
  setup.packed.backward(setup.tape, first);
  fresh.packed.backward(fresh.tape, second);
  EXPECT_EQ(first, second);
}

TEST_P(MlpTest, GradientsAreAddedToWhatIsThere) {
  Setup setup(kernels_, {9, 30, 3}, 10);
  Parameters once = setup.parameters.zeros();
  setup.packed.backward(setup.tape, once);
  Parameters twice = once;
  setup.packed.backward(setup.tape, twice);
  for (std::size_t i = 0; i < once.values().size(); ++i) {
    EXPECT_EQ(twice.values()[i], 2 * once.values()[i]);
  }
}

TEST_P(MlpTest, OutputGradientsStartAtZero) {
  Setup setup(kernels_, {4, 6, 3}, 20);
  setup.tape.clear();
  setup.tape.append(20);
  setup.packed.forward(setup.tape);
  Parameters gradient = setup.parameters.zeros();
  setup.packed.backward(setup.tape, gradient);
  EXPECT_EQ(gradient, setup.parameters.zeros());
}

TEST_P(MlpTest, SharedInputsCountAsIfEveryRowHadThem) {
  constexpr std::size_t kOwn = 5, kShared = 12;
  const std::vector<std::size_t> sizes = {kOwn + kShared, 20, 9, 2};
  Rng rng(3, Stream::kPolicy, 0);
  const auto fill = [&](std::span<float> values) {
    for (float& value : values) value = static_cast<float>(rng.normal());
  };
  const Mlp mlp("ff", sizes, kShared), plain("ff", sizes);
  Parameters parameters;
  mlp.declare(parameters);
  mlp.initialise(parameters, rng);
  PackedMlp packed(mlp, kernels_), plain_packed(plain, kernels_);
  packed.load(parameters);
  plain_packed.load(parameters);
  MlpTape tape(packed), plain_tape(plain_packed), forgetful(packed, MlpTape::Record::kNo);
  for (int round = 0; round < 2; ++round) {  // the second on tapes that were used before
    tape.clear();
    plain_tape.clear();
    for (const std::size_t rows : {1u, 70u, 3u, 100u, 2u}) {
      const std::size_t first = tape.append(rows);
      plain_tape.append(rows);
      forgetful.clear();
      forgetful.append(rows);
      fill(tape.shared_input(first));
      std::ranges::copy(tape.shared_input(first), forgetful.shared_input(0).begin());
      for (std::size_t row = first; row < first + rows; ++row) {
        fill(tape.input(row));
        std::ranges::copy(tape.input(row), forgetful.input(row - first).begin());
        std::ranges::copy(tape.input(row), plain_tape.input(row).begin());
        std::ranges::copy(tape.shared_input(row), plain_tape.input(row).subspan(kOwn).begin());
      }
      packed.forward(tape);
      packed.forward(forgetful);
      plain_packed.forward(plain_tape);
      for (std::size_t row = first; row < first + rows; ++row) {
        EXPECT_TRUE(std::ranges::equal(tape.output(row), forgetful.output(row - first)));
        for (std::size_t i = 0; i < 2; ++i) {
          EXPECT_NEAR(tape.output(row)[i], plain_tape.output(row)[i], 1e-5);
        }
        fill(tape.output_gradient(row));
        std::ranges::copy(tape.output_gradient(row), plain_tape.output_gradient(row).begin());
      }
    }
    Parameters gradient = parameters.zeros(), expected = parameters.zeros();
    packed.backward(tape, gradient, InputGradient::kYes);
    plain_packed.backward(plain_tape, expected, InputGradient::kYes);
    for (std::size_t i = 0; i < gradient.values().size(); ++i) {
      EXPECT_NEAR(gradient.values()[i], expected.values()[i], 1e-3) << "parameter " << i;
    }
    for (std::size_t row = 0; row < tape.rows(); ++row) {
      for (std::size_t i = 0; i < kOwn; ++i) {
        EXPECT_NEAR(tape.input_gradient(row)[i], plain_tape.input_gradient(row)[i], 1e-5);
      }
    }
  }
}

TEST_P(MlpTest, AllInstructionSetsAgree) {
  for (const auto& sizes : shapes()) {
    Setup setup(kernels_, sizes, 100);
    Setup portable(*available_kernels().front(), sizes, 100);
    Parameters a = setup.parameters.zeros(), b = a;
    setup.packed.backward(setup.tape, a);
    portable.packed.backward(portable.tape, b);
    for (std::size_t row = 0; row < 100; ++row) {
      for (std::size_t i = 0; i < sizes.back(); ++i) {
        EXPECT_NEAR(setup.tape.output(row)[i], portable.tape.output(row)[i], 1e-5);
      }
    }
    const double scale = std::ranges::max(b.values());
    for (std::size_t i = 0; i < a.values().size(); ++i) {
      ASSERT_NEAR(a.values()[i], b.values()[i], 1e-5 * scale) << "parameter " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MlpTest, testing::ValuesIn(available_kernels()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(Mlp, NamesItsTensorsAsPyTorchDoes) {
  const Mlp mlp("ff", {63, 100, 100, 11});
  Parameters parameters;
  mlp.declare(parameters);
  std::vector<std::string> names;
  for (const auto& tensor : parameters.tensors()) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ff.0.weight", "ff.0.bias", "ff.2.weight", "ff.2.bias",
                                             "ff.4.weight", "ff.4.bias"}));
  EXPECT_EQ(parameters.tensors()[4].shape, (std::vector<std::size_t>{11, 100}));
  EXPECT_EQ(parameters.tensors()[5].shape, (std::vector<std::size_t>{11}));
}

TEST(Mlp, IsInitialisedByFanIn) {
  const Mlp mlp("ff", {4, 400, 2});
  Parameters parameters;
  mlp.declare(parameters);
  Rng rng(1, Stream::kPolicy, 0);
  mlp.initialise(parameters, rng);
  const auto largest = [&](const char* name) {
    return std::ranges::max(parameters[name], {}, [](float x) { return std::abs(x); });
  };
  EXPECT_NEAR(std::abs(largest("ff.0.weight")), 0.5, 0.01);
  EXPECT_NEAR(std::abs(largest("ff.0.bias")), 0.5, 0.01);
  EXPECT_NEAR(std::abs(largest("ff.2.weight")), 0.05, 0.001);
  EXPECT_LE(std::abs(largest("ff.2.bias")), 0.05);
  EXPECT_GT(std::abs(largest("ff.2.bias")), 0);
}

TEST(Mlp, RefusesImpossibleSizes) {
  expect_error(ErrorCode::kUsage, {"ff", "2 sizes", "got 1"}, [] { Mlp("ff", {3}); });
  expect_error(ErrorCode::kUsage, {"ff", "size 0"}, [] { Mlp("ff", {3, 0, 2}); });
}

}  // namespace
}  // namespace foresight
