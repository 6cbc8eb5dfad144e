// A training run: epochs over past or fresh instances, the best model on a validation set kept,
// everything in one folder, and resumable to the bit.
//
//   RUN/last.safetensors     the model after the last epoch, the trainer's state, and the record of
//                            the run (run_record.h): what is in this file was done
//   RUN/best.safetensors     the model with the best validation ratio; where the learning rate is
//                            annealed to 0, of the last fifth of the epochs
//   RUN/config.json          copies of the record for people: what was asked for,
//   RUN/metrics.csv          and one line per epoch; events.out.tfevents.* the same for TensorBoard
//   RUN/timing.csv           how long epochs took
//
// A folder is locked while it is written.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "foresight/base/progress.h"
#include "foresight/data/dataset.h"
#include "foresight/train/run_record.h"
#include "foresight/train/trainer.h"

namespace foresight {

struct RunOptions {
  std::string model;            // spec
  std::string trainer;          // spec; what it leaves open is filled in as tuned for the model
  std::string train;            // a dataset file, or a source spec for fresh instances every epoch
  std::string validation;       // the same; empty: fresh instances of the training source
  std::uint64_t instances = 0;  // fresh ones per epoch; 0: 20,000, `train_auto`: what takes minutes
  std::uint64_t validation_instances = 1'000;  // for fresh instances
  int epochs = 100;
  std::uint64_t seed = 1;
  int threads = 0;
  std::filesystem::path folder;
  bool resume = false;
  std::string command;  // the command line, to be remembered

  /// Data that is in no file takes the place of `train` and `validation`; it is kept in the folder,
  /// as train.safetensors and validation.safetensors.
  std::optional<Dataset> train_data = {};
  std::optional<Dataset> validation_data = {};

  void read(OptionReader& o);
};

struct RunResult {
  int epochs = 0;  // done in all
  int best_epoch = 0;
  double best_ratio = 0;  // on the validation set
  double decisions_per_second = 0;
};

/// Called after each epoch, once it is saved, with its metrics; false ends the run after it, which
/// `resume` can go on with.
using EpochObserver = std::function<bool(const MetricsRow& metrics)>;

/// Everything must fit before the first epoch begins: the training data its problem, the model the
/// data, the validation set the model; Error(kData) says what does not. `resume` goes on with a run
/// that was asked for in the same words on the same data; Error(kUsage) says what differs. Throws
/// Error(kCancelled) when interrupted: the finished epochs are kept, and `resume` goes on from them.
RunResult train(const RunOptions& options, Progress& progress, const EpochObserver& observer = {});

/// Throws what `train` would throw about what does not fit; writes nothing.
void check_run(const RunOptions& options, Progress& progress);

}  // namespace foresight
