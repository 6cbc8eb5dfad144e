// The episode loop: the only one there is. Training, evaluation and tuning all play through it.
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

/// Told about each step once its decisions are made: `choices[k]` is the entry of row k that was
/// taken.
using StepObserver = std::function<void(std::span<const Turn> turns, Scores& scores,
                                        std::span<const std::size_t> choices)>;

struct PlayOptions {
  Decode decode = Decode::kArgmax;
  std::uint64_t seed = 0;
  std::uint64_t first_index = 0;  // episode i draws from the streams of index first_index + i

  /// If set, called after each step with the time it took, arrivals and decisions included.
  std::function<void(double seconds)> on_step = {};
  StepObserver observer = {};

  /// If set, asked before each step and by slow policies within one; Error(kCancelled) ends the play.
  const Progress* progress = nullptr;
};

/// What happened in one episode.
struct Rollout {
  double value = 0;
  std::vector<NodeId> matching;  // per arrival: a fixed node or kSkip
};

/// Plays all instances side by side as one batch, on the calling thread. Each rollout depends on
/// its instance, the policy, the seed and its index only, not on what else is in the batch.
std::vector<Rollout> play(BoundInstances instances, const Policy& policy,
                          const PlayOptions& options);

/// What policies are given at the start of these episodes.
std::vector<Opening> open_episodes(BoundInstances instances, const PlayOptions& options);

/// The same with a batch that was opened for these very instances and options.
std::vector<Rollout> play(BoundInstances instances, Batch& batch, const PlayOptions& options);

/// A whole dataset in batches on several threads (0 = all cores), by the policy as it fits the data.
/// Throws Error(kData) where it does not.
std::vector<Rollout> play(const BoundDataset& data, const Policy& policy,
                          const PlayOptions& options, int threads, Progress& progress);

/// Many instances likewise, by a policy that fits them; `instance(i)` is called from any thread.
std::vector<Rollout> play_many(const Problem& problem, std::size_t count,
                               const std::function<Instance(std::size_t)>& instance,
                               const Policy& policy, const PlayOptions& options, int threads,
                               Progress& progress);

}  // namespace foresight
