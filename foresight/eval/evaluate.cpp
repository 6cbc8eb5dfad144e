#include "foresight/eval/evaluate.h"

#include <algorithm>
#include <chrono>

#include "foresight/base/error.h"
#include "foresight/model/resolve.h"
#include "foresight/policy/play.h"

namespace foresight {
namespace {

using Clock = std::chrono::steady_clock;

/// Rounding in the sum of gains. If a value exceeds the bound by more, the labels are wrong.
constexpr double kRounding = 1e-5;

/// Episodes are recorded for people to look at, so only small ones.
constexpr NodeId kLargestRecorded = 200;
constexpr int kLongestRecorded = 500;

double ratio_of(double value, double bound, std::size_t instance, const std::string& policy) {
  if (value > bound * (1 + kRounding)) {
    fail(ErrorCode::kData,
         "policy {} reaches {} on instance {}, more than its label's bound {}, so the labels are "
         "wrong; `foresight solve FILE --again` replaces them",
         policy, value, instance, bound);
  }
  return bound > 0 ? std::min(1.0, value / bound) : 1.0;
}

/// Counts, per time step, how often two decisions are the same.
class Agreement {
 public:
  void add(std::span<const NodeId> a, std::span<const NodeId> b) {
    if (a.size() > seen_.size()) {
      seen_.resize(a.size());
      same_.resize(a.size());
    }
    for (std::size_t t = 0; t < a.size(); ++t) {
      ++seen_[t];
      same_[t] += a[t] == b[t];
    }
  }
  std::vector<double> shares() const {
    std::vector<double> shares;
    for (std::size_t t = 0; t < seen_.size(); ++t) {
      shares.push_back(static_cast<double>(same_[t]) / static_cast<double>(seen_[t]));
    }
    return shares;
  }

 private:
  std::vector<std::size_t> seen_, same_;
};

/// Do the instances come from the source whose law the policy knows? The number of arrivals may
/// differ, and files may have moved.
bool is_law_of(const std::string& known, const std::string& source) {
  if (!sources().knows(known) || !sources().knows(source)) return false;
  const auto difference = sources().differing(known, source);
  if (!difference) return false;
  bool moved = false;
  for (const OptionInfo& option : *difference) {
    if (option.name == "v") continue;
    if (!option.path) return false;
    moved = true;
  }
  return !moved || sources().make(known)->digest() == sources().make(source)->digest();
}

/// Measures the time of single decisions, as a live service makes them, after a warm-up.
void measure_latency(const BoundDataset& data, const Policy& policy, std::uint64_t seed,
                     const Progress& progress, PolicyResult& result) {
  constexpr std::size_t kDecisions = 20'000;
  constexpr std::size_t kWarmUp = 1'000;
  constexpr double kMostMicroseconds = 2e6;  // in all, for slow policies
  std::vector<double> times;
  double total = 0;
  for (std::size_t i = 0; i < data.size() && times.size() < kDecisions; ++i) {
    if (total > kMostMicroseconds) break;
    const Instance instance = data.instance(i);
    PlayOptions options{.seed = seed, .first_index = i, .progress = &progress};
    options.on_step = [&](double seconds) {
      times.push_back(1e6 * seconds);
      total += times.back();
    };
    play(bind_instances(data.problem(), {&instance, 1}), policy, options);
  }
  if (times.size() > 2 * kWarmUp) times.erase(times.begin(), times.begin() + kWarmUp);
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  result.p50_microseconds = quantile(times, 0.5);
  result.p99_microseconds = quantile(times, 0.99);
}

}  // namespace

Contestant make_contestant(const std::string& name, const BoundDataset& data, Progress& progress) {
  NamedPolicy found = resolve(name, data.problem(), data.schema(), progress);
  Contestant contestant{name, std::move(found.policy), std::move(found.rule)};
  if (found.trained) {
    contestant.model = found.trained->spec;
    contestant.trained_on = found.trained->provenance["source"];
  }
  return contestant;
}

bool is_ceiling(const PolicyResult& result) {
  return result.rule == "optimal-online";
}

std::string describe_gap(const Evaluation& evaluation) {
  if (!evaluation.gap_reference) return {};
  const PolicyResult& reference = evaluation.policies[*evaluation.gap_reference];
  const auto ceiling = std::ranges::find_if(evaluation.policies, is_ceiling);
  return fmt::format("the gap: from {} ({:.4f}) to optimal-online ({:.4f})",
                     reference.resolved.empty() ? reference.name : reference.resolved,
                     reference.ratio.mean, ceiling->ratio.mean);
}

void compare(Evaluation& evaluation) {
  auto& policies = evaluation.policies;
  const auto ceiling = std::ranges::find_if(policies, is_ceiling);
  // A threshold that is worse than none was badly chosen, and the gap would look too easy to close.
  auto reference = policies.end();
  for (auto result = policies.begin(); result != policies.end(); ++result) {
    if (result->rule != "greedy-t" && result->rule != "greedy") continue;
    if (reference == policies.end() || result->ratio.mean > reference->ratio.mean) {
      reference = result;
    }
  }
  const double low = reference == policies.end() ? 1 : reference->ratio.mean;
  const double high = ceiling == policies.end() ? 0 : ceiling->ratio.mean;
  evaluation.gap_reference.reset();
  if (low < high) {
    evaluation.gap_reference = static_cast<std::size_t>(reference - policies.begin());
  }
  for (PolicyResult& result : policies) {
    result.against_first = compare_paired(result.ratios, policies.front().ratios);
    result.gap_closed.reset();
    if (low < high) result.gap_closed = (result.ratio.mean - low) / (high - low);
  }
}

void EvaluateOptions::read(OptionReader& o) {
  o.count("episodes", episodes, 0, 1000,
          "number of episodes to record decision by decision, for the report's player");
  o.text("horizon", horizon, kHorizonMeaning);
  o.seed(seed);
  o.threads(threads);
}

Evaluation evaluate(const BoundDataset& data, std::span<const Contestant> given,
                    const EvaluateOptions& options, Progress& progress) {
  check(options, "evaluate");
  if (data.size() == 0) fail(ErrorCode::kData, "there are no instances to evaluate on");
  if (!data.labelled()) {
    fail(ErrorCode::kData, "the instances have no hindsight optima; solve them first");
  }
  if (given.empty()) fail(ErrorCode::kUsage, "there are no policies to evaluate");
  std::vector<Contestant> contestants(given.begin(), given.end());
  for (Contestant& contestant : contestants) {
    contestant.policy = fit(contestant.policy, data.problem(), data.schema());
  }
  std::vector<Label> labels;
  for (std::size_t i = 0; i < data.size(); ++i) labels.push_back(data.label(i));

  Evaluation evaluation;
  evaluation.problem = data.problem().name();
  evaluation.provenance = data.provenance();
  evaluation.num_instances = data.size();
  evaluation.horizon = choose_horizon(options.horizon, data);
  evaluation.num_unproven = static_cast<std::size_t>(std::count_if(
      labels.begin(), labels.end(), [](const Label& label) { return !label.proven(); }));
  evaluation.options = options;

  const auto shown_to = [&](const Policy& policy) {
    const bool number = !options.horizon.empty() && options.horizon != "expected";
    return told(data, told_to(policy, evaluation.horizon, number));
  };
  const auto run = [&](const Policy& policy) {
    return play(shown_to(policy), policy, {.seed = options.seed}, options.threads, progress);
  };
  const auto run_named = [&](const Contestant& contestant) {
    try {
      return run(*contestant.policy);
    } catch (const Error& error) {
      const std::string text = error.what();
      if (error.code() != ErrorCode::kData || text.starts_with(contestant.name)) throw;
      fail(error.code(), "{}: {}", contestant.name, text);
    }
  };
  const auto count = static_cast<std::int64_t>(data.size());
  progress.begin("evaluating", count * static_cast<std::int64_t>(contestants.size() + 1),
                 "episodes");
  const std::vector<Rollout> greedy = run(*policies().make("greedy"));
  for (const Contestant& contestant : contestants) {
    PolicyResult& result = evaluation.policies.emplace_back();
    result.name = contestant.name;
    result.resolved = contestant.policy->resolved_spec();
    result.rule = contestant.rule;
    // Optimal for other arrivals is no ceiling here.
    const std::string known = contestant.policy->known_source();
    if (!known.empty() && !is_law_of(known, data.provenance().source)) result.rule.clear();
    result.model = contestant.model;
    result.trained_on = contestant.trained_on;
    progress.note(contestant.name);
    const auto start = Clock::now();
    const std::vector<Rollout> rollouts = run_named(contestant);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result.decisions_per_second = static_cast<double>(data.num_arrivals()) / seconds;

    Agreement with_optimum, with_greedy;
    for (std::size_t i = 0; i < rollouts.size(); ++i) {
      const Rollout& rollout = rollouts[i];
      result.ratios.push_back(ratio_of(rollout.value, labels[i].bound, i, contestant.name));
      result.mean_value += rollout.value / static_cast<double>(data.size());
      const auto skipped = std::count(rollout.matching.begin(), rollout.matching.end(), kSkip);
      result.matched += static_cast<double>(std::ssize(rollout.matching) - skipped) /
                        static_cast<double>(data.size());
      with_optimum.add(rollout.matching, labels[i].matching);
      with_greedy.add(rollout.matching, greedy[i].matching);
      if (options.matchings) result.matchings.push_back(rollout.matching);
    }
    result.ratio = summarize(result.ratios);
    result.agreement_optimum = with_optimum.shares();
    result.agreement_greedy = with_greedy.shares();
    measure_latency(shown_to(*contestant.policy), *contestant.policy, options.seed, progress,
                    result);
  }
  compare(evaluation);
  for (std::size_t i = 0; i < std::min(options.episodes, data.size()); ++i) {
    const Instance instance = data.instance(i);
    if (instance.market().num_fixed > kLargestRecorded) continue;
    if (instance.num_arrivals() > kLongestRecorded) continue;
    Episode episode = record_instance(data.problem(), instance, labels[i]);
    episode.instance = i;
    for (const Contestant& contestant : contestants) {
      episode.plays.push_back(
          record_play(data.problem(), shown_to(*contestant.policy).instance(i), *contestant.policy,
                      {.seed = options.seed, .first_index = i, .progress = &progress},
                      !contestant.model.empty()));
      episode.plays.back().policy = contestant.name;
    }
    evaluation.episodes.push_back(std::move(episode));
  }
  progress.end();
  return evaluation;
}

}  // namespace foresight
