// How good is a policy? The optimality ratio on many instances, and what lies behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foresight/base/progress.h"
#include "foresight/base/statistics.h"
#include "foresight/eval/episode.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"

namespace foresight {

struct EvaluateOptions {
  std::uint64_t seed = 0;      // of what randomised policies draw
  int threads = 0;             // 0 = all cores
  std::uint64_t episodes = 0;  // record the first so many, if small, decision by decision

  void read(OptionReader& o);
};

/// A policy to judge, under the name to show.
struct Contestant {
  std::string name;
  std::shared_ptr<const Policy> policy;

  std::string rule = {};  // what the registry of policies calls it, if it is from there

  // Of a trained model, else empty:
  std::string model = {};       // its architecture's spec
  std::string trained_on = {};  // the spec of the training data's source
};

/// The policy that a person names (see `resolve`), fitted to the data.
Contestant make_contestant(const std::string& name, const BoundDataset& data,
                           Progress& progress = no_progress());

struct PolicyResult {
  std::string name;
  std::string resolved;  // the spec with tuned values filled in, if any
  std::string rule;      // as in Contestant, and so are the next two
  std::string model;
  std::string trained_on;
  std::vector<double> ratios;  // per instance: value / hindsight optimum, 1 where the optimum is 0
  Summary ratio;
  double mean_value = 0;
  double matched = 0;  // mean number of arrivals matched

  // Share of instances, per time step, in which the decision is the optimum's or greedy's, each on
  // its own trajectory.
  std::vector<double> agreement_optimum;
  std::vector<double> agreement_greedy;

  double decisions_per_second = 0;  // in batches, on all threads
  double p50_microseconds = 0;      // of one decision on its own, arrival included
  double p99_microseconds = 0;
  PairedComparison against_first;  // this policy's ratios minus the first one's

  /// Of the way from a reference (greedy-t, else greedy) to the ceiling (optimal-online), the share
  /// that this policy's mean ratio covers; only where both were judged, too.
  std::optional<double> gap_closed;
};

struct Evaluation {
  std::string problem;
  Provenance provenance;
  std::size_t num_instances = 0;
  std::size_t num_unproven = 0;  // instances whose optimum is a bound, so that ratios are a floor
  EvaluateOptions options;
  std::string command;  // the command line that made it, if any
  std::string inputs;   // digest of all that it was made from, where an experiment keeps track
  std::vector<PolicyResult> policies;
  std::vector<Episode> episodes;
};

/// Plays every policy on every instance, as it fits the data; Error(kData) where one does not. The
/// data must be labelled. Ratios are taken against the label's bound. Throws Error(kData) if a policy
/// exceeds it, since then the labels are wrong. Throws Error(kUsage) if an option is out of range.
Evaluation evaluate(const BoundDataset& data, std::span<const Contestant> contestants,
                    const EvaluateOptions& options, Progress& progress);

/// Is it the optimal online policy, by spec or from a file?
bool is_ceiling(const PolicyResult& result);

/// Fills in what follows from the ratios of all policies: comparisons and gaps.
void compare(Evaluation& evaluation);

/// The machine-readable form, specified in docs/formats.md.
std::string to_json(const Evaluation& evaluation);

/// Reads it back. `name` is what errors call the text.
Evaluation evaluation_from_json(std::string_view text, const std::string& name);

}  // namespace foresight
