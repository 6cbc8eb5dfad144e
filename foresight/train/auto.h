// Training without choosing a model: several kinds of models are trained on the same data, and the
// best on the validation set is kept.
//
//   RUN/candidates/MODEL   a run of each model, which can be inspected, compared and resumed
//   RUN                    a copy of the best of these runs
#pragma once

#include "foresight/train/run.h"

namespace foresight {

struct AutoResult {
  std::string model;  // the best one
  RunResult run;
  std::vector<std::pair<std::string, double>> ratios;  // of every candidate, on the validation set
};

/// The runs of the models that suit the data. `options.model` and `options.trainer` are not used.
/// If `options.instances` is 0, each run is sized so that all of them take some minutes on two
/// cores, in at most `options.epochs` epochs. All are validated on the same instances, on fewer if
/// these are large.
std::vector<RunOptions> auto_candidates(const RunOptions& options);

/// Trains all candidates. The observer is called after every epoch of each run, and can end only
/// that run.
AutoResult train_auto(const RunOptions& options, Progress& progress,
                      const EpochObserver& observer = {});

/// The number of fresh instances per epoch that makes a run of about this many decisions in all. It
/// is smaller if many fixed nodes make each decision costly.
std::uint64_t instances_for(double decisions, int epochs, const std::string& source);

}  // namespace foresight
