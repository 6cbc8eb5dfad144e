// What policies that learn from past instances share: the past, its edges with their gains, and how
// the best of many settings is found on it.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/policy/play.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"

namespace foresight::internal {

/// Calls `visit(offer)` for each edge that gains something and that some matching can hold, priced
/// as if nothing were matched yet.
template <typename Visit>
void visit_edges(const Problem& problem, const Instance& instance, Visit&& visit) {
  const Market& market = instance.market();
  const auto ledger = problem.open(market);
  std::vector<Offer> offers;
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival arrival = instance.arrival(t);
    offers.resize(arrival.nodes.size());
    ledger->price(arrival, offers);
    for (const Offer& offer : offers) {
      const double capacity = problem.capacity(market, offer.node);
      const bool fits = capacity > 0 && offer.cost <= capacity * (1 + kCapacityTolerance);
      if (fits && offer.gain > 0) visit(offer);
    }
  }
}

/// The past instances that a policy was given.
class Past {
 public:
  enum class Sizes { kAny, kOne };

  /// `policy` is the name of the reader in errors. With kOne, all instances must have the same
  /// number of fixed nodes. Without a file, the past is empty.
  Past(std::string policy, std::string file, Sizes sizes = Sizes::kOne)
      : Past(std::move(policy), file, open(file), sizes) {}

  /// The same for instances that need not be in a file; errors call them `file`.
  Past(std::string policy, std::string file, std::optional<BoundDataset> data, Sizes sizes)
      : policy_(std::move(policy)), file_(std::move(file)), data_(std::move(data)) {
    if (!data_) return;
    if (data_->size() == 0) {
      fail(ErrorCode::kData, "{}: {} needs at least one instance to learn from", file_, policy_);
    }
    first_ = data_->instance(0);
    for (std::size_t i = 0; i < size(); ++i) {
      const Market market = instance(i).market();
      if (sizes == Sizes::kOne && market.num_fixed != first_.market().num_fixed) {
        fail(ErrorCode::kData,
             "{}: {} needs the same number of fixed nodes in all instances, but instance 0 has {} "
             "and instance {} has {}",
             file_, policy_, first_.market().num_fixed, i, market.num_fixed);
      }
      fixed_ = fixed_ && std::ranges::equal(market.ids, first_.market().ids);
    }
  }

  const std::string& policy() const { return policy_; }
  const std::string& file() const { return file_; }
  std::size_t size() const { return data_ ? data_->size() : 0; }
  Instance instance(std::size_t i) const { return data_->instance(i); }
  std::int64_t num_arrivals() const { return data_ ? data_->num_arrivals() : 0; }
  const Problem& problem() const { return data_->problem(); }
  NodeId num_fixed() const { return first_.market().num_fixed; }

  /// How many arrivals there were.
  std::optional<Horizon> expectation() const {
    return data_ ? std::optional(Horizon::from_past(data_->lengths())) : std::nullopt;
  }

  /// The largest gain there was, of edges that some matching can hold.
  std::optional<double> largest_gain() const {
    if (!data_) return std::nullopt;
    float largest = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      visit_edges(problem(), instance(i),
                  [&](const Offer& offer) { largest = std::max(largest, offer.gain); });
    }
    return largest;
  }

  /// Whether all past instances had the same fixed nodes, as far as their ids show.
  bool knows_nodes_of(const Market& market) const {
    return fixed_ && std::ranges::equal(market.ids, first_.market().ids);
  }

  /// Throw Error(kData) if data has another problem than the past, or an episode another size.
  void check(const Schema& schema) const {
    if (size() == 0) return;
    if (data_->schema().capacities != schema.capacities) {
      const bool here = schema.capacities;
      fail(ErrorCode::kData,
           "{} learned from {}, where fixed nodes have {}capacities, and cannot decide where they "
           "{}",
           policy_, file_, here ? "no " : "", here ? "have them" : "have none");
    }
    if (same_problem(data_->schema(), schema)) return;
    fail(ErrorCode::kData,
         "{} learned from {} for problem \"{}\" and cannot decide in problem \"{}\"", policy_,
         file_, data_->schema().problem, schema.problem);
  }
  void check(std::span<const Opening> openings) const {
    if (size() == 0) return;
    for (const Opening& opening : openings) {
      if (opening.market.num_fixed == num_fixed() && opening.problem->name() == problem().name()) {
        continue;
      }
      fail(
          ErrorCode::kData,
          "{} learned from {} ({}, {} fixed nodes) and cannot decide in a market of {} fixed nodes "
          "({})",
          policy_, file_, problem().name(), num_fixed(), opening.market.num_fixed,
          opening.problem->name());
    }
  }

 private:
  static std::optional<BoundDataset> open(const std::string& file) {
    if (file.empty()) return std::nullopt;
    return bind_data(Dataset::load(file));
  }

  std::string policy_, file_;
  std::optional<BoundDataset> data_;
  Instance first_;
  bool fixed_ = true;
};

/// Calls `learn(i)` for each past instance, on all cores, and shows the progress, which `learn` has to
/// advance. Stops with Error(kCancelled) if interrupted.
template <typename Learn>
void learn_from(const Past& past, Progress& progress, std::int64_t steps, std::string_view unit,
                Learn&& learn) {
  if (past.size() == 0) return;
  progress.begin(fmt::format("{} learns from {}", past.policy(), past.file()), steps, unit);
  parallel_for(past.size(), 0, [&](std::size_t i) {
    check_cancelled(progress);
    learn(i);
  });
  progress.end();
}

/// What past edges show, in ascending order: `measure(offer)` of edges that are drawn evenly from all
/// instances, so many that quantiles are exact enough, and so few that any past fits into memory.
/// Edges that measure 0 do not count.
template <typename Measure>
std::vector<float> sorted_sample(const Past& past, Measure&& measure) {
  constexpr double kMost = 300'000;
  std::int64_t edges = 0;
  for (std::size_t i = 0; i < past.size(); ++i) {
    const auto begin = past.instance(i).view().edge_begin;
    edges += begin.back() - begin.front();
  }
  const double share = kMost / static_cast<double>(std::max<std::int64_t>(edges, 1));
  std::vector<float> sample;
  for (std::size_t i = 0; i < past.size(); ++i) {
    Rng rng(0, Stream::kPolicy, i);
    visit_edges(past.problem(), past.instance(i), [&](const Offer& offer) {
      if (share < 1 && rng.uniform() >= share) return;
      if (const float value = measure(offer); value > 0) sample.push_back(value);
    });
  }
  std::ranges::sort(sample);
  return sample;
}

/// The setting with the best mean value on past instances. Episode k of a batch of `policy` must use
/// setting k mod `settings`, so that one batch tries all of them on the same instance.
inline std::size_t best_setting(const Past& past, const Policy& policy, std::size_t settings,
                                Progress& progress) {
  std::vector<std::vector<double>> values(past.size());
  learn_from(past, progress, past.num_arrivals(), "arrivals", [&](std::size_t i) {
    const std::vector<Instance> copies(settings, past.instance(i));
    PlayOptions options{.first_index = i * settings, .progress = &progress};
    options.on_step = [&](double) { progress.advance(1); };
    for (const Rollout& rollout : play(bind_instances(past.problem(), copies), policy, options)) {
      values[i].push_back(rollout.value);
    }
  });
  std::vector<double> totals(settings);
  for (const auto& of_instance : values) {
    for (std::size_t k = 0; k < settings; ++k) totals[k] += of_instance[k];
  }
  return static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin());
}

}  // namespace foresight::internal
