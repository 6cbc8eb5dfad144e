#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "foresight/solve/assignment_internal.h"

namespace foresight::internal {

SparseRows Transposer::transpose(const SparseRows& rows, NodeId num_columns) {
  const std::size_t first = rows.first(0);
  const std::size_t last = rows.first(rows.count());
  // Column c is counted at c + 2. After summing, entry c + 1 says where its next edge goes.
  begin_.assign(static_cast<std::size_t>(num_columns) + 2, 0);
  for (std::size_t e = first; e < last; ++e) ++at(begin_, rows.columns[e] + 2);
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  rows_.resize(last - first);
  weights_.resize(last - first);
  for (NodeId row = 0; row < rows.count(); ++row) {
    for (std::size_t e = rows.first(row); e < rows.last(row); ++e) {
      const auto position = static_cast<std::size_t>(at(begin_, rows.columns[e] + 1)++);
      rows_[position] = row;
      weights_[position] = rows.weights[e];
    }
  }
  return {std::span(begin_).first(begin_.size() - 1), rows_, weights_};
}

const RowMatching& SparseMatcher::solve(const SparseRows& rows, NodeId num_columns) {
  const auto num_rows = static_cast<std::size_t>(rows.count());
  columns_.assign(static_cast<std::size_t>(num_columns), Column{});
  matching_.column_of.assign(num_rows, kSkip);

  for (NodeId row = 0; row < rows.count(); ++row) serve(rows, row);

  matching_.value = 0;
  matching_.row_of.clear();
  matching_.row_prices.assign(num_rows, 0.0);
  matching_.column_prices.clear();
  for (const Column& column : columns_) {
    matching_.row_of.push_back(column.row);
    matching_.column_prices.push_back(column.price);
    if (column.row == kSkip) continue;
    matching_.value += column.weight;
    at(matching_.row_prices, column.row) = std::max(0.0, column.weight - column.price);
  }
  return matching_;
}

/// Follows the edges of `row`, whose distance plus profit is `offset`, as far as they can matter.
void SparseMatcher::relax(const SparseRows& rows, NodeId row, double offset, End& end) {
  if (offset < end.distance) end = {offset, row, kSkip};
  for (std::size_t e = rows.first(row); e < rows.last(row); ++e) {
    const NodeId node = rows.columns[e];
    Column& column = at(columns_, node);
    const double distance = (offset + column.price) - rows.weights[e];
    // One branch that is rarely taken. Two branches would be mispredicted half of the time.
    if (!(distance < std::min(end.distance, column.distance))) continue;
    column.parent = row;
    column.parent_weight = rows.weights[e];
    if (column.row == kSkip) {
      end = {distance, row, node};
      continue;
    }
    if (column.distance == kInfinity) reached_.push_back(node);
    column.distance = distance;
    heap_.emplace_back(distance, node);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
}

/// Finds the shortest path from an unmatched row, changes the edges along it and raises prices.
void SparseMatcher::serve(const SparseRows& rows, NodeId root) {
  End end{kInfinity, root, kSkip};
  relax(rows, root, 0, end);
  while (!heap_.empty() && heap_.front().first < end.distance) {
    const auto [distance, node] = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    Column& column = at(columns_, node);
    if (column.distance != distance) continue;  // a shorter path to it was found later
    column.distance = -kInfinity;
    settled_.push_back({node, distance});
    relax(rows, column.row, distance + (column.weight - column.price), end);
  }

  for (const Settled& s : settled_) at(columns_, s.column).price += end.distance - s.distance;
  for (const NodeId node : reached_) at(columns_, node).distance = kInfinity;
  settled_.clear();
  reached_.clear();
  heap_.clear();

  NodeId node =
      end.column != kSkip ? end.column : std::exchange(at(matching_.column_of, end.row), kSkip);
  while (node != kSkip) {  // the root had no column before
    Column& column = at(columns_, node);
    column.row = column.parent;
    column.weight = column.parent_weight;
    node = std::exchange(at(matching_.column_of, column.row), node);
  }
}

}  // namespace foresight::internal
