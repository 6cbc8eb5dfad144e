#include "foresight/solve/adwords.h"

#include <algorithm>
#include <numeric>

#include "foresight/base/index.h"
#include "foresight/problem/problem.h"
#include "foresight/solve/integer_program.h"

namespace foresight {
namespace {

constexpr int kUnseen = -1;
constexpr int kClosed = -2;  // no augmenting path will pass this node again

// The most bids in all bundles of one integer program, counted with repetition.
constexpr std::size_t kMaxBundledBids = 2'000'000;

/// What remains already includes the tolerance.
bool covers(double remaining, double amount) {
  return remaining >= amount;
}

}  // namespace

Label AdwordsSolver::solve(const Instance& instance, const SearchLimits& limits) {
  collect_bids(instance);
  if (every_node_bids_the_same()) {
    match_by_falling_bid();
    const double value = spend();
    return {value, value, matching_};
  }
  drop_useless_bids();
  match_largest_first();
  const double bound = match_by_program(limits);
  const double value = spend();
  return {value, std::max(value, bound), matching_};
}

void AdwordsSolver::collect_bids(const Instance& instance) {
  const InstanceView& view = instance.view();
  budgets_.clear();
  for (const double budget : view.market.budgets) {
    budgets_.push_back(budget * (1 + kCapacityTolerance));
  }
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

// Replays the matching as an online policy would and skips what budgets do not cover. Returns the
// value.
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

// Finds the distance of each node from the sources, which could take more arrivals. Stops at the
// nearest unmatched arrival; returns false if none can be reached.
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

// Gives the source one more arrival: an unmatched one, or one of another node, which then finds a
// replacement in the same way, one level further.
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

// A node whose budget covers all its bids can take any of them. So an arrival with such a bid needs
// no other bid that is not larger.
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

// One variable per bundle of bids: does its node get these bids? A node gets at most one of the
// bundles that its budget covers. If there are too many of them, or if the budget covers every bid,
// each bid is a bundle of its own, and the node gets as many as its budget covers.
class AdwordsSolver::BundleProgram {
 public:
  BundleProgram(std::span<const Bid> bids, std::span<const double> budgets,
                std::size_t num_arrivals)
      : bids_(bids), of_arrival_(num_arrivals) {
    std::vector<std::vector<std::size_t>> of_node(budgets.size());
    for (std::size_t i = 0; i < bids.size(); ++i) of_node[index(bids[i].node)].push_back(i);
    for (std::size_t u = 0; u < budgets.size(); ++u) {
      add_node(of_node[u], budgets[u], kMaxBundledBids / budgets.size());
    }
    for (const auto& variables : of_arrival_) {
      if (variables.size() < 2) continue;
      program_.add_row(variables, std::vector<double>(variables.size(), 1), -kInfinity, 1);
    }
  }

  IntegerProgram::Solution improve(std::span<const NodeId> matching,
                                   const SearchLimits& limits) const {
    const std::vector<double> start = write(matching);
    return program_.maximize({.time_limit_seconds = limits.seconds,
                              .strengthen = has_budget_rows_,
                              .start = start,
                              .stop = limits.stop});
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

  std::vector<double> write(std::span<const NodeId> matching) const {
    std::vector<std::size_t> matches(one_bundle_.size());
    for (const NodeId node : matching) {
      if (node != kSkip) ++matches[index(node)];
    }
    std::vector<double> values(num_bundles());
    for (std::size_t b = 0; b < num_bundles(); ++b) {
      const auto members = bundle(b);
      const std::size_t u = index(bids_[members.front()].node);
      const bool matched = std::all_of(members.begin(), members.end(), [&](std::size_t i) {
        return matching[index(bids_[i].arrival)] == bids_[i].node;
      });
      values[b] = matched && (!one_bundle_[u] || members.size() == matches[u]);
    }
    return values;
  }

  void add_node(std::span<const std::size_t> bids, double budget, std::size_t most) {
    const std::size_t first = num_bundles();
    const bool free = covers_all(bids, budget);
    const bool one_bundle = !free && list_bundles(bids, budget, most);
    if (!one_bundle) {
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
      coefficients.push_back(one_bundle ? 1 : worth);
      for (const std::size_t i : bundle(b)) {
        of_arrival_[index(bids_[i].arrival)].push_back(variables.back());
      }
    }
    if (!free) {
      program_.add_row(variables, coefficients, -kInfinity, one_bundle ? 1 : budget);
    }
    one_bundle_.push_back(one_bundle);
    has_budget_rows_ |= !free && !one_bundle;
  }

  bool covers_all(std::span<const std::size_t> bids, double remaining) const {
    for (const std::size_t i : bids) {
      if (!covers(remaining, bids_[i].amount)) return false;
      remaining -= bids_[i].amount;
    }
    return true;
  }

  // Lists the sets of bids that the budget covers. Returns false if they have more than `most`
  // members in all.
  bool list_bundles(std::span<const std::size_t> bids, double budget, std::size_t most) {
    const std::size_t limit = members_.size() + most;
    std::vector<std::size_t> positions, members;  // of the current set
    std::vector<double> remaining = {budget};     // before the first bid and after each bid
    for (std::size_t i = 0;; ++i) {
      if (i == bids.size()) {
        if (positions.empty()) return true;
        i = positions.back();
        positions.pop_back();
        members.pop_back();
        remaining.pop_back();
      } else if (const double amount = bids_[bids[i]].amount; covers(remaining.back(), amount)) {
        positions.push_back(i);
        members.push_back(bids[i]);
        remaining.push_back(remaining.back() - amount);
        if (members_.size() + members.size() > limit) return false;
        add_bundle(members);
      }
    }
  }

  std::span<const Bid> bids_;
  IntegerProgram program_;
  std::vector<std::size_t> begin_{0};  // where each bundle's bids begin in `members_`
  std::vector<std::size_t> members_;
  std::vector<std::vector<int>> of_arrival_;  // per arrival: the bundles that hold it
  std::vector<char> one_bundle_;              // per node: gets at most one bundle
  bool has_budget_rows_ = false;
};

// Improves the matching. Returns an upper bound, which is the matching's value if it is optimal.
double AdwordsSolver::match_by_program(const SearchLimits& limits) {
  std::vector<double> largest(matching_.size()), demand(budgets_.size());
  for (const Bid& bid : bids_) {
    largest[index(bid.arrival)] = std::max(largest[index(bid.arrival)], bid.amount);
    demand[index(bid.node)] += bid.amount;
  }
  const double wanted = std::accumulate(largest.begin(), largest.end(), 0.0);
  if (spend() == wanted) return wanted;
  double affordable = 0;
  for (std::size_t u = 0; u < demand.size(); ++u) {
    affordable += std::min(demand[u], budgets_[u]);
  }

  const BundleProgram program(bids_, budgets_, matching_.size());
  const auto solution = program.improve(matching_, limits);
  program.read(solution.values, matching_);
  const auto skips = std::count(matching_.begin(), matching_.end(), kSkip);
  const double value = spend();
  const bool kept_all = std::count(matching_.begin(), matching_.end(), kSkip) == skips;
  return solution.proven && kept_all ? value : std::min({solution.bound, wanted, affordable});
}

}  // namespace foresight
