// The data that a run learns from: a dataset, in another order every epoch, or fresh instances of a
// source.
//
//   data->begin_epoch(epoch);
//   const auto [instances, labels] = data->take(/*first=*/0, /*count=*/200);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "foresight/problem/bound.h"

namespace foresight {

class Model;

class TrainingData {
 public:
  virtual ~TrainingData() = default;

  virtual const Problem& problem() const = 0;
  virtual const Schema& schema() const = 0;
  virtual std::string source() const = 0;  // spec of what drew the instances
  virtual std::uint64_t size() const = 0;  // instances per epoch
  virtual NodeId first_market_size() const = 0;
  /// The digest of all training data, so that a change is noticed.
  virtual std::string digest() const = 0;
  /// Throws Error(kData) that names an instance that the model cannot decide in, as far as it is
  /// known in advance.
  virtual void check(const Model& model) const = 0;

  virtual void begin_epoch(std::uint64_t epoch) = 0;

  struct Taken {
    BoundInstances instances;
    std::span<const Label> labels;  // empty unless asked for
  };
  /// Instances [first, first + count) of the epoch; valid until the next call.
  virtual Taken take(std::uint64_t first, std::uint64_t count) = 0;
};

/// `per_epoch` is the number of fresh instances of a source. If labels are wanted, a dataset
/// without labels is solved.
std::unique_ptr<TrainingData> make_training_data(std::variant<BoundSource, BoundDataset> data,
                                                 std::uint64_t per_epoch, std::uint64_t seed,
                                                 bool with_labels, int threads, Progress& progress);

/// Throws Error(kData) that names the first instance that the model cannot decide in, for example
/// because it has another number of fixed nodes.
void check_every_instance(const Model& model, const BoundDataset& data);

}  // namespace foresight
