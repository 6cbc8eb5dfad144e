#include "foresight/train/training_data.h"

#include <filesystem>
#include <numeric>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/base/rng.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

class DatasetTrainingData : public TrainingData {
 public:
  DatasetTrainingData(Dataset data, std::uint64_t seed, bool with_labels)
      : data_(std::move(data)), seed_(seed), with_labels_(with_labels) {}

  const Schema& schema() const override { return data_.schema(); }
  std::string source() const override { return data_.provenance().source; }
  std::uint64_t size() const override { return data_.size(); }
  NodeId first_market_size() const override { return data_.instance(0).market().num_fixed; }

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
    return {instances_, labels_};
  }

 private:
  Dataset data_;
  std::uint64_t seed_;
  bool with_labels_;
  std::vector<std::int32_t> order_;
  std::vector<Instance> instances_;
  std::vector<Label> labels_;
};

class SourceTrainingData : public TrainingData {
 public:
  SourceTrainingData(const std::string& spec, std::uint64_t per_epoch, std::uint64_t seed,
                     bool with_labels, int threads)
      : spec_(Spec::parse(spec).to_string()),
        source_(sources().make(spec)),
        per_epoch_(per_epoch),
        seed_(seed),
        with_labels_(with_labels),
        threads_(threads),
        problem_(problems().make(source_->schema().problem)) {}

  const Schema& schema() const override { return source_->schema(); }
  std::string source() const override { return spec_; }
  std::uint64_t size() const override { return per_epoch_; }
  NodeId first_market_size() const override { return source_->draw(seed_, 0).market().num_fixed; }
  void begin_epoch(std::uint64_t epoch) override { epoch_ = epoch; }

  Taken take(std::uint64_t first, std::uint64_t count) override {
    instances_.resize(count);
    labels_.resize(with_labels_ ? count : 0);
    constexpr std::uint64_t kChunk = 25;
    parallel_for((count + kChunk - 1) / kChunk, threads_, [&](std::size_t chunk) {
      const auto solver = with_labels_ ? make_solver(*problem_, {}) : nullptr;
      for (std::uint64_t k = chunk * kChunk; k < std::min(count, (chunk + 1) * kChunk); ++k) {
        instances_[k] = source_->draw(seed_, epoch_ * per_epoch_ + first + k);
        if (solver) labels_[k] = solver->solve(instances_[k]);
      }
    });
    return {instances_, labels_};
  }

 private:
  std::string spec_;
  std::unique_ptr<Source> source_;
  std::uint64_t per_epoch_;
  std::uint64_t seed_;
  bool with_labels_;
  int threads_;
  std::unique_ptr<Problem> problem_;
  std::uint64_t epoch_ = 0;
  std::vector<Instance> instances_;
  std::vector<Label> labels_;
};

}  // namespace

std::unique_ptr<TrainingData> open_training_data(const std::string& name, std::uint64_t per_epoch,
                                                 std::uint64_t seed, bool with_labels,
                                                 int threads) {
  if (!std::filesystem::exists(name)) {
    return std::make_unique<SourceTrainingData>(name, per_epoch, seed, with_labels, threads);
  }
  Dataset data = Dataset::load(name);
  if (data.size() == 0) fail(ErrorCode::kData, "{}: there are no instances to train on", name);
  problem_of(data);
  if (with_labels && !data.labelled()) data = solve(data, {.threads = threads}, no_progress());
  return std::make_unique<DatasetTrainingData>(std::move(data), seed, with_labels);
}

}  // namespace foresight
