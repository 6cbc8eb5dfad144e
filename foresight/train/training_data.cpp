#include "foresight/train/training_data.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/base/rng.h"
#include "foresight/data/reorder.h"
#include "foresight/model/model.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"
#include "foresight/train/run_size.h"

namespace foresight {
namespace {

/// Calls `fill(k, solver)` for the instances of a batch on several threads. The solver belongs to
/// the thread.
template <typename Fill>
void fill_batch(const Problem& problem, std::uint64_t count, bool solves, int threads,
                const Fill& fill) {
  constexpr std::uint64_t kChunk = 25;
  parallel_for((count + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
    const auto solver = solves ? make_solver(problem, {}) : nullptr;
    for (std::uint64_t k = chunk * kChunk; k < std::min(count, (chunk + 1) * kChunk); ++k) {
      fill(k, solver.get());
    }
  });
}

class DatasetTrainingData : public TrainingData {
 public:
  DatasetTrainingData(BoundDataset data, const TrainingDataOptions& options)
      : data_(std::move(data)), options_(options), time_(time_column(data_.schema())) {}

  const Problem& problem() const override { return data_.problem(); }
  const Schema& schema() const override { return data_.schema(); }
  std::string source() const override { return data_.provenance().source; }
  std::uint64_t size() const override { return options_.instances; }
  NodeId first_market_size() const override { return data_.instance(0).market().num_fixed; }
  std::string digest() const override { return data_.content_digest(uses_labels(options_)); }
  void check(const Model& model) const override { check_every_instance(model, data_); }

  BoundDataset past() const override {
    const std::uint64_t most = fitting_past(size_of(data_));
    if (data_.size() <= most) return data_;
    std::vector<std::size_t> spread;  // over all of them, because they may be in order of time
    for (std::uint64_t k = 0; k < most; ++k) spread.push_back(k * data_.size() / most);
    return bind_data(data_.select(spread));
  }

  void begin_epoch(std::uint64_t epoch) override { begin_ = epoch * size(); }

  Taken take(std::uint64_t first, std::uint64_t count) override {
    chosen_.clear();
    for (std::uint64_t k = 0; k < count; ++k) chosen_.push_back(chosen(begin_ + first + k));
    instances_.resize(count);
    labels_.resize(options_.with_labels ? count : 0);
    const bool solves = options_.with_labels && !uses_labels(options_);
    fill_batch(problem(), count, solves, options_.threads, [&](std::uint64_t k, Solver* solver) {
      instances_[k] = data_.instance(chosen_[k]);
      if (uses_labels(options_)) labels_[k] = data_.label(chosen_[k]);
      augment(instances_[k], begin_ + first + k, uses_labels(options_) ? &labels_[k] : nullptr);
      if (solver) labels_[k] = solver->solve(instances_[k]);
    });
    return {bind_instances(problem(), instances_), labels_};
  }

  /// Does it use the labels of the dataset? Resampled instances have others.
  static bool uses_labels(const TrainingDataOptions& options) {
    return options.with_labels && options.augment != Augment::kResample;
  }

 private:
  /// The instance of this episode of the run.
  std::size_t chosen(std::uint64_t episode) {
    const std::uint64_t pass = episode / data_.size();
    if (order_.empty() || pass != pass_) {
      const auto count = static_cast<std::int32_t>(data_.size());
      order_ = Rng(options_.seed, Stream::kShuffle, pass).sample(count, count);
      pass_ = pass;
    }
    return static_cast<std::size_t>(order_[episode % data_.size()]);
  }

  void augment(Instance& instance, std::uint64_t episode, Label* label) const {
    if (options_.augment == Augment::kNone) return;
    Rng rng(options_.seed, Stream::kAugment, episode);
    const int count = instance.num_arrivals();
    const std::vector<int> order = options_.augment == Augment::kShuffle
                                       ? shuffled_order(count, rng)
                                       : resampled_order(count, rng);
    instance = reordered(instance, order, time_);
    if (label) *label = reordered(*label, order);
  }

  BoundDataset data_;
  TrainingDataOptions options_;
  std::optional<std::size_t> time_;  // the attribute that tells it
  std::uint64_t begin_ = 0;          // the first episode of the epoch
  std::uint64_t pass_ = 0;
  std::vector<std::int32_t> order_;  // of this pass
  std::vector<std::size_t> chosen_;
  std::vector<Instance> instances_;
  std::vector<Label> labels_;
};

class SourceTrainingData : public TrainingData {
 public:
  SourceTrainingData(BoundSource source, const TrainingDataOptions& options)
      : source_(std::move(source)), options_(options) {}

  const Problem& problem() const override { return source_.problem(); }
  const Schema& schema() const override { return source_.schema(); }
  std::string source() const override { return source_.spec(); }
  std::uint64_t size() const override { return options_.instances; }
  NodeId first_market_size() const override {
    return source_.draw(options_.seed, 0).market().num_fixed;
  }
  std::string digest() const override { return source_.digest(); }

  void check(const Model& model) const override {
    model.begin(open_episodes(bind_instances(problem(), few_instances(source_)), {}));
  }

  BoundDataset past() const override {
    const std::uint64_t count = fitting_past(size_of(few_instances(source_)));
    return generate(source_, options_.seed, count, options_.threads, no_progress());
  }

  void begin_epoch(std::uint64_t epoch) override { begin_ = epoch * size(); }

  Taken take(std::uint64_t first, std::uint64_t count) override {
    instances_.resize(count);
    labels_.resize(options_.with_labels ? count : 0);
    fill_batch(problem(), count, options_.with_labels, options_.threads,
               [&](std::uint64_t k, Solver* solver) {
                 instances_[k] = source_.draw(options_.seed, begin_ + first + k);
                 if (solver) labels_[k] = solver->solve(instances_[k]);
               });
    return {bind_instances(problem(), instances_), labels_};
  }

 private:
  BoundSource source_;
  TrainingDataOptions options_;
  std::uint64_t begin_ = 0;  // the first instance of the epoch
  std::vector<Instance> instances_;
  std::vector<Label> labels_;
};

}  // namespace

const std::vector<std::string> kAugmentWords{"none", "shuffle", "resample"};

Augment parse_augment(const std::string& word) {
  const auto found = std::ranges::find(kAugmentWords, word);
  if (found == kAugmentWords.end()) {
    fail(ErrorCode::kUsage, "augment must be one of {}, got \"{}\"", fmt::join(kAugmentWords, "|"),
         word);
  }
  return static_cast<Augment>(found - kAugmentWords.begin());
}

std::unique_ptr<TrainingData> make_training_data(std::variant<BoundSource, BoundDataset> data,
                                                 const TrainingDataOptions& given,
                                                 Progress& progress) {
  TrainingDataOptions options = given;
  if (const auto* source = std::get_if<BoundSource>(&data)) {
    if (!source->size()) {
      if (options.augment != Augment::kNone) {
        fail(ErrorCode::kUsage,
             "augment={} makes more of past instances, but {} draws fresh ones; leave it out",
             kAugmentWords[static_cast<std::size_t>(options.augment)], source->spec());
      }
      if (options.instances == 0) {
        options.instances = fitting_instances(size_of(few_instances(*source)));
      }
      return std::make_unique<SourceTrainingData>(*source, options);
    }
    data = generate(*source, 0, *source->size(), options.threads, progress);
  }
  BoundDataset dataset = std::get<BoundDataset>(std::move(data));
  if (dataset.size() == 0) {
    fail(ErrorCode::kData, "{}there are no instances to train on", dataset.origin());
  }
  if (options.instances == 0) {
    options.instances = fitting_episodes(size_of(dataset), dataset.size());
  }
  if (DatasetTrainingData::uses_labels(options) && !dataset.labelled()) {
    dataset = solve(dataset, {.threads = options.threads}, progress);
  }
  return std::make_unique<DatasetTrainingData>(std::move(dataset), options);
}

DataFacts measure(TrainingData& data) {
  constexpr std::uint64_t kAtOnce = 25, kMostInstances = 1'000;
  constexpr std::int64_t kEnoughEdges = 200'000;
  UnitsMeter meter(data.problem());
  DataFacts facts;
  data.begin_epoch(0);
  const std::uint64_t most = std::min(data.size(), kMostInstances);
  std::uint64_t looked = 0;
  while (looked < most && meter.edges() < kEnoughEdges) {
    // One by one at first: they may be large.
    const std::uint64_t count = std::min({looked + 1, kAtOnce, most - looked});
    for (const Instance& instance : data.take(looked, count).instances) {
      meter.add(instance);
      facts.arrivals += instance.num_arrivals();
    }
    looked += count;
  }
  facts.units = meter.units();
  facts.attributes = meter.attribute_units();
  facts.largest_gain = meter.largest_gain();
  facts.arrivals /= static_cast<double>(std::max<std::uint64_t>(1, looked));
  return facts;
}

void check_every_instance(const Model& model, const BoundDataset& data) {
  const auto fitting = model.fitted(data.problem(), data.schema());
  const Policy& policy = fitting ? *fitting : model;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Instance instance = data.instance(i);
    try {
      policy.begin(open_episodes(bind_instances(data.problem(), {&instance, 1}), {}));
    } catch (const Error& error) {
      fail(error.code(), "{}instance {}: {}", data.origin(), i, error.what());
    }
  }
}

}  // namespace foresight
