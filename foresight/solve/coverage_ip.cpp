#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "foresight/base/index.h"
#include "foresight/solve/coverage.h"
#include "foresight/solve/coverage_internal.h"
#include "foresight/solve/integer_program.h"

namespace foresight {
namespace {

/// The paper's program, with variables aggregated where visits are interchangeable. Topics need no
/// variables for a user with one visit, because there an edge is worth what its node covers.
class CoverageProgram {
 public:
  explicit CoverageProgram(const Instance& instance);
  Label solve(const SolveLimits& limits) const;

 private:
  /// Visits of one user with the same neighbours: which nodes are matched to any of them?
  struct Group {
    std::vector<int> arrivals;
    std::vector<NodeId> nodes;
    std::vector<int> variables;  // one per node
  };

  std::vector<Group> groups_of(std::span<const int> arrivals) const;
  void add_user(std::span<const int> arrivals);
  void add_sum(const std::vector<int>& variables, double upper);

  const Instance& instance_;
  Visits visits_;
  IntegerProgram program_;
  std::vector<Group> groups_;
  std::vector<std::vector<int>> of_node_;  // per fixed node: its variables
  double simple_bound_ = 0;                // every user covers everything
};

CoverageProgram::CoverageProgram(const Instance& instance)
    : instance_(instance), of_node_(index(instance.market().num_fixed)) {
  visits_.assign(instance);
  for (int user = 0; user < visits_.num_users(); ++user) add_user(visits_[user]);
  const auto capacities = instance.market().capacities;
  for (std::size_t u = 0; u < of_node_.size(); ++u) {
    add_sum(of_node_[u], capacities.empty() ? 1 : capacities[u]);
  }
}

void CoverageProgram::add_sum(const std::vector<int>& variables, double upper) {
  const std::vector<double> ones(variables.size(), 1);
  program_.add_row(variables, ones, -IntegerProgram::kInfinity, upper);
}

std::vector<CoverageProgram::Group> CoverageProgram::groups_of(
    std::span<const int> arrivals) const {
  std::vector<Group> groups;
  for (const int t : arrivals) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return same_neighbours(instance_, std::array{group.arrivals.front(), t});
    });
    if (same == groups.end()) {
      groups.push_back({{t}, {}, {}});
    } else {
      same->arrivals.push_back(t);
    }
  }
  return groups;
}

void CoverageProgram::add_user(std::span<const int> arrivals) {
  const Market& market = instance_.market();
  const auto preferences = instance_.arrival(arrivals.front()).preferences;
  if (preferences.empty()) return;
  simple_bound_ += std::accumulate(preferences.begin(), preferences.end(), 0.0);

  const bool once = arrivals.size() == 1;
  std::vector<std::vector<int>> covering(
      preferences.size());  // per topic: the variables that cover it
  for (Group& group : groups_of(arrivals)) {
    for (const NodeId node : instance_.arrival(group.arrivals.front()).nodes) {
      const auto topics = market.topics_of(node);
      const double worth = std::accumulate(
          topics.begin(), topics.end(), 0.0,
          [&](double sum, std::int32_t topic) { return sum + preferences[index(topic)]; });
      if (worth == 0) continue;
      const int matched = program_.add_variable(once ? worth : 0, 0, 1, true);
      group.nodes.push_back(node);
      group.variables.push_back(matched);
      of_node_[index(node)].push_back(matched);
      for (const std::int32_t topic : topics) covering[index(topic)].push_back(matched);
    }
    add_sum(group.variables, static_cast<double>(group.arrivals.size()));
    groups_.push_back(std::move(group));
  }
  if (once) return;
  for (std::size_t topic = 0; topic < covering.size(); ++topic) {
    if (covering[topic].empty() || preferences[topic] == 0) continue;
    std::vector<double> coefficients(covering[topic].size(), 1);
    covering[topic].push_back(program_.add_variable(preferences[topic], 0, 1, false));
    coefficients.push_back(-1);
    program_.add_row(covering[topic], coefficients, 0, IntegerProgram::kInfinity);
  }
}

Label CoverageProgram::solve(const SolveLimits& limits) const {
  const IntegerProgram::Solution solution =
      program_.maximize({.time_limit_seconds = limits.time_limit_seconds, .stop = limits.stop});
  std::vector<NodeId> matching(index(instance_.num_arrivals()), kSkip);
  for (const Group& group : groups_) {
    auto arrival = group.arrivals.begin();
    for (std::size_t i = 0; solution.found && i < group.nodes.size(); ++i) {
      if (solution.values[index(group.variables[i])] < 0.5) continue;
      matching[index(*arrival++)] = group.nodes[i];
    }
  }
  return tidy_label(instance_, visits_, std::move(matching),
                    std::min(solution.bound, simple_bound_));
}

}  // namespace

Label solve_coverage_ip(const Instance& instance, const SolveLimits& limits) {
  return CoverageProgram(instance).solve(limits);
}

}  // namespace foresight
