// How good is a policy? Its optimality ratio on many instances, and the figures behind it.
//
//   const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
//   const Evaluation evaluation = evaluate(data, contestants, {}, progress);
//   evaluation.policies[0].ratio.mean;
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
  std::uint64_t seed = 0;      // for randomised policies
  int threads = 0;             // 0 = all cores
  std::uint64_t episodes = 0;  // how many to record decision by decision, if they are small
  std::string horizon = {};  // what policies are told of the number of arrivals (`choose_horizon`)
  bool matchings = false;    // keep every policy's matchings, for write_matchings

  void read(OptionReader& o);
};

/// A policy to judge, with the name to show.
struct Contestant {
  std::string name;
  std::shared_ptr<const Policy> policy;

  std::string rule = {};  // its name in the registry of policies, if it has one

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
  std::string rule;      // as in Contestant, like the next two
  std::string model;
  std::string trained_on;
  std::vector<double> ratios;  // per instance: value / hindsight optimum, 1 if the optimum is 0
  std::vector<std::vector<NodeId>> matchings;  // per instance, if the options ask for them
  Summary ratio;
  double mean_value = 0;
  double matched = 0;  // mean number of arrivals matched

  // Per time step: the share of instances in which the decision is that of the optimum or of
  // greedy, each on its own trajectory.
  std::vector<double> agreement_optimum;
  std::vector<double> agreement_greedy;

  double decisions_per_second = 0;  // in batches, on all threads
  double p50_microseconds = 0;      // of a single decision, including the arrival
  double p99_microseconds = 0;
  PairedComparison against_first;  // this policy's ratios minus the first one's

  /// The share of the gap between a reference (the better of greedy-t and greedy) and the ceiling
  /// (optimal-online) that this policy's mean ratio closes. Only if both were judged, too.
  std::optional<double> gap_closed;
};

struct Evaluation {
  std::string problem;
  Provenance provenance;
  std::size_t num_instances = 0;
  Horizon horizon;               // what policies were told of the number of arrivals
  std::size_t num_unproven = 0;  // instances whose optimum is only a bound, so ratios are a floor
  EvaluateOptions options;
  std::string command;  // the command line that made it, if any
  std::string inputs;   // digest of all inputs, if an experiment made it
  std::vector<PolicyResult> policies;
  std::optional<std::size_t> gap_reference;  // the policy at which the gap begins, if there is one
  std::vector<Episode> episodes;
};

/// Plays every policy on every instance, fitted to the data. A policy that learned how many arrivals
/// to expect goes by that, where the others are told what the data says to expect. The optimal online
/// policy is always told the number. The data must be labelled; ratios are
/// taken against the label's bound. Throws Error(kData) if a policy does not fit, or exceeds the
/// bound, which means that the labels are wrong. Throws Error(kUsage) if an option is out of range.
Evaluation evaluate(const BoundDataset& data, std::span<const Contestant> contestants,
                    const EvaluateOptions& options, Progress& progress);

/// Is it the optimal online policy, by spec or from a file?
bool is_ceiling(const PolicyResult& result);

/// Where the gap begins and ends, in words; empty if there is none.
std::string describe_gap(const Evaluation& evaluation);

/// Fills in what follows from the ratios of all policies: comparisons and gaps.
void compare(Evaluation& evaluation);

/// The machine-readable form, specified in docs/formats.md.
std::string to_json(const Evaluation& evaluation);

/// Reads it back. `name` is the name of the text in errors.
Evaluation evaluation_from_json(std::string_view text, const std::string& name);

}  // namespace foresight
