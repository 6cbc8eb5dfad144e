// The hindsight optimum of online submodular bipartite matching (OSBM) with weighted coverage.
//
// Fixed nodes have topics; arrivals of one type are visits of one user, who values each topic.
// Every fixed node is matched at most once, every arrival to at most one of its neighbours, and a
// user earns the preferences of all topics that the nodes matched to it cover together. Edge
// weights play no role.
//
// NP-hard (one user alone is a maximum-coverage problem). The paper solves the integer program of
// Dickerson et al. (2018). CoverageSolver solves it by branch and price (Barnhart et al., 1998):
// fixed nodes with the same topics and neighbours are units of one kind of good, and a user buys a
// bundle of at most as many kinds as it has visits. The linear program over bundles is much tighter
// than the paper's, and bundle_simplex.h is made for it. Its prices prove an upper bound whatever
// became of rounding errors: no matching earns more than what all goods cost, plus what every user
// would gain by buying its best bundle. Where shares are divided, the search branches on whether a
// user of several visits buys a set of topics; if none is divided there, only a transportation
// problem is left. About 85 % of MovieLens instances of 94 x 100 need no branching, and of 5,000
// none needed more than 63 nodes.
//
//   CoverageSolver solver;
//   Label label = solver.solve(instance);
//   label.proven();  // value == bound
#pragma once

#include <limits>
#include <memory>
#include <span>

#include "foresight/data/instance.h"

namespace foresight {

/// What a matching (per arrival: a fixed node or kSkip) earns.
double coverage_value(const Instance& instance, std::span<const NodeId> matching);

/// The paper's integer program, as given to CBC: any instance, but slow. When time runs out, the
/// best matching found and the bound proven until then.
Label solve_coverage_ip(const Instance& instance,
                        double time_limit_seconds = std::numeric_limits<double>::infinity());

/// Branch and price. Leaves to `solve_coverage_ip` what it is not made for: more than 64 topics,
/// visits of one user with different neighbours, users of so many visits that their bundles are too
/// many. Keeps its workspace between calls, which does not influence results: one per thread.
class CoverageSolver {
 public:
  CoverageSolver();
  ~CoverageSolver();
  CoverageSolver(CoverageSolver&&) noexcept;
  CoverageSolver& operator=(CoverageSolver&&) noexcept;

  /// Nodes that would add nothing are not matched. The visits of a user get its nodes in order of
  /// falling gain.
  Label solve(const Instance& instance,
              double time_limit_seconds = std::numeric_limits<double>::infinity());

  /// Nodes of the last search; 0 if its result is the integer program's.
  int num_nodes() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace foresight
