// The best that any online policy can do, where arrivals are drawn independently from a known law.
//
// Dynamic programming: with r arrivals to come, the best decisions from state s are worth
//
//   V(r, s) = E[max(V(r-1, s), max over the arrival's edges of w_u + V(r-1, s less a slot of u))],
//
// where a state says how many matches ("slots") each fixed node can still take: one at first in
// E-OBM, in Adwords as many as its budget covers, provided that all bids of a node are equal. The
// table of V is the optimal policy; V(horizon, all slots) is its expected value.
//
// There are prod(1 + slots) states, 2^|U| in E-OBM. Time is O(horizon x states x edges of all
// types), 32 states at once; memory is 4 bytes per state and arrival. Where edges are random
// (Erdos-Renyi), fixed nodes are alike: a state is the number of those left, |U| + 1 in all, and
// the expectation has a closed form.
//
//   const OnlineStates states = online_states(*problem, market, law);
//   const OnlineTable table = solve_online(states, law, market.horizon);
//   fmt::print("no online policy expects more than {}\n", table.expected());
//
// Where there are too many states, the fluid relaxation (e.g. Manshadi, Oveis Gharan and Saberi,
// "Online stochastic matching: online actions based on offline statistics", 2012) still gives a
// bound: a linear program with a variable per edge, in which every type arrives exactly as often
// as expected.
#pragma once

#include <cstdint>
#include <vector>

#include "foresight/base/progress.h"
#include "foresight/data/source.h"
#include "foresight/problem/problem.h"

namespace foresight {

/// The largest table that is computed: 22 fixed nodes and 60 arrivals of E-OBM take 0.95 GiB.
inline constexpr double kMaxOnlineBytes = 1 << 30;

/// State s is the sum of slots left x stride over the fixed nodes; the last one has all slots.
struct OnlineStates {
  std::vector<std::int32_t> slots;    // per fixed node: the matches that it can take
  std::vector<float> costs;           // and what each of them takes of its capacity
  std::vector<std::int64_t> strides;  // a match leads from state s to s - stride
  double count = 1;                   // may exceed any integer

  /// The memory that a table takes.
  double bytes(int horizon) const { return 4 * count * (horizon + 1.0); }

  /// The slots that fixed node u has left once `remaining` is left of its capacity.
  std::int32_t slots_left(NodeId u, double remaining) const;
};

/// Throws Error(kData) where what is left of the nodes is not all that counts: in coverage, or
/// where a node's bids differ.
OnlineStates online_states(const Problem& problem, const Market& market, const ArrivalLaw& law);

struct OnlineTable {
  OnlineStates states;
  int horizon = 0;
  std::vector<float> values;  // a row of states for 0, 1, ..., horizon arrivals to come

  float value(int arrivals_left, std::int64_t state) const {
    return values[static_cast<std::size_t>(arrivals_left) * num_states() +
                  static_cast<std::size_t>(state)];
  }
  /// Before the first arrival. Single precision: correct to about six digits.
  double expected() const { return static_cast<double>(values.back()); }
  std::size_t num_states() const { return static_cast<std::size_t>(states.count); }
};

/// The same bytes for any number of threads (0 = all cores). Throws Error(kUsage) with the numbers
/// if the table would take more than kMaxOnlineBytes, and Error(kCancelled) when interrupted.
OnlineTable solve_online(const OnlineStates& states, const ArrivalLaw& law, int horizon,
                         int threads = 0, const Progress& progress = no_progress());

/// No online policy expects more in this market, nor does the hindsight optimum. Throws
/// Error(kData) for coverage.
double fluid_bound(const Problem& problem, const Market& market, const ArrivalTypes& types);

}  // namespace foresight
