// The hindsight optimum of online submodular bipartite matching (OSBM) with weighted coverage.
//
// Fixed nodes have topics. Arrivals of one type are visits of one user, who values each topic.
// Every fixed node is matched at most once, and every arrival to at most one of its neighbours. A
// user earns the preferences of all topics that the nodes matched to it cover together. Edge
// weights play no role.
//
// The problem is NP-hard: one user alone is a maximum-coverage problem. The paper solves the
// integer program of Dickerson et al. (2018). CoverageSolver uses branch and price (Barnhart et
// al., 1998):
// - Fixed nodes with the same topics and neighbours are units of one kind of good. A user buys a
//   bundle of at most as many kinds as it has visits.
// - The linear program over bundles (bundle_simplex.h) is much tighter than the paper's.
// - Its prices prove an upper bound in spite of rounding errors: no matching earns more than what
//   all goods cost, plus what every user would gain by buying its best bundle.
// - If a user with several visits divides its shares, the search branches on whether that user buys
//   a set of topics. If none does, only a transportation problem is left.
// About 85 % of MovieLens instances of 94 x 100 need no branching. Of 5,000 such instances, none
// needed more than 63 nodes.
//
//   CoverageSolver solver;
//   Label label = solver.solve(instance);
//   label.proven();  // value == bound
#pragma once

#include <memory>
#include <span>

#include "foresight/data/instance.h"
#include "foresight/solve/limits.h"

namespace foresight {

/// What a matching (per arrival: a fixed node or kSkip) earns.
double coverage_value(const Instance& instance, std::span<const NodeId> matching);

/// Solves the paper's integer program with CBC. It takes any instance, but is slow. If time runs
/// out, the label has the best matching found and the bound proven so far.
Label solve_coverage_ip(const Instance& instance, const SolveLimits& limits = {});

/// Branch and price. It calls `solve_coverage_ip` in three cases: more than 64 topics, visits of
/// one user with different neighbours, and users with so many visits that there are too many
/// bundles. It keeps its workspace between calls, without influence on results. Use one per thread.
class CoverageSolver {
 public:
  CoverageSolver();
  ~CoverageSolver();
  CoverageSolver(CoverageSolver&&) noexcept;
  CoverageSolver& operator=(CoverageSolver&&) noexcept;

  /// Nodes that add nothing are not matched. The visits of a user get its nodes in order of falling
  /// gain.
  Label solve(const Instance& instance, const SolveLimits& limits = {});

  /// The nodes of the last search; 0 if the integer program gave the result.
  int num_nodes() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace foresight
