#include "foresight/train/training_data.h"

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/base/rng.h"
#include "foresight/model/model.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

class DatasetTrainingData : public TrainingData {
 public:
  DatasetTrainingData(BoundDataset data, std::uint64_t seed, bool with_labels)
      : data_(std::move(data)), seed_(seed), with_labels_(with_labels) {}

  const Problem& problem() const override { return data_.problem(); }
  const Schema& schema() const override { return data_.schema(); }
  std::string source() const override { return data_.provenance().source; }
  std::uint64_t size() const override { return data_.size(); }
  NodeId first_market_size() const override { return data_.instance(0).market().num_fixed; }
  std::string digest() const override { return data_.content_digest(with_labels_); }
  void check(const Model& model) const override { check_every_instance(model, data_); }

  void begin_epoch(std::uint64_t epoch) override {
    const auto count = static_cast<std::int32_t>(data_.size());
    order_ = Rng(seed_, Stream::kShuffle, epoch).sample(count, count);
  }

  Taken take(std::uint64_t first, std::uint64_t count) override {
    instances_.clear();
    labels_.clear();
    for (std::uint64_t k = first; k < first + count; ++k) {
      const auto i = static_cast<std::size_t>(order_[k]);
      instances_.push_back(data_.instance(i));
      if (with_labels_) labels_.push_back(data_.label(i));
    }
    return {bind_instances(problem(), instances_), labels_};
  }

 private:
  BoundDataset data_;
  std::uint64_t seed_;
  bool with_labels_;
  std::vector<std::int32_t> order_;
  std::vector<Instance> instances_;
  std::vector<Label> labels_;
};

class SourceTrainingData : public TrainingData {
 public:
  SourceTrainingData(BoundSource source, std::uint64_t per_epoch, std::uint64_t seed,
                     bool with_labels, int threads)
      : source_(std::move(source)),
        per_epoch_(per_epoch),
        seed_(seed),
        with_labels_(with_labels),
        threads_(threads) {}

  const Problem& problem() const override { return source_.problem(); }
  const Schema& schema() const override { return source_.schema(); }
  std::string source() const override { return source_.spec(); }
  std::uint64_t size() const override { return per_epoch_; }
  NodeId first_market_size() const override { return source_.draw(seed_, 0).market().num_fixed; }
  std::string digest() const override { return source_.digest(); }

  void check(const Model& model) const override {
    constexpr std::uint64_t kLooked = 16;
    std::vector<Instance> some;
    for (std::uint64_t i = 0; i < std::min(kLooked, per_epoch_); ++i) {
      some.push_back(source_.draw(seed_, i));
    }
    model.begin(open_episodes(bind_instances(problem(), some), {}));
  }

  void begin_epoch(std::uint64_t epoch) override { epoch_ = epoch; }

  Taken take(std::uint64_t first, std::uint64_t count) override {
    instances_.resize(count);
    labels_.resize(with_labels_ ? count : 0);
    constexpr std::uint64_t kChunk = 25;
    parallel_for((count + kChunk - 1) / kChunk, threads_, [&](std::size_t chunk) {
      const auto solver = with_labels_ ? make_solver(problem(), {}) : nullptr;
      for (std::uint64_t k = chunk * kChunk; k < std::min(count, (chunk + 1) * kChunk); ++k) {
        instances_[k] = source_.draw(seed_, epoch_ * per_epoch_ + first + k);
        if (solver) labels_[k] = solver->solve(instances_[k]);
      }
    });
    return {bind_instances(problem(), instances_), labels_};
  }

 private:
  BoundSource source_;
  std::uint64_t per_epoch_;
  std::uint64_t seed_;
  bool with_labels_;
  int threads_;
  std::uint64_t epoch_ = 0;
  std::vector<Instance> instances_;
  std::vector<Label> labels_;
};

/// Recorded instances are not drawn. An epoch is a pass over all of them, or over the first `most`.
BoundDataset recorded(const BoundSource& source, std::uint64_t most, int threads,
                      Progress& progress) {
  return generate(source, 0, std::min(most, *source.size()), threads, progress);
}

}  // namespace

std::unique_ptr<TrainingData> make_training_data(std::variant<BoundSource, BoundDataset> data,
                                                 std::uint64_t per_epoch, std::uint64_t seed,
                                                 bool with_labels, int threads,
                                                 Progress& progress) {
  if (const auto* source = std::get_if<BoundSource>(&data)) {
    if (!source->size()) {
      return std::make_unique<SourceTrainingData>(*source, per_epoch, seed, with_labels, threads);
    }
    data = recorded(*source, per_epoch, threads, progress);
  }
  BoundDataset dataset = std::get<BoundDataset>(std::move(data));
  if (dataset.size() == 0) {
    fail(ErrorCode::kData, "{}there are no instances to train on", dataset.origin());
  }
  if (with_labels && !dataset.labelled()) dataset = solve(dataset, {.threads = threads}, progress);
  return std::make_unique<DatasetTrainingData>(std::move(dataset), seed, with_labels);
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
