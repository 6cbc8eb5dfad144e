#include "foresight/solve/assignment.h"

#include <algorithm>
#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/kernel.h"
#include "foresight/solve/assignment_internal.h"
#include "foresight/solve/capacity_internal.h"

namespace foresight {
namespace {

// Leaves room for sums along paths of any length.
constexpr double kLargestWeight = 1e290;

bool is_usable(double weight) {
  return std::abs(weight) <= kLargestWeight;  // false for NaN
}

/// Copies weights to every `step`-th place and returns whether all are usable. One pass without a
/// branch is twice as fast as a check and a memcpy.
FORESIGHT_KERNEL bool load(std::span<const double> weights, double* to, std::size_t step) {
  std::int64_t unusable = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    to[i * step] = weights[i];
    unusable |= is_usable(weights[i]) ? 0 : 1;
  }
  return unusable == 0;
}

[[noreturn]] void reject_unusable(std::span<const double> weights, NodeId num_arrivals) {
  const auto bad = std::ranges::find_if_not(weights, is_usable);
  const auto position = bad - weights.begin();
  fail(ErrorCode::kData, "the weight of edge ({}, {}) is {}, expected a number between -{} and {}",
       position / num_arrivals, position % num_arrivals, *bad, kLargestWeight, kLargestWeight);
}

/// Near these densities both methods take the same time, as measured from 10 x 30 to 1000 x 1000. A
/// large matrix does not fit the cache, so it must be denser to be worth its memory traffic.
bool prefers_dense(double num_fixed, double num_arrivals, double num_edges) {
  const double cells = num_fixed * num_arrivals;
  return num_edges >= cells * (cells <= 1e5 ? 0.04 : 0.1);
}

/// Whether prices should fall. Both ways take longest near balance. At 5,000 x 200,000 they took the
/// same time at a room of about 0.998 (uniform weights), 0.993 (small integers) and 1.0 (skewed).
bool is_scarce(std::int64_t room, std::int64_t demand) {
  return static_cast<double>(room) < 0.998 * static_cast<double>(demand);
}

}  // namespace

struct AssignmentSolver::Workspace {
  internal::DenseMatcher dense;
  internal::SparseMatcher sparse;
  internal::AscendingMatcher ascending;
  internal::DescendingMatcher descending;
  internal::Transposer transposer;
  std::vector<std::int32_t> limits;
  Assignment result;

  /// The smaller side becomes the rows. Returns whether the rows are the fixed nodes.
  bool reshape(NodeId num_fixed, NodeId num_arrivals) {
    dense.reshape(std::min(num_fixed, num_arrivals), std::max(num_fixed, num_arrivals));
    return num_fixed <= num_arrivals;
  }

  /// Turns rows and columns back into fixed nodes and arrivals.
  const Assignment& present(const internal::RowMatching& matching, bool rows_are_fixed) {
    result.value = matching.value;
    result.matching = rows_are_fixed ? matching.row_of : matching.column_of;
    result.fixed_prices = rows_are_fixed ? matching.row_prices : matching.column_prices;
    result.arrival_prices = rows_are_fixed ? matching.column_prices : matching.row_prices;
    return result;
  }

  const Assignment& solve_matrix(NodeId num_fixed, NodeId num_arrivals,
                                 std::span<const double> weights, double outside) {
    const auto length = static_cast<std::size_t>(num_arrivals);
    if (num_fixed < 0 || num_arrivals < 0 ||
        weights.size() != static_cast<std::size_t>(num_fixed) * length) {
      fail(ErrorCode::kData, "{} weights do not fill a {} x {} matrix", weights.size(), num_fixed,
           num_arrivals);
    }
    const bool rows_are_fixed = reshape(num_fixed, num_arrivals);
    bool usable = true;
    for (NodeId u = 0; u < num_fixed && num_arrivals > 0; ++u) {
      const auto from = weights.subspan(static_cast<std::size_t>(u) * length, length);
      usable &= rows_are_fixed ? load(from, &dense.weight(u, 0), 1)
                               : load(from, &dense.weight(0, u), dense.stride());
    }
    if (!usable) reject_unusable(weights, num_arrivals);
    return present(dense.solve(outside), rows_are_fixed);
  }

  const Assignment& solve_edges(NodeId num_fixed, const internal::SparseRows& arrivals) {
    const NodeId num_arrivals = arrivals.count();
    const std::size_t first = arrivals.first(0);
    const std::size_t last = arrivals.first(num_arrivals);
    if (!prefers_dense(num_fixed, num_arrivals, static_cast<double>(last - first))) {
      return solve_sparse(num_fixed, arrivals);
    }
    const bool rows_are_fixed = reshape(num_fixed, num_arrivals);
    dense.clear();
    for (NodeId t = 0; t < num_arrivals; ++t) {
      for (std::size_t e = arrivals.first(t); e < arrivals.last(t); ++e) {
        const NodeId u = arrivals.columns[e];
        (rows_are_fixed ? dense.weight(u, t) : dense.weight(t, u)) = arrivals.weights[e];
      }
    }
    return present(dense.solve(0), rows_are_fixed);
  }

  const Assignment& solve_sparse(NodeId num_fixed, const internal::SparseRows& arrivals) {
    const bool rows_are_fixed = num_fixed <= arrivals.count();
    return present(rows_are_fixed
                       ? sparse.solve(transposer.transpose(arrivals, num_fixed), arrivals.count())
                       : sparse.solve(arrivals, num_fixed),
                   rows_are_fixed);
  }

  const Assignment& solve_capacities(std::span<const std::int32_t> capacities,
                                     const internal::SparseRows& arrivals) {
    limits.assign(capacities.size(), 0);  // the degrees at first
    std::int64_t demand = 0;
    for (NodeId t = 0; t < arrivals.count(); ++t) {
      demand += arrivals.first(t) < arrivals.last(t);
      for (std::size_t e = arrivals.first(t); e < arrivals.last(t); ++e) {
        ++internal::at(limits, arrivals.columns[e]);
      }
    }
    std::int64_t room = 0;
    for (std::size_t u = 0; u < limits.size(); ++u) {
      room += std::min(capacities[u], limits[u]);
      limits[u] = std::min(capacities[u], limits[u] + 1);  // one more than it can ever need
    }
    if (is_scarce(room, demand)) {
      descending.solve(limits, transposer.transpose(arrivals, static_cast<NodeId>(limits.size())),
                       arrivals.count(), result);
    } else {
      ascending.solve(limits, arrivals, result);
    }
    return result;
  }
};

AssignmentSolver::AssignmentSolver() : workspace_(std::make_unique<Workspace>()) {}
AssignmentSolver::AssignmentSolver(AssignmentSolver&&) noexcept = default;
AssignmentSolver& AssignmentSolver::operator=(AssignmentSolver&&) noexcept = default;
AssignmentSolver::~AssignmentSolver() = default;

const Assignment& AssignmentSolver::solve(const Instance& instance) {
  const InstanceView& view = instance.view();
  return workspace_->solve_edges(instance.market().num_fixed,
                                 {view.edge_begin, view.nodes, view.weights});
}

const Assignment& AssignmentSolver::solve_dense(NodeId num_fixed, NodeId num_arrivals,
                                                std::span<const double> weights) {
  return workspace_->solve_matrix(num_fixed, num_arrivals, weights, 0);
}

const Assignment& AssignmentSolver::solve_full(NodeId num_rows, NodeId num_columns,
                                               std::span<const double> weights) {
  return workspace_->solve_matrix(num_rows, num_columns, weights, -internal::kInfinity);
}

const Assignment& AssignmentSolver::solve_sparse(NodeId num_fixed,
                                                 std::span<const std::int64_t> edge_begin,
                                                 std::span<const NodeId> nodes,
                                                 std::span<const float> weights) {
  return workspace_->solve_sparse(num_fixed, {edge_begin, nodes, weights});
}

const Assignment& AssignmentSolver::solve_capacities(std::span<const std::int32_t> capacities,
                                                     std::span<const std::int64_t> edge_begin,
                                                     std::span<const NodeId> nodes,
                                                     std::span<const float> weights) {
  bool all_once = true;
  for (std::size_t u = 0; u < capacities.size(); ++u) {
    all_once &= capacities[u] == 1;
    if (capacities[u] < 0) {
      fail(ErrorCode::kData, "the capacity of fixed node {} is {}, expected 0 or more", u,
           capacities[u]);
    }
  }
  const internal::SparseRows arrivals{edge_begin, nodes, weights};
  return all_once ? workspace_->solve_edges(static_cast<NodeId>(capacities.size()), arrivals)
                  : workspace_->solve_capacities(capacities, arrivals);
}

}  // namespace foresight
