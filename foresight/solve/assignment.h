// The hindsight optimum of edge-weighted online matching: a maximum-weight bipartite matching.
//
// The task: choose edges of positive weight, at most one per fixed node and one per arrival, with
// the largest total weight. The solver also returns a proof that no matching is better: a price per
// node such that p_u + p_v >= w_uv on every edge, and the prices add up to the value.
//
// Method: shortest augmenting paths from the smaller side (Jonker & Volgenant, "A shortest
// augmenting path algorithm for dense and sparse linear assignment problems", Computing 38, 1987;
// rectangular form after Crouse, "On implementing 2D rectangular assignment algorithms", 2016).
// With r nodes on the smaller side, c on the larger one and m edges, the dense method takes
// O(r^2 c) time and O(r c) memory, the sparse method O(r m log c) time and O(r + c + m) memory.
// Both usually take far less time.
//
// Where fixed nodes have capacities, a node can be matched that often. The prices then prove the
// optimum in the same way: the prices of fixed nodes, times their capacities, and those of arrivals
// add up to the value. Nodes are not copied: the method has one price per node, and its memory is
// that of the sparse method.
//
//   AssignmentSolver solver;  // keep it: it reuses its memory
//   const Assignment& best = solver.solve(instance);
//   fmt::print("{} by giving arrival 0 to {}\n", best.value, best.matching[0]);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "foresight/data/instance.h"

namespace foresight {

struct Assignment {
  double value = 0;                    // sum of the matched weights
  std::vector<NodeId> matching;        // per arrival: a fixed node or kSkip
  std::vector<double> fixed_prices;    // the dual solution, >= 0: what one more copy of the node
                                       // would be worth at most; 0 if the node is not full
  std::vector<double> arrival_prices;  // the same for arrivals
};

/// Owns its workspace, so repeated solves of similar size allocate nothing. Use one per thread. The
/// returned reference stays valid until the next solve or the end of the solver.
class AssignmentSolver {
 public:
  AssignmentSolver();
  AssignmentSolver(AssignmentSolver&&) noexcept;
  AssignmentSolver& operator=(AssignmentSolver&&) noexcept;
  ~AssignmentSolver();

  /// Picks the dense or the sparse method, whichever should be faster.
  const Assignment& solve(const Instance& instance);

  /// `weights[u * num_arrivals + v]` is the weight of edge (u, v); zero or less means no edge.
  /// Throws Error(kData) if the shape does not fit or a weight is not finite.
  const Assignment& solve_dense(NodeId num_fixed, NodeId num_arrivals,
                                std::span<const double> weights);

  /// The edges of arrival t are at positions edge_begin[t] .. edge_begin[t + 1] of `nodes` and
  /// `weights`, as in an InstanceView and under the rules of `validate`.
  const Assignment& solve_sparse(NodeId num_fixed, std::span<const std::int64_t> edge_begin,
                                 std::span<const NodeId> nodes, std::span<const float> weights);

  /// As above, but fixed node u can be matched capacities[u] times. A node of capacity 0 is as if
  /// it had no edges. Throws Error(kData) if a capacity is negative.
  const Assignment& solve_capacities(std::span<const std::int32_t> capacities,
                                     std::span<const std::int64_t> edge_begin,
                                     std::span<const NodeId> nodes, std::span<const float> weights);

  /// The linear assignment problem of SciPy's linear_sum_assignment(maximize=True): every node of
  /// the smaller side is matched, whatever its weights. Rows are the fixed nodes and columns the
  /// arrivals. Prices are as above, but those of the smaller side may be negative.
  const Assignment& solve_full(NodeId num_rows, NodeId num_columns,
                               std::span<const double> weights);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace foresight
