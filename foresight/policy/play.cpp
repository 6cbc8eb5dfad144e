#include "foresight/policy/play.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"

namespace foresight {
namespace {

constexpr std::size_t kLargestBatch = 256;

std::size_t pick_best(std::span<const float> scores, Rng& rng) {
  const float best = *std::max_element(scores.begin(), scores.end());
  const auto ties = static_cast<std::uint64_t>(std::count(scores.begin(), scores.end(), best));
  std::uint64_t skip = ties > 1 ? rng.below(ties) : 0;
  for (std::size_t i = 0;; ++i) {
    if (scores[i] == best && skip-- == 0) return i;
  }
}

std::size_t pick_sample(std::span<const float> scores, Rng& rng) {
  const float best = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (const float score : scores) total += std::exp(static_cast<double>(score - best));
  double x = rng.uniform() * total;
  for (std::size_t i = 0; i + 1 < scores.size(); ++i) {
    x -= std::exp(static_cast<double>(scores[i] - best));
    if (x < 0) return i;
  }
  return scores.size() - 1;
}

std::size_t choose(const State& state, std::span<const float> scores, Decode decode, Rng& rng) {
  if (std::any_of(scores.begin(), scores.end(), [](float score) { return std::isnan(score); })) {
    fail(ErrorCode::kData, "the policy gave a score that is not a number (NaN) at arrival {}",
         state.history().arrivals);
  }
  return decode == Decode::kArgmax ? pick_best(scores, rng) : pick_sample(scores, rng);
}

void check_followed(BoundInstances instances, std::span<const Rollout> followed) {
  bool fits = followed.size() == instances.size();
  for (std::size_t i = 0; fits && i < instances.size(); ++i) {
    fits = std::ssize(followed[i].matching) == instances[i].num_arrivals();
  }
  if (!fits) {
    fail(ErrorCode::kUsage, "the episodes to follow are not of these {} instances",
         instances.size());
  }
}

/// The entry of this decision.
std::size_t entry_of(const State& state, NodeId node) {
  if (node == kSkip) return 0;
  const auto offers = state.offers();
  const auto found = std::ranges::find(offers, node, &Offer::node);
  if (found == offers.end()) {
    fail(ErrorCode::kUsage,
         "the episode to follow takes node {} at arrival {}, but it is not on offer", node,
         state.history().arrivals);
  }
  return static_cast<std::size_t>(found - offers.begin()) + 1;
}

}  // namespace

void append_softmax(std::span<const float> scores, std::vector<float>& probabilities) {
  const float best = *std::max_element(scores.begin(), scores.end());
  const std::size_t first = probabilities.size();
  float total = 0;
  for (const float score : scores) total += probabilities.emplace_back(std::exp(score - best));
  for (std::size_t i = first; i < probabilities.size(); ++i) probabilities[i] /= total;
}

std::vector<Opening> open_episodes(BoundInstances instances, const PlayOptions& options) {
  std::vector<Opening> openings;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    openings.push_back({&instances.problem(), instances[i].market(),
                        Rng(options.seed, Stream::kPolicy, options.first_index + i),
                        options.progress});
  }
  return openings;
}

std::vector<Rollout> play(BoundInstances instances, const Policy& policy,
                          const PlayOptions& options) {
  return play(instances, *policy.begin(open_episodes(instances, options)), options);
}

std::vector<Rollout> play(BoundInstances instances, Batch& batch, const PlayOptions& options) {
  if (!options.followed.empty()) check_followed(instances, options.followed);
  std::vector<State> states;
  std::vector<Rng> decoders;
  std::vector<Rollout> rollouts(instances.size());
  int longest = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    states.emplace_back(instances.problem(), instances[i].market());
    decoders.emplace_back(options.seed, Stream::kDecode, options.first_index + i);
    rollouts[i].matching.reserve(static_cast<std::size_t>(instances[i].num_arrivals()));
    longest = std::max(longest, instances[i].num_arrivals());
  }

  using Clock = std::chrono::steady_clock;
  std::vector<Turn> turns;
  std::vector<std::size_t> choices;
  Scores scores;
  scores.watch(options.progress);
  for (int t = 0; t < longest; ++t) {
    const auto start = options.on_step ? Clock::now() : Clock::time_point();
    turns.clear();
    choices.clear();
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (t >= instances[i].num_arrivals()) continue;
      states[i].arrive(instances[i].arrival(t));
      turns.push_back({&states[i], i});
    }
    scores.resize(turns);
    scores.check_cancelled();
    batch.score(turns, scores);
    for (std::size_t k = 0; k < turns.size(); ++k) {
      const std::size_t i = turns[k].episode;
      choices.push_back(
          options.followed.empty()
              ? choose(states[i], scores.row(k), options.decode, decoders[i])
              : entry_of(states[i], options.followed[i].matching[static_cast<std::size_t>(t)]));
    }
    if (options.observer) options.observer(turns, scores, choices);
    for (std::size_t k = 0; k < turns.size(); ++k) {
      const std::size_t i = turns[k].episode;
      const NodeId node = choices[k] == 0 ? kSkip : states[i].offers()[choices[k] - 1].node;
      states[i].decide(node);
      rollouts[i].matching.push_back(node);
    }
    if (options.on_step) {
      options.on_step(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  for (std::size_t i = 0; i < instances.size(); ++i) rollouts[i].value = states[i].value();
  return rollouts;
}

std::vector<Rollout> play(const BoundDataset& data, const Policy& policy,
                          const PlayOptions& options, int threads, Progress& progress) {
  const auto adapted = policy.fitted(data.problem(), data.schema());
  return play_many(
      data.problem(), data.size(), [&](std::size_t i) { return data.instance(i); },
      adapted ? *adapted : policy, options, threads, progress);
}

std::vector<Rollout> play_many(const Problem& problem, std::size_t count,
                               const std::function<Instance(std::size_t)>& instance,
                               const Policy& policy, const PlayOptions& options, int threads,
                               Progress& progress) {
  std::vector<Rollout> rollouts(count);
  // Small enough that every thread gets several batches, so that none is idle at the end.
  const auto pieces = 4 * static_cast<std::size_t>(thread_count(threads));
  const std::size_t size = std::clamp<std::size_t>(count / pieces, 1, kLargestBatch);
  const std::size_t batches = (count + size - 1) / size;
  parallel_for(batches, threads, [&](std::size_t b) {
    check_cancelled(progress);
    const std::size_t begin = b * size;
    const std::size_t end = std::min(count, begin + size);
    std::vector<Instance> instances;
    for (std::size_t i = begin; i < end; ++i) instances.push_back(instance(i));
    PlayOptions batch_options = options;
    batch_options.first_index += begin;
    batch_options.progress = &progress;
    if (!options.followed.empty()) {
      batch_options.followed = options.followed.subspan(begin, end - begin);
    }
    std::vector<Rollout> part = play(bind_instances(problem, instances), policy, batch_options);
    std::move(part.begin(), part.end(), rollouts.begin() + static_cast<std::ptrdiff_t>(begin));
    progress.advance(static_cast<std::int64_t>(end - begin));
  });
  return rollouts;
}

}  // namespace foresight
