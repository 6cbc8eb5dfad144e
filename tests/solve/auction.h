// Small and medium markets with budgets, for the tests of their optima.
//
//   Auction auction{.budgets = {1, 2}};
//   auction.arrive({0.5f, -1});  // a bid of node 0, none of node 1
//   expect_playable(auction, BudgetSolver().solve(auction.task()));
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "foresight/base/index.h"
#include "foresight/problem/problem.h"
#include "foresight/solve/budgets.h"

namespace foresight {

struct Auction {
  std::vector<float> budgets;
  std::vector<std::int64_t> edge_begin = {0};
  std::vector<NodeId> nodes = {};
  std::vector<float> bids = {};
  std::vector<float> costs = {};  // empty: the bids

  void arrive(const std::vector<float>& bid_of_node) {  // negative: no edge
    for (std::size_t u = 0; u < bid_of_node.size(); ++u) {
      if (bid_of_node[u] < 0) continue;
      nodes.push_back(static_cast<NodeId>(u));
      bids.push_back(bid_of_node[u]);
    }
    edge_begin.push_back(static_cast<std::int64_t>(nodes.size()));
  }

  int num_arrivals() const { return static_cast<int>(edge_begin.size()) - 1; }

  Instance instance() const {
    InstanceView view;
    view.market.num_fixed = static_cast<NodeId>(budgets.size());
    view.market.horizon = Horizon::known(num_arrivals());
    view.market.capacities = budgets;
    view.edge_begin = edge_begin;
    view.nodes = nodes;
    view.weights = bids;
    return Instance(view, nullptr);
  }

  BudgetTask task() const { return {budgets, edge_begin, nodes, bids, costs}; }
  double cost(std::size_t e) const { return costs.empty() ? bids[e] : costs[e]; }

  double brute_force() const {
    return best_from(0, std::vector<double>(budgets.begin(), budgets.end()));
  }

  double best_from(int t, const std::vector<double>& remaining) const {
    if (t == num_arrivals()) return 0;
    double best = best_from(t + 1, remaining);
    for (auto e = index(edge_begin[index(t)]); e < index(edge_begin[index(t) + 1]); ++e) {
      const std::size_t u = index(nodes[e]);
      if (bids[e] == 0 || budgets[u] == 0) continue;
      if (remaining[u] + kCapacityTolerance * budgets[u] < cost(e)) continue;
      auto left = remaining;
      left[u] -= cost(e);
      best = std::max(best, bids[e] + best_from(t + 1, left));
    }
    return best;
  }
};

// The label must be what an online policy could have done, and worth what it says.
inline void expect_playable(const Auction& auction, const Label& label) {
  ASSERT_EQ(label.matching.size(), index(auction.num_arrivals()));
  std::vector<double> remaining(auction.budgets.begin(), auction.budgets.end());
  double value = 0;
  for (int t = 0; t < auction.num_arrivals(); ++t) {
    const NodeId u = label.matching[index(t)];
    if (u == kSkip) continue;
    const auto begin = auction.nodes.begin() + auction.edge_begin[index(t)];
    const auto end = auction.nodes.begin() + auction.edge_begin[index(t) + 1];
    const auto edge = std::find(begin, end, u);
    ASSERT_NE(edge, end) << "arrival " << t << " has no edge to " << u;
    const std::size_t e = index(edge - auction.nodes.begin());
    ASSERT_GT(auction.bids[e], 0);
    ASSERT_GE(remaining[index(u)] + kCapacityTolerance * auction.budgets[index(u)], auction.cost(e))
        << "arrival " << t;
    remaining[index(u)] -= auction.cost(e);
    value += auction.bids[e];
  }
  EXPECT_EQ(label.value, value);
  EXPECT_GE(label.bound, label.value);
}

inline Auction dense_auction(int num_fixed, int num_arrivals, unsigned seed) {
  std::mt19937 rng(seed);
  Auction auction;
  auction.budgets.assign(index(num_fixed),
                         0.25f * static_cast<float>(num_arrivals) / static_cast<float>(num_fixed));
  for (int t = 0; t < num_arrivals; ++t) {
    std::vector<float> bids;
    for (int u = 0; u < num_fixed; ++u) {
      bids.push_back(0.1f + 0.3f * std::generate_canonical<float, 24>(rng));
    }
    auction.arrive(bids);
  }
  return auction;
}

}  // namespace foresight
