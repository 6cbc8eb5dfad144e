#include <algorithm>
#include <cassert>
#include <iterator>

#include "foresight/base/kernel.h"
#include "foresight/solve/assignment_internal.h"

namespace foresight::internal {
namespace {

// Several numbers in one register. On x86-64, 32 bytes suit AVX2 and all later instruction sets.
#if defined(__x86_64__)
constexpr std::size_t kBytes = 32;
#else
constexpr std::size_t kBytes = 16;
#endif
constexpr std::size_t kLanes = kBytes / sizeof(double);
using Doubles = double __attribute__((vector_size(kBytes), aligned(8)));
using Integers = std::int64_t __attribute__((vector_size(kBytes), aligned(8)));
constexpr std::int64_t kLaneNumbers[] = {0, 1, 2, 3};
static_assert(kLanes <= std::size(kLaneNumbers));

struct Offer {
  double profit;
  double second;  // the profit from the second-best column
  NodeId column;  // kSkip if no column beats `outside`
};

/// The best and the second-best of `outside` and weights[j] - prices[j].
FORESIGHT_KERNEL Offer best_offer(const double* weights, const double* prices, std::size_t count,
                                  double outside) {
  const auto* weight = reinterpret_cast<const Doubles*>(weights);
  const auto* price = reinterpret_cast<const Doubles*>(prices);
  Doubles best = Doubles{} + outside;
  Doubles second = best;
  Integers column = *reinterpret_cast<const Integers*>(kLaneNumbers);
  Integers best_column = column;
  for (std::size_t block = 0; block < count / kLanes; ++block, column += kLanes) {
    const Doubles profit = weight[block] - price[block];
    const Integers better = profit > best;
    const Doubles loser = better ? best : profit;
    second = loser > second ? loser : second;
    best = better ? profit : best;
    best_column = better ? column : best_column;
  }
  Offer offer{outside, outside, kSkip};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (best[lane] > offer.profit) {
      offer.second = std::max<double>(offer.profit, second[lane]);
      offer.profit = best[lane];
      offer.column = static_cast<NodeId>(best_column[lane]);
    } else {
      offer.second = std::max<double>(offer.second, best[lane]);
    }
  }
  return offer;
}

struct Nearest {
  double distance = kInfinity;
  double untaken = kInfinity;  // distance of the nearest unmatched column
  NodeId column = kSkip;
};

/// Shortens distances[j] to offset + prices[j] - weights[j] where that is less, and makes `row` the
/// parent there. Returns the nearest column. Settled columns have infinite prices and distances.
FORESIGHT_KERNEL Nearest relax(NodeId row, double offset, const double* weights,
                               const double* prices, const double* taken, double* distances,
                               std::int64_t* parents, std::size_t count) {
  const auto* weight = reinterpret_cast<const Doubles*>(weights);
  const auto* price = reinterpret_cast<const Doubles*>(prices);
  const auto* taken_mark = reinterpret_cast<const Doubles*>(taken);
  auto* distance = reinterpret_cast<Doubles*>(distances);
  auto* parent = reinterpret_cast<Integers*>(parents);
  Doubles lowest = Doubles{} + kInfinity;
  Doubles untaken = lowest;
  Integers column = *reinterpret_cast<const Integers*>(kLaneNumbers);
  Integers lowest_column = column;
  for (std::size_t block = 0; block < count / kLanes; ++block, column += kLanes) {
    const Doubles before = distance[block];
    const Doubles via_row = (offset + price[block]) - weight[block];
    const Integers shorter = via_row < before;
    const Doubles now = shorter ? via_row : before;
    distance[block] = now;
    parent[block] = shorter ? Integers{} + row : parent[block];
    const Integers nearer = now < lowest;
    lowest = nearer ? now : lowest;
    lowest_column = nearer ? column : lowest_column;
    const Doubles if_untaken = now + taken_mark[block];
    untaken = if_untaken < untaken ? if_untaken : untaken;
  }
  Nearest nearest;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    nearest.untaken = std::min<double>(nearest.untaken, untaken[lane]);
    if (lowest[lane] < nearest.distance) {
      nearest.distance = lowest[lane];
      nearest.column = static_cast<NodeId>(lowest_column[lane]);
    }
  }
  return nearest;
}

}  // namespace

void DenseMatcher::reshape(NodeId rows, NodeId columns) {
  assert(0 <= rows && rows <= columns);
  rows_ = static_cast<std::size_t>(rows);
  columns_ = static_cast<std::size_t>(columns);
  stride_ = (columns_ + kLanes - 1) / kLanes * kLanes;
  weights_.resize(rows_ * stride_);
}

const RowMatching& DenseMatcher::solve(double outside) {
  outside_ = outside;
  prices_.assign(stride_, kInfinity);
  std::fill_n(prices_.data(), columns_, 0.0);
  taken_.assign(stride_, 0.0);
  distances_.resize(stride_);
  parents_.resize(stride_);
  matching_.row_of.assign(columns_, kSkip);
  matching_.column_of.assign(rows_, kSkip);

  bid_in_turn();
  for (const NodeId row : unserved_) serve(row);

  matching_.value = 0;
  matching_.column_prices.assign(prices_.data(), prices_.data() + columns_);
  matching_.row_prices.assign(rows_, outside);
  for (std::size_t i = 0; i < rows_; ++i) {
    const NodeId column = matching_.column_of[i];
    if (column == kSkip) continue;
    const double gain = weight(static_cast<NodeId>(i), column);
    matching_.value += gain;
    matching_.row_prices[i] = std::max(outside, gain - at(prices_, column));
  }
  return matching_;
}

void DenseMatcher::match(NodeId row, NodeId column) {
  at(matching_.row_of, column) = row;
  at(matching_.column_of, row) = column;
  at(taken_, column) = kInfinity;
}

/// Gives `row` its best column and raises the price until its second best is as good. Returns the
/// row that is now without a column: the former owner, or `row` itself if its second best was
/// already as good, or kSkip.
NodeId DenseMatcher::bid(NodeId row) {
  const Offer offer = best_offer(&weight(row, 0), prices_.data(), stride_, outside_);
  if (offer.column == kSkip) return kSkip;  // prices never fall, so the row stays outside
  const NodeId owner = at(matching_.row_of, offer.column);
  if (owner != kSkip && offer.profit == offer.second) return row;
  if (offer.second > -kInfinity) at(prices_, offer.column) += offer.profit - offer.second;
  match(row, offer.column);
  if (owner != kSkip) at(matching_.column_of, owner) = kSkip;
  return owner;
}

/// Matches most rows cheaply. For a price war between few rows, a search is faster.
void DenseMatcher::bid_in_turn() {
  constexpr std::size_t kBidsPerRow = 2;
  std::size_t budget = kBidsPerRow * rows_;
  unserved_.clear();
  for (std::size_t newcomer = 0; newcomer < rows_; ++newcomer) {
    NodeId row = static_cast<NodeId>(newcomer);
    for (NodeId bidder = kSkip; row != kSkip && row != bidder && budget > 0; --budget) {
      bidder = row;
      row = bid(bidder);
    }
    if (row != kSkip) unserved_.push_back(row);
  }
}

/// Finds the shortest path from an unmatched row, changes the edges along it and raises prices.
void DenseMatcher::serve(NodeId root) {
  std::fill(distances_.begin(), distances_.end(), kInfinity);
  settled_.clear();
  NodeId row = root;
  double offset = 0;  // the row's distance plus its profit, up to a constant
  NodeId quitter = root;
  double end = kInfinity;  // distance at which a row, `quitter`, first prefers to stay outside
  NodeId column;
  for (;;) {
    if (offset - outside_ < end) {
      end = offset - outside_;
      quitter = row;
    }
    const Nearest nearest = relax(row, offset, &weight(row, 0), prices_.data(), taken_.data(),
                                  distances_.data(), parents_.data(), stride_);
    if (nearest.distance >= end) {
      column = std::exchange(at(matching_.column_of, quitter), kSkip);
      break;
    }
    if (nearest.untaken == nearest.distance) {
      end = nearest.distance;
      column = 0;
      while (at(distances_, column) != end || at(matching_.row_of, column) != kSkip) ++column;
      break;
    }
    double& price = at(prices_, nearest.column);
    settled_.push_back({nearest.column, nearest.distance, price});
    row = at(matching_.row_of, nearest.column);
    offset = nearest.distance + (weight(row, nearest.column) - price);
    price = at(distances_, nearest.column) = kInfinity;
  }

  for (const Settled& s : settled_) at(prices_, s.column) = s.price + (end - s.distance);
  while (column != kSkip) {  // the root had no column before
    const auto parent = static_cast<NodeId>(at(parents_, column));
    const NodeId next = at(matching_.column_of, parent);
    match(parent, column);
    column = next;
  }
}

}  // namespace foresight::internal
