// Training without choosing: everything that suits the data is tried, and the best is kept.
//
// First every rule is tuned on past instances and judged. Then every model that suits the data is
// trained for a short time, the better ones go on for longer, and the best one for the longest
// (successive halving: Jamieson and Talwalkar, "Non-stochastic best arm identification and
// hyperparameter optimization", 2016). All are compared on the same validation instances, in pairs.
// If no model is better than the best rule beyond doubt, the rule is kept.
//
// Recorded instances without a validation set are cut by time: the first four fifths are learned from,
// and the last fifth chooses.
//
//   RUN/auto.json                 what was asked for, and once it is done, what was found
//   RUN/train.safetensors         the training instances, if they are not drawn
//   RUN/past.safetensors          some of them, or others, that rules learn from
//   RUN/validation.safetensors    the instances by which a policy is chosen, with their optima
//   RUN/watched.safetensors       some of these, which runs validate on
//   RUN/test.safetensors          others, for the table; not if there is no source to draw them from
//   RUN/candidates/NAME/1, 2, 3   the runs of each model; each goes on from the one before
//   RUN/result.json               the table, as `foresight evaluate --json` writes it
//   RUN                           the policy: a copy of the best run, or best.safetensors with a rule
//
//   const AutoResult found = train_auto({.train = "crowd", .folder = "RUN", .minutes = 5}, progress);
//
// How much work is done depends on `minutes` but not on a clock: the same settings give the same
// result on any number of threads. An interrupted search goes on with what is finished.
#pragma once

#include "foresight/eval/evaluate.h"
#include "foresight/train/run.h"

namespace foresight {

struct AutoResult {
  /// A rule, or the best run of a model, and how it did on the validation instances.
  struct Tried {
    std::string name;
    std::string policy;         // what `resolve` takes; a run is given by its place in the folder
    double lead = 0;            // over greedy, in optimality ratio
    std::size_t instances = 0;  // how many it was judged on
  };

  std::string kept;  // the name of the policy in `evaluation`
  bool is_rule = false;
  Evaluation evaluation;           // greedy first, then the best rules, the models and the ceiling
  bool fresh = false;              // judged on instances that did not choose it
  std::vector<Tried> tried;        // the best first, rules before models
  std::vector<std::string> notes;  // what could not be tried, and why
  std::string advice;              // what to use, in a sentence

  /// Of this name in `evaluation`; null if there is none.
  const PolicyResult* find(const std::string& name) const;
  const PolicyResult& kept_result() const { return *find(kept); }
};

/// Searches in `options.folder`. `options.model`, `trainer`, `epochs` and `instances` must not be
/// given. The observer is called after every epoch of every run, and can end only that run.
AutoResult train_auto(const RunOptions& options, Progress& progress,
                      const EpochObserver& observer = {});

/// What to say beside the table: the advice, what it rests on, and the notes.
std::vector<std::string> remarks(const AutoResult& found);

/// Does the folder hold a search, done or not?
bool is_auto_folder(const std::filesystem::path& folder);

/// What a search found that is done. Throws Error(kUsage) if there is none in the folder, or if it is
/// not done yet.
AutoResult read_auto(const std::filesystem::path& folder);

}  // namespace foresight
