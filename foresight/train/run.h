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
  std::uint64_t instances = 0;  // per epoch; 0: what fits, at most 20,000 fresh ones (run_size.h)
  std::uint64_t validation_instances = 0;  // fresh ones; 0: what fits, at most 1,000
  std::string augment = "none";  // what is done to past instances: none, shuffle, resample
  std::string horizon;  // what policies are told of the number of arrivals (`choose_horizon`)
  std::string units = "data";  // see gains in the units of the training data, or "raw" (the paper)
  std::string start;   // a run folder or checkpoint to begin with its parameters; empty: drawn ones
  int epochs = 0;      // 0: 100, or 20 with `minutes`
  double minutes = 0;  // sizes the run so that it takes about so long on two cores; 0: it does not
  /// A model whose validation ratio falls this far below the best goes back to it, with smaller
  /// steps and more entropy. 0: never, as in the paper.
  double setback = 0.03;
  int patience = 0;  // the run ends after so many epochs without a better model; 0: never
  std::uint64_t seed = 1;
  int threads = 0;
  std::filesystem::path folder;
  bool resume = false;
  std::string command;  // the command line, for the record

  /// Of fresh validation instances; without it, `seed`. Runs with the same one can be compared.
  std::optional<std::uint64_t> validation_seed = {};

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
  bool out_of_patience = false;  // did it end before all its epochs were done?
  std::optional<double> greedy_ratio = {}, threshold_ratio = {};  // of rules, as in the record
  int setbacks = 0;                    // how often it went back to its best model
  std::optional<Rival> unbeaten = {};  // a rule that it is not better than beyond doubt
};

/// Called with the metrics of each epoch, after it is saved. If it returns false, the run ends, and
/// `resume` can continue it.
using EpochObserver = std::function<bool(const MetricsRow& metrics)>;

/// Trains a model. Before the first epoch it checks that the training data fits its problem, the
/// model the data, the model to start from the one to train, and the validation set the model;
/// Error(kData) or Error(kUsage) says what does not fit. `resume`
/// continues a run with the same settings and data; Error(kUsage) says what differs. If
/// interrupted, it throws Error(kCancelled); finished epochs are kept, and `resume` continues after
/// them.
RunResult train(const RunOptions& options, Progress& progress, const EpochObserver& observer = {});

struct SizedRun {
  RunOptions options;
  double minutes = 0;  // that it takes about; more than asked for if a single update does
};
/// The same settings with epochs and instances filled in where they follow from `minutes`.
SizedRun sized(RunOptions options, Progress& progress);

/// Throws what `train` would throw about what does not fit; writes nothing.
void check_run(const RunOptions& options, Progress& progress);

}  // namespace foresight
