// The two methods behind AssignmentSolver. Both match rows, the smaller side, to columns.
//
// Columns have prices. A row's profit is the weight of its edge minus the price of its column, or
// `outside`, the worth of staying unmatched. Rows are served one after the other: a served row has
// a column, or stays outside. Three things hold throughout: a served row cannot profit more
// elsewhere at current prices, prices never fall, and an unmatched column's price is 0. Once every
// row has been served, prices and profits together prove that the matching is optimal.
//
// A row is served along a shortest alternating path. The length of an edge is the profit that its
// row would lose by using it. The path ends at an unmatched column, or at a row that prefers to
// stay outside. Along the path, matched and unmatched edges change places, and the prices of all
// columns nearer than its end rise by the difference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "foresight/data/instance.h"

namespace foresight::internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a matcher finds.
struct RowMatching {
  double value = 0;
  std::vector<NodeId> column_of;   // per row, or kSkip
  std::vector<NodeId> row_of;      // per column, or kSkip
  std::vector<double> row_prices;  // the profits
  std::vector<double> column_prices;
};

/// Node numbers are signed; positions in a vector are unsigned.
template <typename Vector>
auto& at(Vector& values, NodeId node) {
  return values[static_cast<std::size_t>(node)];
}

/// Begins arrays on a cache line, which makes vector loads faster.
template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kLine));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(LineAllocator, LineAllocator) { return true; }
};
template <typename T>
using LineVector = std::vector<T, LineAllocator<T>>;

/// For dense weights: rows bid for columns first, and searches look at a whole row at a time.
/// O(rows^2 columns).
class DenseMatcher {
 public:
  /// Makes room for a matrix of unspecified contents. Requires rows <= columns.
  void reshape(NodeId rows, NodeId columns);
  void clear() { std::fill(weights_.begin(), weights_.end(), 0.0); }
  double& weight(NodeId row, NodeId column) {
    return weights_[static_cast<std::size_t>(row) * stride_ + static_cast<std::size_t>(column)];
  }
  std::size_t stride() const { return stride_; }  // from a row to the next

  /// `outside` is 0, or -infinity if every row must be matched.
  const RowMatching& solve(double outside);

 private:
  struct Settled {
    NodeId column;
    double distance;
    double price;
  };
  void match(NodeId row, NodeId column);
  NodeId bid(NodeId row);
  void bid_in_turn();
  void serve(NodeId root);

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;  // columns_ rounded up
  double outside_ = 0;
  LineVector<double> weights_;  // row-major

  // Per column, padded to stride_. The padding has infinite prices, so no row ever chooses it.
  LineVector<double> prices_;
  LineVector<double> taken_;  // infinity where matched, else 0
  LineVector<double> distances_;
  LineVector<std::int64_t> parents_;  // the row before the column on its shortest path

  std::vector<NodeId> unserved_;
  std::vector<Settled> settled_;
  RowMatching matching_;
};

/// Edges listed by row: those of row i are at positions first(i) .. last(i).
struct SparseRows {
  std::span<const std::int64_t> begin;
  std::span<const NodeId> columns;
  std::span<const float> weights;

  NodeId count() const { return static_cast<NodeId>(begin.size()) - 1; }
  std::size_t first(NodeId row) const { return static_cast<std::size_t>(at(begin, row)); }
  std::size_t last(NodeId row) const { return first(row + 1); }
};

/// The same edges listed by column. Owns the memory behind the rows it returns.
class Transposer {
 public:
  SparseRows transpose(const SparseRows& rows, NodeId num_columns);

 private:
  std::vector<std::int64_t> begin_;
  std::vector<NodeId> rows_;
  std::vector<float> weights_;
};

/// For sparse weights: a search looks only at edges that can be part of a shortest path.
/// O(rows edges log columns). Staying outside is worth 0.
class SparseMatcher {
 public:
  const RowMatching& solve(const SparseRows& rows, NodeId num_columns);

 private:
  // Side by side, because an edge leads to a random column and needs most of this.
  struct Column {
    double price = 0;
    double distance = kInfinity;  // -infinity once settled
    NodeId row = kSkip;
    NodeId parent = kSkip;    // the row before the column on its shortest path
    float weight = 0;         // of the edge to `row`
    float parent_weight = 0;  // of the edge to `parent`
  };
  struct Settled {
    NodeId column;
    double distance;
  };
  /// The best known end of a path: `row` takes the unmatched `column`, or stays outside (kSkip).
  struct End {
    double distance;
    NodeId row;
    NodeId column;
  };
  void serve(const SparseRows& rows, NodeId root);
  void relax(const SparseRows& rows, NodeId row, double offset, End& end);

  std::vector<Column> columns_;
  std::vector<std::pair<double, NodeId>> heap_;  // of columns by distance, some outdated
  std::vector<NodeId> reached_;
  std::vector<Settled> settled_;
  RowMatching matching_;
};

}  // namespace foresight::internal
