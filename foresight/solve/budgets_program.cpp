#include <algorithm>

#include "foresight/solve/budgets_internal.h"

namespace foresight {
namespace {

// The most edges in all bundles of one integer program, counted with repetition.
constexpr std::size_t kMaxBundledEdges = 2'000'000;

}  // namespace

BundleProgram::BundleProgram(const BudgetGraph& graph)
    : edges_(graph.edges), of_arrival_(graph.num_arrivals()) {
  std::vector<std::vector<std::size_t>> costly(graph.num_fixed());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (edges_[e].cost > 0) {
      costly[index(edges_[e].node)].push_back(e);
    } else {
      add_alone({&e, 1});
    }
  }
  for (std::size_t u = 0; u < costly.size(); ++u) {
    add_node(costly[u], graph.capacities[u], kMaxBundledEdges / costly.size());
  }
  for (const auto& variables : of_arrival_) {
    if (variables.size() < 2) continue;
    program_.add_row(variables, std::vector<double>(variables.size(), 1),
                     -IntegerProgram::kInfinity, 1);
  }
}

IntegerProgram::Solution BundleProgram::improve(std::span<const NodeId> matching,
                                                const SolveLimits& limits) const {
  const std::vector<double> start = write(matching);
  return program_.maximize({.time_limit_seconds = limits.time_limit_seconds,
                            .gap = limits.gap,
                            .strengthen = has_capacity_rows_,
                            .start = start,
                            .stop = limits.stop});
}

void BundleProgram::read(std::span<const double> values, std::span<NodeId> matching) const {
  std::fill(matching.begin(), matching.end(), kSkip);
  for (std::size_t b = 0; b < num_bundles(); ++b) {
    if (values[b] < 0.5) continue;
    for (const std::size_t e : bundle(b)) matching[index(edges_[e].arrival)] = edges_[e].node;
  }
}

std::vector<double> BundleProgram::write(std::span<const NodeId> matching) const {
  const auto is_matched = [&](std::size_t e) {
    return matching[index(edges_[e].arrival)] == edges_[e].node;
  };
  std::vector<std::size_t> matches;  // per node: its matches that cost something
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const std::size_t u = index(edges_[e].node);
    if (u >= matches.size()) matches.resize(u + 1);
    matches[u] += edges_[e].cost > 0 && is_matched(e);
  }
  std::vector<double> values(num_bundles());
  for (std::size_t b = 0; b < num_bundles(); ++b) {
    const auto members = bundle(b);
    const std::size_t u = index(edges_[members.front()].node);
    values[b] = std::all_of(members.begin(), members.end(), is_matched) &&
                (!exclusive_[b] || members.size() == matches[u]);
  }
  return values;
}

void BundleProgram::add_bundle(std::span<const std::size_t> members) {
  members_.insert(members_.end(), members.begin(), members.end());
  begin_.push_back(members_.size());
}

int BundleProgram::add_variable(std::size_t b, bool exclusive) {
  double worth = 0;
  for (const std::size_t e : bundle(b)) worth += edges_[e].gain;
  const int variable = program_.add_variable(worth, 0, 1, true);
  for (const std::size_t e : bundle(b)) of_arrival_[index(edges_[e].arrival)].push_back(variable);
  exclusive_.push_back(exclusive);
  return variable;
}

// Every edge is a bundle of its own. Returns their variables.
std::vector<int> BundleProgram::add_alone(std::span<const std::size_t> edges) {
  std::vector<int> variables;
  for (const std::size_t e : edges) {
    add_bundle({&e, 1});
    variables.push_back(add_variable(num_bundles() - 1, false));
  }
  return variables;
}

void BundleProgram::add_node(std::span<const std::size_t> edges, double capacity,
                             std::size_t most) {
  if (covers_all(edges, capacity)) {
    add_alone(edges);
    return;
  }
  const std::size_t first = num_bundles();
  if (list_bundles(edges, capacity, most)) {
    std::vector<int> variables;
    for (std::size_t b = first; b < num_bundles(); ++b) variables.push_back(add_variable(b, true));
    program_.add_row(variables, std::vector<double>(variables.size(), 1),
                     -IntegerProgram::kInfinity, 1);
    return;
  }
  begin_.resize(first + 1);
  members_.resize(begin_.back());
  std::vector<double> costs;
  for (const std::size_t e : edges) costs.push_back(edges_[e].cost);
  program_.add_row(add_alone(edges), costs, -IntegerProgram::kInfinity, capacity);
  has_capacity_rows_ = true;
}

bool BundleProgram::covers_all(std::span<const std::size_t> edges, double remaining) const {
  for (const std::size_t e : edges) {
    if (!covers(remaining, edges_[e].cost)) return false;
    remaining -= edges_[e].cost;
  }
  return true;
}

// Lists the sets of edges that the capacity covers. Returns false if they have more than `most`
// members in all.
bool BundleProgram::list_bundles(std::span<const std::size_t> edges, double capacity,
                                 std::size_t most) {
  const std::size_t limit = members_.size() + most;
  std::vector<std::size_t> positions, members;  // of the current set
  std::vector<double> remaining = {capacity};   // before the first edge and after each edge
  for (std::size_t i = 0;; ++i) {
    if (i == edges.size()) {
      if (positions.empty()) return true;
      i = positions.back();
      positions.pop_back();
      members.pop_back();
      remaining.pop_back();
    } else if (const double cost = edges_[edges[i]].cost; covers(remaining.back(), cost)) {
      positions.push_back(i);
      members.push_back(edges[i]);
      remaining.push_back(remaining.back() - cost);
      if (members_.size() + members.size() > limit) return false;
      add_bundle(members);
    }
  }
}

}  // namespace foresight
