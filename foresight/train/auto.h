// Training without choosing: several kinds of models are trained on the same data, and the best on
// the validation set is kept.
//
//   RUN/candidates/MODEL   a run of each, which can be looked at, compared and resumed
//   RUN                    a copy of the best of them
#pragma once

#include "foresight/train/run.h"

namespace foresight {

struct AutoResult {
  std::string model;  // the best one
  RunResult run;
  std::vector<std::pair<std::string, double>> ratios;  // of every candidate, on the validation set
};

/// The runs of the models that suit the data. `options.model` and `options.trainer` are not used;
/// with `options.instances` 0, each gets what trains all of them in some minutes on two cores, in
/// at most `options.epochs` epochs. All are judged by the same instances, fewer where these are
/// large.
std::vector<RunOptions> auto_candidates(const RunOptions& options);

/// Trains them all. The observer is called in the epochs of each and can end it, not the others.
AutoResult train_auto(const RunOptions& options, Progress& progress,
                      const EpochObserver& observer = {});

/// Fresh instances per epoch that make a run of about this many decisions in all, fewer where many
/// fixed nodes make each costly.
std::uint64_t instances_for(double decisions, int epochs, const std::string& source);

}  // namespace foresight
