#include <algorithm>
#include <numeric>

#include "foresight/solve/budgets_internal.h"

namespace foresight {
namespace {

constexpr int kUnseen = -1;
constexpr int kClosed = -2;  // no augmenting path will pass this node again

}  // namespace

bool UniformBudgets::match(const BudgetGraph& graph, std::span<NodeId> matching) {
  if (!is_uniform(graph)) return false;
  matching_ = matching;
  list_arrivals(graph);
  level_.assign(graph.num_fixed(), kUnseen);
  const auto same_gain = [&](NodeId a, NodeId b) { return gain_[index(a)] == gain_[index(b)]; };
  std::sort(order_.begin(), order_.end(),
            [&](NodeId a, NodeId b) { return gain_[index(a)] > gain_[index(b)]; });
  for (auto begin = order_.begin(); begin != order_.end();) {
    const auto end =
        std::find_if_not(begin, order_.end(), [&](NodeId u) { return same_gain(u, *begin); });
    while (find_levels({begin, end})) {
      for (auto u = begin; u != end; ++u) {
        while (spare_[index(*u)] > 0 && augment(*u)) --spare_[index(*u)];
      }
    }
    begin = end;
  }
  return true;
}

bool UniformBudgets::is_uniform(const BudgetGraph& graph) {
  gain_.assign(graph.num_fixed(), 0);
  cost_.assign(graph.num_fixed(), 0);
  for (const BudgetEdge& edge : graph.edges) {
    double& gain = gain_[index(edge.node)];
    double& cost = cost_[index(edge.node)];
    if (gain == 0) {
      gain = edge.gain;
      cost = edge.cost;
    }
    if (gain != edge.gain || cost != edge.cost) return false;
  }
  return true;
}

// Sorts the edges by node, and counts how many of them each capacity covers.
void UniformBudgets::list_arrivals(const BudgetGraph& graph) {
  const std::size_t num_fixed = graph.num_fixed();
  first_.assign(num_fixed + 1, 0);
  for (const BudgetEdge& edge : graph.edges) ++first_[index(edge.node) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  next_.assign(first_.begin(), first_.end() - 1);
  arrivals_.resize(graph.edges.size());
  for (const BudgetEdge& edge : graph.edges) arrivals_[next_[index(edge.node)]++] = edge.arrival;

  order_.clear();
  spare_.assign(num_fixed, 0);
  for (std::size_t u = 0; u < num_fixed; ++u) {
    const auto degree = static_cast<int>(first_[u + 1] - first_[u]);
    if (degree > 0) order_.push_back(static_cast<NodeId>(u));
    double remaining = graph.capacities[u];
    for (; spare_[u] < degree && covers(remaining, cost_[u]); ++spare_[u]) remaining -= cost_[u];
  }
}

// Finds the distance of each node from the sources, which could take more arrivals. Stops at the
// nearest unmatched arrival; returns false if none can be reached.
bool UniformBudgets::find_levels(std::span<const NodeId> sources) {
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
bool UniformBudgets::augment(NodeId source) {
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

}  // namespace foresight
