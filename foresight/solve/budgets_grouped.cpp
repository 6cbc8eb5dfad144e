#include <algorithm>
#include <map>
#include <tuple>

#include "foresight/solve/budgets_internal.h"

namespace foresight {

GroupedProgram::GroupedProgram(const BudgetGraph& graph) : graph_(graph) {
  using Edges = std::vector<std::tuple<NodeId, double, double>>;
  std::map<Edges, std::size_t> seen;
  for (std::size_t t = 0; t < graph.num_arrivals(); ++t) {
    Edges edges;
    for (const BudgetEdge& edge : graph.edges_of(t)) {
      edges.emplace_back(edge.node, edge.gain, edge.cost);
    }
    const auto [found, is_new] = seen.emplace(std::move(edges), groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].push_back(t);
  }
}

bool GroupedProgram::helps() const {
  return 2 * groups_.size() <= graph_.num_arrivals();
}

IntegerProgram::Solution GroupedProgram::improve(std::span<NodeId> matching,
                                                 const SolveLimits& limits) const {
  IntegerProgram program;
  std::vector<double> start;
  std::vector<std::vector<int>> of_node(graph_.num_fixed());
  std::vector<std::vector<double>> costs(graph_.num_fixed());
  for (const auto& group : groups_) {
    const auto edges = graph_.edges_of(group.front());
    const auto size = static_cast<double>(group.size());
    std::vector<int> variables;
    for (const BudgetEdge& edge : edges) {
      const std::size_t u = index(edge.node);
      variables.push_back(program.add_variable(edge.gain, 0, size, true));
      of_node[u].push_back(variables.back());
      costs[u].push_back(edge.cost);
      start.push_back(static_cast<double>(
          std::ranges::count_if(group, [&](std::size_t t) { return matching[t] == edge.node; })));
    }
    if (variables.empty()) continue;
    program.add_row(variables, std::vector<double>(variables.size(), 1), -IntegerProgram::kInfinity,
                    size);
  }
  for (std::size_t u = 0; u < of_node.size(); ++u) {
    if (of_node[u].empty()) continue;
    program.add_row(of_node[u], costs[u], -IntegerProgram::kInfinity, graph_.capacities[u]);
  }
  auto solution = program.maximize({.time_limit_seconds = limits.time_limit_seconds,
                                    .gap = limits.gap,
                                    .strengthen = true,
                                    .start = start,
                                    .stop = limits.stop});
  if (!solution.values.empty()) read(solution.values, matching);
  return solution;
}

void GroupedProgram::read(std::span<const double> values, std::span<NodeId> matching) const {
  std::ranges::fill(matching, kSkip);
  std::size_t variable = 0;
  for (const auto& group : groups_) {
    std::size_t next = 0;
    for (const BudgetEdge& edge : graph_.edges_of(group.front())) {
      for (double left = values[variable]; left > 0.5 && next < group.size(); --left) {
        matching[group[next++]] = edge.node;
      }
      ++variable;
    }
  }
}

}  // namespace foresight
