#include "foresight/train/training_data.h"

#include <algorithm>
#include <map>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/base/rng.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

BoundDataset past(std::size_t count, const std::string& spec = "crowd(u=4,v=8)") {
  return generate(bind_source(spec), 1, count, 1, no_progress());
}

/// All instances of an epoch, taken in batches of this size.
std::vector<Instance> epoch_of(TrainingData& data, std::uint64_t epoch, std::uint64_t batch = 7) {
  std::vector<Instance> all;
  data.begin_epoch(epoch);
  for (std::uint64_t first = 0; first < data.size(); first += batch) {
    const auto taken = data.take(first, std::min(batch, data.size() - first));
    all.insert(all.end(), taken.instances.begin(), taken.instances.end());
  }
  return all;
}

/// The numbers of the instances in the dataset.
std::vector<std::size_t> numbers_of(const std::vector<Instance>& instances,
                                    const BoundDataset& data) {
  std::vector<std::size_t> numbers;
  for (const Instance& instance : instances) {
    std::size_t i = 0;
    while (i < data.size() && !(data.instance(i) == instance)) ++i;
    numbers.push_back(i);
  }
  return numbers;
}

// Runs that were begun before epochs had a size of their own go on with the same bits.
TEST(TrainingDataset, AnEpochOfItsSizeIsOnePassInTheOrderOfThatEpoch) {
  const BoundDataset data = past(20);
  const auto training = make_training_data(data, {.instances = 20, .seed = 5}, no_progress());
  for (const std::uint64_t epoch : {0U, 3U}) {
    const auto order = Rng(5, Stream::kShuffle, epoch).sample(20, 20);
    EXPECT_EQ(numbers_of(epoch_of(*training, epoch), data),
              std::vector<std::size_t>(order.begin(), order.end()));
  }
}

TEST(TrainingDataset, AnEpochCanHoldSeveralPassesOrAPartOfOne) {
  const BoundDataset data = past(10);
  const auto many = make_training_data(data, {.instances = 30, .seed = 5}, no_progress());
  ASSERT_EQ(many->size(), 30U);
  std::vector<std::size_t> numbers;
  for (const std::uint64_t epoch : {0U, 1U}) {
    const auto found = numbers_of(epoch_of(*many, epoch), data);
    numbers.insert(numbers.end(), found.begin(), found.end());
  }
  std::map<std::vector<std::size_t>, int> passes;
  for (std::size_t pass = 0; pass < 6; ++pass) {
    std::vector<std::size_t> one(numbers.begin() + static_cast<std::ptrdiff_t>(10 * pass),
                                 numbers.begin() + static_cast<std::ptrdiff_t>(10 * pass + 10));
    ++passes[one];
    std::ranges::sort(one);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(one[i], i) << "each instance once in a pass";
  }
  EXPECT_EQ(passes.size(), 6U) << "every pass in a fresh order";

  // Five epochs of a part are two passes: the same ones.
  const auto parts = make_training_data(data, {.instances = 4, .seed = 5}, no_progress());
  std::vector<std::size_t> found;
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    const auto part = numbers_of(epoch_of(*parts, epoch, 3), data);
    EXPECT_EQ(part.size(), 4U);
    found.insert(found.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(std::equal(found.begin(), found.end(), numbers.begin()));
}

TEST(TrainingDataset, AnEpochHasAsManyEpisodesAsFit) {
  EXPECT_EQ(make_training_data(past(24), {}, no_progress())->size(), 504U);
  EXPECT_EQ(make_training_data(past(3, "er(u=4,v=10000,p=0.1)"), {}, no_progress())->size(), 6U)
      << "50,000 decisions are enough";
  EXPECT_EQ(make_training_data(bind_source("er(u=4,v=8)"), {}, no_progress())->size(), 20'000U);
  EXPECT_EQ(make_training_data(bind_source("er(u=4,v=8000)"), {}, no_progress())->size(), 250U);
}

std::vector<std::vector<float>> sorted_weights(const Instance& instance) {
  std::vector<std::vector<float>> rows;
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const auto weights = instance.arrival(t).weights;
    rows.emplace_back(weights.begin(), weights.end());
  }
  std::ranges::sort(rows);
  return rows;
}

TEST(Augment, ShuffledInstancesHaveTheirArrivalsInAFreshOrder) {
  const BoundDataset data = past(1);
  const auto training =
      make_training_data(data, {.instances = 30, .augment = Augment::kShuffle}, no_progress());
  std::size_t others = 0;
  const std::vector<Instance> instances = epoch_of(*training, 0);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    EXPECT_EQ(sorted_weights(instances[i]), sorted_weights(data.instance(0)));
    for (std::size_t k = 0; k < i; ++k) others += !(instances[i] == instances[k]);
  }
  EXPECT_EQ(others, 30U * 29U / 2U) << "8! orders: no two are the same";
  EXPECT_FALSE(epoch_of(*training, 1) == instances);
}

TEST(Augment, IsTheSameOnAnyNumberOfThreadsAndInAnyBatches) {
  const BoundDataset data = past(5);
  for (const Augment augment : {Augment::kShuffle, Augment::kResample}) {
    const auto one = make_training_data(data, {.instances = 90, .augment = augment, .threads = 1},
                                        no_progress());
    const auto two = make_training_data(data, {.instances = 90, .augment = augment, .threads = 2},
                                        no_progress());
    EXPECT_TRUE(epoch_of(*one, 2, 90) == epoch_of(*two, 2, 40));
    const auto other = make_training_data(
        data, {.instances = 90, .seed = 2, .augment = augment, .threads = 2}, no_progress());
    EXPECT_FALSE(epoch_of(*one, 2) == epoch_of(*other, 2));
  }
}

TEST(Augment, ResampledInstancesRepeatSomeArrivalsAndLackOthers) {
  const BoundDataset data = past(1);
  const auto training =
      make_training_data(data, {.instances = 30, .augment = Augment::kResample}, no_progress());
  const auto whole = sorted_weights(data.instance(0));
  std::size_t others = 0;
  for (const Instance& instance : epoch_of(*training, 0)) {
    const auto rows = sorted_weights(instance);
    EXPECT_EQ(rows.size(), whole.size());
    others += rows != whole;
    EXPECT_TRUE(std::ranges::all_of(
        rows, [&](const auto& row) { return std::ranges::find(whole, row) != whole.end(); }));
  }
  EXPECT_GE(others, 29U);
}

TEST(Augment, LabelsFitWhatTheyAreGivenWith) {
  for (const char* spec : {"crowd(u=4,v=8)", "thick-z(u=4,v=8)"}) {
    for (const Augment augment : {Augment::kNone, Augment::kShuffle, Augment::kResample}) {
      const auto training = make_training_data(
          past(5, spec), {.instances = 40, .augment = augment, .with_labels = true}, no_progress());
      training->begin_epoch(1);
      const auto [instances, labels] = training->take(3, 35);
      ASSERT_EQ(labels.size(), 35U);
      const auto solver = make_solver(training->problem(), {});
      for (std::size_t i = 0; i < labels.size(); ++i) {
        check_label(training->problem(), instances[i], labels[i]);
        EXPECT_NEAR(solver->solve(instances[i]).value, labels[i].value, 1e-3 * labels[i].value);
      }
    }
  }
}

TEST(Augment, TheTimeStaysInPlace) {
  InstanceBuilder builder(1);
  const std::vector<NodeId> nodes{0};
  for (int t = 0; t < 20; ++t) {
    const std::vector<float> weights{static_cast<float>(t)};
    const std::vector<float> attributes{static_cast<float>(-t), static_cast<float>(8 + t)};
    builder.arrive(nodes, weights, kNoType, {}, attributes);
  }
  const std::vector<Instance> one{std::move(builder).build()};
  const Schema schema{.problem = "e-obm", .arrival_attributes = {"x", "time"}};
  const BoundDataset data = bind_data(Dataset::gather(schema, {"by hand", 1}, one));
  for (const Augment augment : {Augment::kShuffle, Augment::kResample}) {
    const auto training =
        make_training_data(data, {.instances = 1, .augment = augment}, no_progress());
    const Instance found = epoch_of(*training, 0).front();
    bool moved = false;
    for (int t = 0; t < 20; ++t) {
      const Arrival arrival = found.arrival(t);
      EXPECT_EQ(arrival.attributes[0], -arrival.weights[0]) << "moves with its arrival";
      EXPECT_EQ(arrival.attributes[1], static_cast<float>(8 + t));
      moved |= arrival.weights[0] != static_cast<float>(t);
    }
    EXPECT_TRUE(moved);
  }
}

TEST(Augment, FreshInstancesAreRefused) {
  expect_error(ErrorCode::kUsage, {"augment=shuffle", "er(u=4,v=8)", "fresh"}, [] {
    make_training_data(bind_source("er(u=4,v=8)"), {.augment = Augment::kShuffle}, no_progress());
  });
}

}  // namespace
}  // namespace foresight
