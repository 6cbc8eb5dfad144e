#include "foresight/solve/adwords.h"

#include <algorithm>
#include <numeric>

#include "foresight/problem/problem.h"
#include "foresight/solve/integer_program.h"

namespace foresight {
namespace {

constexpr int kUnseen = -1;
constexpr int kClosed = -2;  // no augmenting path will ever pass this node again

// The most bundles in one integer program.
constexpr std::size_t kMaxBundles = 100'000;

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

bool covers(double remaining, double amount) {
  return remaining + kCapacityTolerance >= amount;
}

}  // namespace

Label AdwordsSolver::solve(const Instance& instance, double time_limit_seconds) {
  collect_bids(instance);
  if (every_node_bids_the_same()) {
    match_by_falling_bid();
    const double value = spend();
    return {value, value, matching_};
  }
  drop_useless_bids();
  match_largest_first();
  const double bound = match_by_program(time_limit_seconds);
  const double value = spend();
  return {value, std::max(value, bound), matching_};
}

void AdwordsSolver::collect_bids(const Instance& instance) {
  const InstanceView& view = instance.view();
  budgets_ = view.market.budgets;
  matching_.assign(index(instance.num_arrivals()), kSkip);
  bids_.clear();
  for (NodeId t = 0; t < instance.num_arrivals(); ++t) {
    for (auto e = index(view.edge_begin[index(t)]); e < index(view.edge_begin[index(t) + 1]); ++e) {
      const double amount = view.weights[e];
      if (amount > 0 && covers(budgets_[index(view.nodes[e])], amount)) {
        bids_.push_back({t, view.nodes[e], amount});
      }
    }
  }
}

// Replays the matching as an online policy would; skips what budgets do not
// cover. Returns the value.
double AdwordsSolver::spend() {
  remaining_.assign(budgets_.begin(), budgets_.end());
  double value = 0;
  for (const Bid& bid : bids_) {
    if (matching_[index(bid.arrival)] != bid.node) continue;
    double& remaining = remaining_[index(bid.node)];
    if (covers(remaining, bid.amount)) {
      remaining -= bid.amount;
      value += bid.amount;
    } else {
      matching_[index(bid.arrival)] = kSkip;
    }
  }
  return value;
}

bool AdwordsSolver::every_node_bids_the_same() {
  bid_.assign(budgets_.size(), 0);
  for (const Bid& bid : bids_) {
    double& usual = bid_[index(bid.node)];
    if (usual == 0) usual = bid.amount;
    if (usual != bid.amount) return false;
  }
  return true;
}

void AdwordsSolver::match_by_falling_bid() {
  list_arrivals();
  level_.assign(budgets_.size(), kUnseen);
  const auto same_bid = [&](NodeId a, NodeId b) { return bid_[index(a)] == bid_[index(b)]; };
  std::sort(order_.begin(), order_.end(),
            [&](NodeId a, NodeId b) { return bid_[index(a)] > bid_[index(b)]; });
  for (auto begin = order_.begin(); begin != order_.end();) {
    const auto end =
        std::find_if_not(begin, order_.end(), [&](NodeId u) { return same_bid(u, *begin); });
    while (find_levels({begin, end})) {
      for (auto u = begin; u != end; ++u) {
        while (spare_[index(*u)] > 0 && augment(*u)) --spare_[index(*u)];
      }
    }
    begin = end;
  }
}

// Sorts the bids by node, and counts how many of them each budget covers.
void AdwordsSolver::list_arrivals() {
  const std::size_t num_fixed = budgets_.size();
  first_.assign(num_fixed + 1, 0);
  for (const Bid& bid : bids_) ++first_[index(bid.node) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  next_.assign(first_.begin(), first_.end() - 1);
  arrivals_.resize(bids_.size());
  for (const Bid& bid : bids_) arrivals_[next_[index(bid.node)]++] = bid.arrival;

  order_.clear();
  spare_.assign(num_fixed, 0);
  for (std::size_t u = 0; u < num_fixed; ++u) {
    const auto degree = static_cast<int>(first_[u + 1] - first_[u]);
    if (degree > 0) order_.push_back(static_cast<NodeId>(u));
    double remaining = budgets_[u];
    for (; spare_[u] < degree && covers(remaining, bid_[u]); ++spare_[u]) remaining -= bid_[u];
  }
}

// Finds how far each node is from the sources that could take more arrivals, up
// to the nearest unmatched arrival. Returns false if none can be reached.
bool AdwordsSolver::find_levels(std::span<const NodeId> sources) {
  for (const NodeId u : order_) {
    if (level_[index(u)] != kClosed) level_[index(u)] = kUnseen;
  }
  queue_.clear();
  const auto visit = [&](NodeId u, int level) {
    level_[index(u)] = level;
    next_[index(u)] = first_[index(u)];
    queue_.push_back(u);
  };
  for (const NodeId u : sources) {
    if (spare_[index(u)] > 0) visit(u, 0);
  }
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::size_t u = index(queue_[i]);
    for (std::size_t e = first_[u]; e < first_[u + 1]; ++e) {
      const NodeId owner = matching_[index(arrivals_[e])];
      if (owner == kSkip) return true;
      if (level_[index(owner)] == kUnseen) visit(owner, level_[u] + 1);
    }
  }
  for (const NodeId u : queue_) level_[index(u)] = kClosed;
  return false;
}

// Gives the source one more arrival: an unmatched one, or one of another node
// that finds a replacement in the same way, one level further.
bool AdwordsSolver::augment(NodeId source) {
  path_.assign(1, source);
  while (!path_.empty()) {
    const std::size_t u = index(path_.back());
    if (next_[u] == first_[u + 1]) {
      path_.pop_back();
      if (!path_.empty()) ++next_[index(path_.back())];
      continue;
    }
    const NodeId owner = matching_[index(arrivals_[next_[u]])];
    if (owner == kSkip) {
      for (const NodeId node : path_) matching_[index(arrivals_[next_[index(node)]++])] = node;
      return true;
    }
    if (level_[index(owner)] == level_[u] + 1) {
      path_.push_back(owner);
    } else {
      ++next_[u];
    }
  }
  return false;
}

// A node whose budget covers all its bids is free to take any of them, so an
// arrival needs no other bid that is not larger.
void AdwordsSolver::drop_useless_bids() {
  std::vector<char> free(budgets_.size());
  std::vector<Bid> best(matching_.size());
  std::size_t dropped = 1;
  while (dropped > 0) {
    free.assign(free.size(), true);
    remaining_.assign(budgets_.begin(), budgets_.end());
    for (const Bid& bid : bids_) {
      if (!covers(remaining_[index(bid.node)], bid.amount)) free[index(bid.node)] = false;
      remaining_[index(bid.node)] -= bid.amount;
    }
    best.assign(best.size(), {kSkip, kSkip, 0});
    for (const Bid& bid : bids_) {
      Bid& other = best[index(bid.arrival)];
      if (free[index(bid.node)] && bid.amount > other.amount) other = bid;
    }
    dropped = std::erase_if(bids_, [&](const Bid& bid) {
      const Bid& other = best[index(bid.arrival)];
      return bid.node != other.node && bid.amount <= other.amount;
    });
  }
}

void AdwordsSolver::match_largest_first() {
  std::vector<Bid> falling = bids_;
  std::stable_sort(falling.begin(), falling.end(),
                   [](const Bid& a, const Bid& b) { return a.amount > b.amount; });
  remaining_.assign(budgets_.begin(), budgets_.end());
  for (const Bid& bid : falling) {
    if (matching_[index(bid.arrival)] != kSkip) continue;
    if (!covers(remaining_[index(bid.node)], bid.amount)) continue;
    remaining_[index(bid.node)] -= bid.amount;
    matching_[index(bid.arrival)] = bid.node;
  }
}

// One variable per bundle: does its node get exactly these bids? A node gets at
// most one of all the bundles that its budget covers. If those are too many,
// each of its bids is a bundle of its own, and it gets as many as its budget
// covers.
class AdwordsSolver::BundleProgram {
 public:
  BundleProgram(std::span<const Bid> bids, std::span<const float> budgets, std::size_t num_arrivals)
      : bids_(bids), of_arrival_(num_arrivals) {
    std::vector<std::vector<std::size_t>> of_node(budgets.size());
    for (std::size_t i = 0; i < bids.size(); ++i) of_node[index(bids[i].node)].push_back(i);
    for (std::size_t u = 0; u < budgets.size(); ++u) {
      add_node(of_node[u], budgets[u], kMaxBundles / budgets.size());
    }
    for (const auto& variables : of_arrival_) {
      program_.add_row(variables, std::vector<double>(variables.size(), 1), -kInfinity, 1);
    }
  }

  IntegerProgram::Solution improve(std::span<const NodeId> matching,
                                   double time_limit_seconds) const {
    std::vector<std::size_t> matches(bundled_.size());
    for (const NodeId node : matching) {
      if (node != kSkip) ++matches[index(node)];
    }
    std::vector<double> start(num_bundles());
    for (std::size_t b = 0; b < num_bundles(); ++b) {
      const std::size_t u = index(bids_[bundle(b).front()].node);
      const auto is_matched = [&](std::size_t i) {
        return matching[index(bids_[i].arrival)] == bids_[i].node;
      };
      start[b] = std::all_of(bundle(b).begin(), bundle(b).end(), is_matched) &&
                 (!bundled_[u] || bundle(b).size() == matches[u]);
    }
    return program_.maximize({.time_limit_seconds = time_limit_seconds, .start = start});
  }

  void read(std::span<const double> values, std::span<NodeId> matching) const {
    std::fill(matching.begin(), matching.end(), kSkip);
    for (std::size_t b = 0; b < num_bundles(); ++b) {
      if (values[b] < 0.5) continue;
      for (const std::size_t i : bundle(b)) matching[index(bids_[i].arrival)] = bids_[i].node;
    }
  }

 private:
  static constexpr double kInfinity = IntegerProgram::kInfinity;

  std::size_t num_bundles() const { return begin_.size() - 1; }
  std::span<const std::size_t> bundle(std::size_t b) const {
    return std::span(members_).subspan(begin_[b], begin_[b + 1] - begin_[b]);
  }
  void add_bundle(std::span<const std::size_t> members) {
    members_.insert(members_.end(), members.begin(), members.end());
    begin_.push_back(members_.size());
  }

  void add_node(std::span<const std::size_t> bids, double budget, std::size_t most) {
    const std::size_t first = num_bundles();
    const bool bundled = list_bundles(bids, budget, most);
    bundled_.push_back(bundled);
    if (!bundled) {
      begin_.resize(first + 1);
      members_.resize(begin_.back());
      for (const std::size_t i : bids) add_bundle({&i, 1});
    }
    std::vector<int> variables;
    std::vector<double> coefficients;
    for (std::size_t b = first; b < num_bundles(); ++b) {
      double worth = 0;
      for (const std::size_t i : bundle(b)) worth += bids_[i].amount;
      variables.push_back(program_.add_variable(worth, 0, 1, true));
      coefficients.push_back(bundled ? 1 : worth);
      for (const std::size_t i : bundle(b)) {
        of_arrival_[index(bids_[i].arrival)].push_back(variables.back());
      }
    }
    program_.add_row(variables, coefficients, -kInfinity,
                     bundled ? 1 : budget + kCapacityTolerance);
  }

  // Lists the subsets of `bids` that the budget covers. Returns false if there
  // are more than `most`.
  bool list_bundles(std::span<const std::size_t> bids, double budget, std::size_t most) {
    std::vector<std::size_t> chosen;  // positions in `bids`
    std::vector<std::size_t> members;
    std::vector<double> remaining = {budget};
    const std::size_t last = num_bundles() + most;
    for (std::size_t i = 0;; ++i) {
      if (i == bids.size()) {
        if (chosen.empty()) return true;
        i = chosen.back();
        chosen.pop_back();
        members.pop_back();
        remaining.pop_back();
      } else if (covers(remaining.back(), bids_[bids[i]].amount)) {
        if (num_bundles() == last) return false;
        chosen.push_back(i);
        members.push_back(bids[i]);
        remaining.push_back(remaining.back() - bids_[bids[i]].amount);
        add_bundle(members);
      }
    }
  }

  std::span<const Bid> bids_;
  IntegerProgram program_;
  std::vector<std::size_t> begin_{0},
      members_;                               // the bundles' bids, bundle by bundle
  std::vector<std::vector<int>> of_arrival_;  // per arrival: the bundles that hold it
  std::vector<char> bundled_;                 // per node: gets at most one bundle
};

// Improves the matching; returns a bound on every matching's value.
double AdwordsSolver::match_by_program(double time_limit_seconds) {
  std::vector<double> largest(matching_.size()), demand(budgets_.size());
  for (const Bid& bid : bids_) {
    largest[index(bid.arrival)] = std::max(largest[index(bid.arrival)], bid.amount);
    demand[index(bid.node)] += bid.amount;
  }
  const double wanted = std::accumulate(largest.begin(), largest.end(), 0.0);
  if (spend() == wanted) return wanted;
  double affordable = 0;
  for (std::size_t u = 0; u < demand.size(); ++u) {
    affordable += std::min(demand[u], budgets_[u] + kCapacityTolerance);
  }

  const BundleProgram program(bids_, budgets_, matching_.size());
  const auto solution = program.improve(matching_, time_limit_seconds);
  program.read(solution.values, matching_);
  const double value = spend();
  // The program adds up in another order, hence the allowance for rounding.
  if (solution.proven && solution.value <= value * (1 + 1e-12)) return value;
  return std::min({solution.bound, wanted, affordable});
}

}  // namespace foresight
