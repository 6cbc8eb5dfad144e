// A training run: epochs over past or fresh instances. The best model on a validation set is kept.
// Everything is in one folder. A resumed run gives the same bits as an uninterrupted one.
//
//   RUN/last.safetensors     the model after the last epoch, the trainer's state, and the record of
//                            the run (run_record.h); only this file decides what was done
//   RUN/best.safetensors     the model with the best validation ratio; if the learning rate is
//                            annealed to 0, the best of the last fifth of the epochs
//   RUN/config.json          the settings, copied from the record for people
//   RUN/metrics.csv          one line per epoch, copied from the record for people
//   RUN/events.out.tfevents.*  the same for TensorBoard
//   RUN/timing.csv           how long epochs took
//
//   const RunResult result =
//       train({.model = "inv-ff-hist", .train = "crowd", .folder = "RUN"}, progress);
//
// The folder is locked while a run writes to it.
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
  std::string trainer;          // spec; options not given are as tuned for the model
  std::string train;            // a dataset file, or a source spec for fresh instances every epoch
  std::string validation;       // the same; empty: fresh instances of the training source
  std::uint64_t instances = 0;  // fresh ones per epoch; 0: 20,000, or what `train_auto` can afford
  std::uint64_t validation_instances = 1'000;  // for fresh instances
  std::string horizon;  // what policies are told of the number of arrivals (`choose_horizon`)
  int epochs = 100;
  std::uint64_t seed = 1;
  int threads = 0;
  std::filesystem::path folder;
  bool resume = false;
  std::string command;  // the command line, for the record

  /// Data that is not in a file, used instead of `train` and `validation`. It is saved in the
  /// folder as train.safetensors and validation.safetensors.
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

/// Called with the metrics of each epoch, after it is saved. If it returns false, the run ends, and
/// `resume` can continue it.
using EpochObserver = std::function<bool(const MetricsRow& metrics)>;

/// Trains a model. Before the first epoch it checks that the training data fits its problem, the
/// model the data, and the validation set the model; Error(kData) says what does not fit. `resume`
/// continues a run with the same settings and data; Error(kUsage) says what differs. If
/// interrupted, it throws Error(kCancelled); finished epochs are kept, and `resume` continues after
/// them.
RunResult train(const RunOptions& options, Progress& progress, const EpochObserver& observer = {});

/// Throws what `train` would throw about what does not fit; writes nothing.
void check_run(const RunOptions& options, Progress& progress);

}  // namespace foresight
