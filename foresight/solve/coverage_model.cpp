#include <algorithm>
#include <bit>
#include <numeric>

#include "foresight/base/index.h"
#include "foresight/solve/coverage_internal.h"

namespace foresight {
namespace {

constexpr int kMaxTopics = 64;
constexpr int kMaxKinds = 3000;  // the simplex method keeps a dense matrix of this order

// The most steps of all searches for bundles together. Beyond it the integer program is used.
constexpr long kWorkLimit = 2'000'000;

}  // namespace

bool CoverageModel::assign(const Instance& instance) {
  if (instance.market().num_topics > kMaxTopics) return false;
  visits_.assign(instance);
  for (int user = 0; user < num_users(); ++user) {
    if (!same_neighbours(instance, visits_[user])) return false;
  }
  find_kinds(instance);
  if (num_kinds() > kMaxKinds) return false;
  find_worth(instance);
  required_.assign(index(num_users()), {});
  trail_.clear();
  cheapest_.resize(topics_.size());
  price_.resize(topics_.size());
  work_ = 0;
  return true;
}

void CoverageModel::find_kinds(const Instance& instance) {
  const Market& market = instance.market();
  row_size_ = 1 + (index(num_users()) + 63) / 64;
  rows_.assign(index(market.num_fixed) * row_size_, 0);
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    for (const std::int32_t topic : market.topics_of(u)) {
      rows_[index(u) * row_size_] |= std::uint64_t{1} << topic;
    }
  }
  for (int user = 0; user < num_users(); ++user) {
    const std::size_t word = 1 + index(user) / 64;
    const std::uint64_t bit = std::uint64_t{1} << (user % 64);
    for (const NodeId u : instance.arrival(visits_[user].front()).nodes) {
      rows_[index(u) * row_size_ + word] |= bit;
    }
  }

  // Sorting by rows puts the nodes of one kind, and the kinds of one set, next to each other.
  const auto row = [&](NodeId u) {
    return rows_.begin() + u * static_cast<std::ptrdiff_t>(row_size_);
  };
  const auto size = static_cast<std::ptrdiff_t>(row_size_);
  nodes_.clear();
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    // As many as can be matched: more arrivals than there are need not be served.
    const float capacity = market.capacities.empty() ? 1 : market.capacities[index(u)];
    nodes_.insert(nodes_.end(),
                  index(static_cast<int>(
                      std::min<float>(capacity, static_cast<float>(instance.num_arrivals())))),
                  u);
  }
  const bool indifferent = instance.view().preferences.width == 0;
  std::erase_if(nodes_, [&](NodeId u) { return indifferent || *row(u) == 0; });
  std::sort(nodes_.begin(), nodes_.end(), [&](NodeId a, NodeId b) {
    const auto order =
        std::lexicographical_compare_three_way(row(a), row(a) + size, row(b), row(b) + size);
    return order != 0 ? order < 0 : a < b;
  });

  supply_.clear();
  set_of_.clear();
  topics_.clear();
  kind_begin_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const bool new_kind =
        i == 0 || !std::equal(row(nodes_[i]), row(nodes_[i]) + size, row(nodes_[i - 1]));
    if (new_kind) {
      if (topics_.empty() || topics_.back() != *row(nodes_[i])) topics_.push_back(*row(nodes_[i]));
      supply_.push_back(0);
      set_of_.push_back(num_sets() - 1);
      kind_begin_.push_back(i);
    }
    ++supply_.back();
  }
}

void CoverageModel::find_worth(const Instance& instance) {
  preferences_.resize(index(num_users()));
  set_worth_.clear();
  worth_.assign(index(num_users()) * supply_.size(), -kInfinity);
  for (int user = 0; user < num_users(); ++user) {
    preferences_[index(user)] = instance.arrival(visits_[user].front()).preferences.data();
    for (const std::uint64_t topics : topics_) set_worth_.push_back(worth_of_topics(user, topics));
    const std::size_t word = 1 + index(user) / 64;
    for (int kind = 0; kind < num_kinds(); ++kind) {
      const std::uint64_t users = rows_[index(nodes_of(kind).front()) * row_size_ + word];
      if ((users >> (user % 64)) & 1) set_worth(user, kind, gain(user, set_of(kind), 0));
    }
  }
}

std::span<const NodeId> CoverageModel::nodes_of(int kind) const {
  return std::span(nodes_).subspan(kind_begin_[index(kind)], index(supply_[index(kind)]));
}

double CoverageModel::worth(int user, int kind) const {
  return worth_[index(user) * supply_.size() + index(kind)];
}

void CoverageModel::set_worth(int user, int kind, double worth) {
  worth_[index(user) * supply_.size() + index(kind)] = worth;
}

double CoverageModel::worth_of_topics(int user, std::uint64_t topics) const {
  const float* preferences = preferences_[index(user)];
  double sum = 0;
  for (; topics != 0; topics &= topics - 1) sum += preferences[std::countr_zero(topics)];
  return sum;
}

double CoverageModel::gain(int user, int set, std::uint64_t covered) const {
  const std::uint64_t topics = topics_[index(set)];
  if ((topics & covered) == 0) return set_worth_[index(user) * topics_.size() + index(set)];
  return worth_of_topics(user, topics & ~covered);
}

double CoverageModel::simple_bound() const {
  double sum = 0;
  for (int user = 0; user < num_users(); ++user) {
    std::uint64_t covered = 0;
    for (int kind = 0; kind < num_kinds(); ++kind) {
      if (worth(user, kind) != -kInfinity) covered |= topics_[index(set_of(kind))];
    }
    sum += worth_of_topics(user, covered);
  }
  return sum;
}

double CoverageModel::value(int user, std::span<const int> kinds) const {
  std::uint64_t covered = 0;
  for (const int kind : kinds) covered |= topics_[index(set_of(kind))];
  return worth_of_topics(user, covered);
}

void CoverageModel::decide(const Branch& branch, bool buys) {
  for (int kind = 0; kind < num_kinds(); ++kind) {
    const bool asked = branch.kind == kAnyKind || branch.kind == kind;
    if (set_of(kind) != branch.set || asked == buys || worth(branch.user, kind) == -kInfinity)
      continue;
    set_worth(branch.user, kind, -kInfinity);
    trail_.push_back({branch.user, kind});
  }
  auto& required = required_[index(branch.user)];
  if (buys && std::find(required.begin(), required.end(), branch.set) == required.end()) {
    required.push_back(branch.set);
    trail_.push_back({branch.user, kAnyKind});
  }
}

void CoverageModel::undo_to(std::size_t num_decisions) {
  for (; trail_.size() > num_decisions; trail_.pop_back()) {
    const auto [user, kind] = trail_.back();
    if (kind == kAnyKind) {
      required_[index(user)].pop_back();
    } else {
      set_worth(user, kind, gain(user, set_of(kind), 0));
    }
  }
}

bool CoverageModel::allows(int user, std::span<const int> kinds) const {
  const auto forbidden = [&](int kind) { return worth(user, kind) == -kInfinity; };
  const auto missing = [&](int set) {
    return std::none_of(kinds.begin(), kinds.end(), [&](int kind) { return set_of(kind) == set; });
  };
  const auto& required = required_[index(user)];
  return std::none_of(kinds.begin(), kinds.end(), forbidden) &&
         std::none_of(required.begin(), required.end(), missing);
}

bool CoverageModel::too_big() const {
  return work_ > kWorkLimit;
}

double CoverageModel::demand(int user, std::span<const double> prices, double at_least,
                             std::vector<int>& kinds) {
  kinds.clear();
  const auto& required = required_[index(user)];
  if (num_visits(user) == 1 && required.empty()) return demand_one(user, prices, at_least, kinds);

  std::fill(price_.begin(), price_.end(), kInfinity);
  for (int kind = 0; kind < num_kinds(); ++kind) {
    double& price = price_[index(set_of(kind))];
    if (worth(user, kind) == -kInfinity || prices[index(kind)] >= price) continue;
    price = std::max(prices[index(kind)], 0.0);
    cheapest_[index(set_of(kind))] = kind;
  }

  chosen_.clear();
  double surplus = 0;
  std::uint64_t covered = 0;
  for (const int set : required) {
    chosen_.push_back(set);
    surplus += gain(user, set, covered) - price_[index(set)];
    covered |= topics_[index(set)];
  }
  const int room = num_visits(user) - static_cast<int>(required.size());
  if (room < 0 || surplus == -kInfinity) return -kInfinity;

  best_.clear();
  best_surplus_ = at_least;
  propose(surplus);
  options_.clear();
  for (int set = 0; set < num_sets(); ++set) add_option(user, set, covered);
  extend(user, 0, room, covered, surplus);
  for (const int set : best_) kinds.push_back(cheapest_[index(set)]);
  return best_surplus_;
}

double CoverageModel::demand_one(int user, std::span<const double> prices, double at_least,
                                 std::vector<int>& kinds) const {
  double best = std::max(at_least, 0.0);
  for (int kind = 0; kind < num_kinds(); ++kind) {
    const double surplus = worth(user, kind) - prices[index(kind)];
    if (surplus <= best) continue;
    best = surplus;
    kinds.assign(1, kind);
  }
  return best;
}

// A set that was already bought gains nothing, so it is not an option again.
void CoverageModel::add_option(int user, int set, std::uint64_t covered) {
  const double net = gain(user, set, covered) - price_[index(set)];
  if (net > 0) options_.push_back({net, set});
}

void CoverageModel::propose(double surplus) {
  if (surplus <= best_surplus_) return;
  best_surplus_ = surplus;
  best_ = chosen_;
}

// Branch and bound: adds up to `room` of the options from `begin` on to the chosen sets. The gain
// of an option can only fall when others are bought before it, so the sum of gains is a bound.
void CoverageModel::extend(int user, std::size_t begin, int room, std::uint64_t covered,
                           double surplus) {
  const std::size_t end = options_.size();
  std::sort(options_.begin() + static_cast<std::ptrdiff_t>(begin), options_.end(),
            [](const Option& a, const Option& b) { return a.gain > b.gain; });
  const auto best_gains = [&](std::size_t first, int count) {
    double sum = 0;
    for (std::size_t i = first; i < end && count > 0; ++i, --count) sum += options_[i].gain;
    return sum;
  };
  for (std::size_t i = begin; i < end && !too_big(); ++i) {
    if (surplus + best_gains(i, room) <= best_surplus_) return;
    const auto [gained, set] = options_[i];
    const std::uint64_t now_covered = covered | topics_[index(set)];
    chosen_.push_back(set);
    propose(surplus + gained);
    if (room > 1) {
      const double others = surplus + gained + best_gains(i + 1, room - 2);
      for (std::size_t j = i + 1; j < end && others + options_[j].gain > best_surplus_; ++j) {
        add_option(user, options_[j].set, now_covered);
        ++work_;
      }
      extend(user, end, room - 1, now_covered, surplus + gained);
      options_.resize(end);
    }
    chosen_.pop_back();
  }
}

}  // namespace foresight
