// The data that a run learns from: a dataset, in another order in every pass, or fresh instances of
// a source.
//
// An epoch has a fixed number of instances. On a dataset, one pass after the other runs through the
// epochs: an epoch may hold several passes or a part of one, and the next goes on from there.
//
//   const auto data = make_training_data(open_data("train.fst"), {.seed = 1}, progress);
//   data->begin_epoch(epoch);
//   const auto [instances, labels] = data->take(/*first=*/0, /*count=*/200);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "foresight/problem/bound.h"
#include "foresight/problem/units.h"

namespace foresight {

class Model;

class TrainingData {
 public:
  virtual ~TrainingData() = default;

  virtual const Problem& problem() const = 0;
  virtual const Schema& schema() const = 0;
  virtual std::string source() const = 0;  // spec of what drew the instances
  virtual std::uint64_t size() const = 0;  // instances per epoch, repeated ones counted again
  virtual NodeId first_market_size() const = 0;
  /// The digest of all training data, so that a change is noticed.
  virtual std::string digest() const = 0;
  /// Throws Error(kData) that names an instance that the model cannot decide in, as far as it is
  /// known in advance.
  virtual void check(const Model& model) const = 0;

  /// Some of the instances as they are, for rules that learn from the past (`fitting_past`).
  virtual BoundDataset past() const = 0;

  virtual void begin_epoch(std::uint64_t epoch) = 0;

  struct Taken {
    BoundInstances instances;
    std::span<const Label> labels;  // empty unless asked for
  };
  /// Instances [first, first + count) of the epoch; valid until the next call.
  virtual Taken take(std::uint64_t first, std::uint64_t count) = 0;
};

/// What is done to the past instances before each episode.
enum class Augment {
  kNone,
  kShuffle,   // their arrivals come in another order
  kResample,  // their arrivals are drawn from all arrivals of the instance, with replacement
};
/// The words for it: "none", "shuffle", "resample".
extern const std::vector<std::string> kAugmentWords;
Augment parse_augment(const std::string& word);

struct TrainingDataOptions {
  std::uint64_t instances = 0;  // per epoch; 0: what fits their size (run_size.h)
  std::uint64_t seed = 1;
  Augment augment = Augment::kNone;
  bool with_labels = false;
  int threads = 0;
};

/// If labels are wanted, a dataset without labels is solved. Throws Error(kUsage) if fresh instances
/// are to be augmented.
std::unique_ptr<TrainingData> make_training_data(std::variant<BoundSource, BoundDataset> data,
                                                 const TrainingDataOptions& options,
                                                 Progress& progress);

/// What the data is like, from as many of its instances as are enough.
struct DataFacts {
  Units units;
  AttributeUnits attributes;
  double largest_gain = 0;
  double arrivals = 0;  // per instance, on average
};
DataFacts measure(TrainingData& data);

/// Throws Error(kData) that names the first instance that the model cannot decide in, for example
/// because it has another number of fixed nodes.
void check_every_instance(const Model& model, const BoundDataset& data);

}  // namespace foresight
