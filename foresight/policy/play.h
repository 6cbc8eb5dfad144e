// The episode loop. It is the only one: training, evaluation and tuning all use it.
//
//   const std::vector<Rollout> rollouts = play(instances, *policy, {.seed = 1});
//   rollouts[0].value;      // of the first episode
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "foresight/base/progress.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"

namespace foresight {

/// How scores become decisions.
enum class Decode {
  kArgmax,  // the highest score; ties are broken uniformly at random
  kSample,  // with probability proportional to exp(score)
};

/// Appends the probabilities with which sampling takes each of the scored entries.
void append_softmax(std::span<const float> scores, std::vector<float>& probabilities);

/// Called after the decisions of each step. `choices[k]` is the entry of row k that was taken.
using StepObserver = std::function<void(std::span<const Turn> turns, Scores& scores,
                                        std::span<const std::size_t> choices)>;

/// What happened in one episode.
struct Rollout {
  double value = 0;
  std::vector<NodeId> matching;  // per arrival: a fixed node or kSkip
};

struct PlayOptions {
  Decode decode = Decode::kArgmax;
  std::uint64_t seed = 0;
  std::uint64_t first_index = 0;  // episode i uses the random streams of index first_index + i

  /// If given, one per instance: these decisions are made again, whatever the scores. Throws
  /// Error(kUsage) if one of them is not on offer.
  std::span<const Rollout> followed = {};

  /// If set, called after each step with the time it took, including arrivals and decisions.
  std::function<void(double seconds)> on_step = {};
  StepObserver observer = {};

  /// If set, asked before each step, and by slow policies within a step. Cancelling it ends the
  /// play with Error(kCancelled).
  const Progress* progress = nullptr;
};

/// Plays all instances side by side as one batch, on the calling thread. Each rollout depends only
/// on its instance, the policy, the seed and its index, not on what else is in the batch.
std::vector<Rollout> play(BoundInstances instances, const Policy& policy,
                          const PlayOptions& options);

/// What policies are given at the start of these episodes.
std::vector<Opening> open_episodes(BoundInstances instances, const PlayOptions& options);

/// The same with a batch that was opened for these instances and options.
std::vector<Rollout> play(BoundInstances instances, Batch& batch, const PlayOptions& options);

/// Plays a whole dataset in batches on several threads (0 = all cores), with the policy fitted to
/// the data. Throws Error(kData) if the policy does not fit.
std::vector<Rollout> play(const BoundDataset& data, const Policy& policy,
                          const PlayOptions& options, int threads, Progress& progress);

/// Plays many instances in the same way, with a policy that fits them. `instance(i)` is called from
/// any thread.
std::vector<Rollout> play_many(const Problem& problem, std::size_t count,
                               const std::function<Instance(std::size_t)>& instance,
                               const Policy& policy, const PlayOptions& options, int threads,
                               Progress& progress);

}  // namespace foresight
