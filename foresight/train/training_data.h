// What a run learns from: a dataset, in another order every epoch, or fresh instances of a source.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "foresight/data/dataset.h"

namespace foresight {

class TrainingData {
 public:
  virtual ~TrainingData() = default;

  virtual const Schema& schema() const = 0;
  virtual std::string source() const = 0;  // spec of what drew the instances
  virtual std::uint64_t size() const = 0;  // instances per epoch
  virtual NodeId first_market_size() const = 0;

  virtual void begin_epoch(std::uint64_t epoch) = 0;

  struct Taken {
    std::span<const Instance> instances;
    std::span<const Label> labels;  // empty unless asked for
  };
  /// Instances [first, first + count) of the epoch; valid until the next call.
  virtual Taken take(std::uint64_t first, std::uint64_t count) = 0;
};

/// `name` is a file or a source spec; `per_epoch` counts fresh instances.
std::unique_ptr<TrainingData> open_training_data(const std::string& name, std::uint64_t per_epoch,
                                                 std::uint64_t seed, bool with_labels, int threads);

}  // namespace foresight
