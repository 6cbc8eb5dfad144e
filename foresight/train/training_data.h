// What a run learns from: a dataset, in another order every epoch, or fresh instances of a source.
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
  /// Of all that is learned from, so that a change is noticed.
  virtual std::string digest() const = 0;
  /// Throws Error(kData) naming an instance that the model cannot decide in, as far as can be told
  /// in advance.
  virtual void check(const Model& model) const = 0;

  virtual void begin_epoch(std::uint64_t epoch) = 0;

  struct Taken {
    BoundInstances instances;
    std::span<const Label> labels;  // empty unless asked for
  };
  /// Instances [first, first + count) of the epoch; valid until the next call.
  virtual Taken take(std::uint64_t first, std::uint64_t count) = 0;
};

/// `per_epoch` counts fresh instances of a source. With labels, a dataset that has none is solved.
std::unique_ptr<TrainingData> make_training_data(std::variant<BoundSource, BoundDataset> data,
                                                 std::uint64_t per_epoch, std::uint64_t seed,
                                                 bool with_labels, int threads, Progress& progress);

/// Throws Error(kData) naming the first instance that the model cannot decide in: of another number
/// of fixed nodes, say.
void check_every_instance(const Model& model, const BoundDataset& data);

}  // namespace foresight
