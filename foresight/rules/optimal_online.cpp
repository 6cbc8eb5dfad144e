#include "foresight/rules/optimal_online.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <set>

#include "foresight/base/error.h"
#include "foresight/base/index.h"

namespace foresight {
namespace {

using Solution = std::shared_ptr<const OnlineSolution>;

// The tables that a policy keeps while no episode needs them. One is enough if instances share it.
constexpr std::size_t kKept = 4;

std::vector<std::int32_t> sorted(std::span<const std::int32_t> ids) {
  std::vector<std::int32_t> result(ids.begin(), ids.end());
  std::ranges::sort(result);
  return result;
}

/// Says whose error it is, where a source or a solver speaks.
template <typename Work>
auto named(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled) throw;
    fail(error.code(), "optimal-online: {}", error.what());
  }
}

void check_played(const std::string& source, const Schema& known, const Schema& played) {
  if (same_problem(known, played)) return;
  fail(ErrorCode::kData, "optimal-online of {} is for problem \"{}\", not for problem \"{}\"",
       source, known.problem, played.problem);
}

class OnlineBatch : public EpisodeBatch {
 public:
  void add(Solution solution, const Market& market) {
    Episode& episode = episodes_.emplace_back(Episode{std::move(solution), {}});
    const auto& ids = episode.solution->ids;
    for (NodeId u = 0; u < market.num_fixed; ++u) {
      const auto found =
          ids.empty() ? u : std::ranges::find(ids, market.ids[index(u)]) - ids.begin();
      episode.nodes.push_back(static_cast<NodeId>(found));
    }
  }

 private:
  struct Episode {
    Solution solution;
    std::vector<NodeId> nodes;  // per fixed node: its number in the solution
  };

  void score(const State& state, std::size_t i, std::span<float> row) override {
    const Episode& episode = episodes_[i];
    const OnlineTable& table = episode.solution->table;
    const auto slots_worth = [&](NodeId u, std::int32_t most) {
      const NodeId node = episode.nodes[index(u)];
      return std::min(most, table.states.slots_left(node, state.remaining(u))) *
             table.states.strides[index(node)];
    };
    constexpr std::int32_t kAll = std::numeric_limits<std::int32_t>::max();
    std::int64_t here = 0;
    for (NodeId u = 0; u < state.market().num_fixed; ++u) here += slots_worth(u, kAll);
    const int left = static_cast<int>(std::min<double>(table.horizon, std::round(state.to_come())));
    row[0] = table.value(left, here);
    for (std::size_t k = 1; k < row.size(); ++k) {
      const Offer& offer = state.offers()[k - 1];
      row[k] = offer.gain + table.value(left, here - slots_worth(offer.node, 1));
    }
  }

  std::vector<Episode> episodes_;
};

class OnlinePolicy : public Policy {
 public:
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const final {
    auto batch = std::make_unique<OnlineBatch>();
    std::set<Solution> distinct;
    double bytes = 0;
    for (const Opening& opening : openings) {
      const Solution solution =
          solution_for(opening.market, opening.progress ? *opening.progress : no_progress());
      if (distinct.insert(solution).second) {
        bytes += solution->table.states.bytes(solution->table.horizon);
      }
      if (bytes > kMaxOnlineBytes) {
        fail(ErrorCode::kUsage,
             "optimal-online: the tables of {} different markets need {:.4g} MiB; the limit for "
             "one batch of {} episodes is {} MiB",
             distinct.size(), bytes / (1 << 20), openings.size(), kMaxOnlineBytes / (1 << 20));
      }
      batch->add(solution, opening.market);
    }
    return batch;
  }

 private:
  /// The table for this market, from any thread.
  virtual Solution solution_for(const Market& market, const Progress& progress) const = 0;
};

/// One table that was computed before.
class StoredOnline : public OnlinePolicy {
 public:
  explicit StoredOnline(OnlineSolution solution)
      : solution_(std::make_shared<OnlineSolution>(std::move(solution))) {}

  std::string known_source() const override { return solution_->source; }
  std::string resolved_spec() const override {
    return Spec{"optimal-online", {{"source", solution_->source}}}.to_string();
  }
  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    check_played(solution_->source, {.problem = solution_->problem}, schema);
    return nullptr;
  }

 private:
  Solution solution_for(const Market& market, const Progress&) const override {
    const OnlineTable& table = solution_->table;
    if (index(market.num_fixed) != table.states.slots.size() ||
        sorted(market.ids) != sorted(solution_->ids)) {
      fail(ErrorCode::kData, "optimal-online of {} was computed for other fixed nodes",
           solution_->source);
    }
    for (NodeId u = 0; u < market.num_fixed; ++u) check_capacity(market, u);
    if (market.horizon.is_known() && market.horizon.arrivals() > table.horizon) {
      fail(ErrorCode::kData,
           "optimal-online of {} was computed for at most {} arrivals, but the instance "
           "has {}",
           solution_->source, table.horizon, market.horizon.arrivals());
    }
    named([&] { return most_arrivals(market.horizon); });
    return solution_;
  }

  /// A node that can take nothing in the table may be one that no arrival ever wants.
  void check_capacity(const Market& market, NodeId u) const {
    const OnlineTable& table = solution_->table;
    const auto& ids = solution_->ids;
    const auto place =
        ids.empty() ? index(u) : index(std::ranges::find(ids, market.ids[index(u)]) - ids.begin());
    const double capacity =
        market.capacities.empty() ? 1 : static_cast<double>(market.capacities[index(u)]);
    const auto cost = static_cast<double>(table.states.costs[place]);
    const double slots =
        std::min<double>(std::floor((1 + kCapacityTolerance) * capacity / cost), table.horizon);
    if (table.states.slots[place] == 0 || slots == table.states.slots[place]) return;
    fail(ErrorCode::kData,
         "optimal-online of {} was computed for other capacities: fixed node {} took {} matches "
         "there, and takes {} here",
         solution_->source, u, table.states.slots[place], slots);
  }

  Solution solution_;
};

struct OptimalOnlineOptions {
  std::string source;

  void read(OptionReader& o) {
    o.text("source", source, "spec of the source that the instances come from, in quotes");
  }
};

/// Tables for the markets of a source, computed when they are first needed.
class OptimalOnline : public OnlinePolicy {
 public:
  explicit OptimalOnline(const OptimalOnlineOptions& options) : spec_(options.source) {
    if (spec_.empty()) {
      fail(ErrorCode::kUsage,
           "policy \"optimal-online\" needs the source of the instances, e.g. "
           "optimal-online(source=\"crowd(u=10,v=30)\")");
    }
    source_.emplace(named([&] { return bind_source(spec_); }));
    named([&] { return known_law(*source_, source_->draw(0, 0).market()); });
  }

  std::string known_source() const override { return spec_; }
  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    check_played(spec_, source_->schema(), schema);
    return nullptr;
  }

 private:
  struct Key {
    std::vector<std::int32_t> ids;
    NodeId num_fixed;
    int horizon;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Slot {
    Key key;
    std::mutex mutex;  // held while the table is computed
    Solution solution;
  };

  Solution solution_for(const Market& market, const Progress& progress) const override {
    const int most = named([&] { return most_arrivals(market.horizon); });
    const auto slot = slot_for({sorted(market.ids), market.num_fixed, most});
    const std::lock_guard lock(slot->mutex);
    if (!slot->solution) {
      slot->solution = std::make_shared<OnlineSolution>(
          named([&] { return solve_online(*source_, market, 0, progress); }));
    }
    return slot->solution;
  }

  std::shared_ptr<Slot> slot_for(Key key) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(recent_, key, &Slot::key);
    if (found != recent_.end()) return *found;
    auto slot = std::make_shared<Slot>();
    slot->key = std::move(key);
    recent_.push_front(slot);
    if (recent_.size() > kKept) recent_.pop_back();
    return slot;
  }

  std::string spec_;
  std::optional<BoundSource> source_;
  mutable std::mutex mutex_;
  mutable std::deque<std::shared_ptr<Slot>> recent_;
};

}  // namespace

ArrivalLaw known_law(const BoundSource& source, const Market& market) {
  if (auto law = source.arrival_law(market)) return *std::move(law);
  fail(
      ErrorCode::kUsage,
      "the law of the arrivals of source {} is not known, or they depend on each other; choose er, "
      "crowd, gmission or csv",
      source.spec());
}

OnlineSolution solve_online(const BoundSource& source, const Market& market, int threads,
                            const Progress& progress) {
  const ArrivalLaw law = known_law(source, market);
  const OnlineStates states = online_states(source.problem(), market, law);
  return {source.spec(),
          source.schema().problem,
          {market.ids.begin(), market.ids.end()},
          solve_online(states, law, most_arrivals(market.horizon), threads, progress)};
}

std::shared_ptr<const Policy> make_policy(OnlineSolution solution) {
  return std::make_shared<StoredOnline>(std::move(solution));
}

Entry<Policy> optimal_online_policy() {
  return make_entry<Policy, OptimalOnline, OptimalOnlineOptions>(
      "optimal-online",
      "the best possible policy for arrivals from a known source: a bound for all others");
}

}  // namespace foresight
