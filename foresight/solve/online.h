// The best that any online policy can do, if arrivals are drawn independently from a known law.
//
// Dynamic programming: with r arrivals to come, the best decisions from state s are worth
//
//   V(r, s) = E[max(V(r-1, s), max over the arrival's edges of w_u + V(r-1, s less a slot of u))].
//
// A state says how many matches ("slots") each fixed node can still take. At first that is one in
// E-OBM, or as many as the capacity says. In Adwords it is as many as the budget covers, and all bids
// of a node must be equal, or all its costs if edges have costs of their own. The table of V is the
// optimal policy; V(horizon, all slots) is its expected value.
//
// There are prod(1 + slots) states, 2^|U| in E-OBM. Time is O(horizon x states x edges of all
// types), 32 states at once. Memory is 4 bytes per state and arrival. If edges are random
// (Erdos-Renyi), all fixed nodes are alike. Then a state is the number of nodes left, so there are
// |U| + 1 states, and the expectation has a closed form.
//
//   const OnlineStates states = online_states(*problem, market, law);
//   const OnlineTable table = solve_online(states, law, most_arrivals(market.horizon));
//   fmt::print("no online policy expects more than {}\n", table.expected());
//
// If there are too many states, the fluid relaxation (e.g. Manshadi, Oveis Gharan and Saberi,
// "Online stochastic matching: online actions based on offline statistics", 2012) still gives a
// bound. It is a linear program with a variable per edge, in which every type arrives exactly as
// often as expected.
#pragma once

#include <cstdint>
#include <vector>

#include "foresight/base/progress.h"
#include "foresight/data/source.h"
#include "foresight/problem/problem.h"

namespace foresight {

/// The largest table that is computed: 22 fixed nodes and 60 arrivals of E-OBM take 0.95 GiB.
inline constexpr double kMaxOnlineBytes = 1 << 30;

/// State s is the sum of slots left x stride over the fixed nodes. The last state has all slots.
struct OnlineStates {
  std::vector<std::int32_t> slots;    // per fixed node: the matches that it can take
  std::vector<float> costs;           // per fixed node: what a match takes of its capacity
  std::vector<std::int64_t> strides;  // a match leads from state s to s - stride
  double count = 1;                   // may exceed any integer

  /// The memory that a table takes.
  double bytes(int horizon) const { return 4 * count * (horizon + 1.0); }

  /// The slots that fixed node u has left once `remaining` is left of its capacity.
  std::int32_t slots_left(NodeId u, double remaining) const;
};

/// The number of arrivals that a table must reach: the known one, or three deviations more than
/// expected. Throws Error(kData) if nothing is known of it.
int most_arrivals(const Horizon& horizon);

/// Throws Error(kData) if slots do not describe the state: in coverage, or if a node's bids differ.
OnlineStates online_states(const Problem& problem, const Market& market, const ArrivalLaw& law);

struct OnlineTable {
  OnlineStates states;
  int horizon = 0;
  std::vector<float> values;  // a row of states for 0, 1, ..., horizon arrivals to come

  float value(int arrivals_left, std::int64_t state) const {
    return values[static_cast<std::size_t>(arrivals_left) * num_states() +
                  static_cast<std::size_t>(state)];
  }
  /// The expected value before the first arrival, in single precision: about six correct digits.
  double expected() const { return static_cast<double>(values.back()); }
  std::size_t num_states() const { return static_cast<std::size_t>(states.count); }
};

/// Gives the same bytes for any number of threads (0 = all cores). Throws Error(kUsage) with the
/// numbers if the table would take more than kMaxOnlineBytes, and Error(kCancelled) if interrupted.
OnlineTable solve_online(const OnlineStates& states, const ArrivalLaw& law, int horizon,
                         int threads = 0, const Progress& progress = no_progress());

/// A bound on the expected value of every online policy in this market, and of the hindsight
/// optimum. Throws Error(kData) for coverage.
double fluid_bound(const Problem& problem, const Market& market, const ArrivalTypes& types);

}  // namespace foresight
