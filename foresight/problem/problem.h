// The rules of an online matching problem: what a match is worth and what it uses up.
//
// A problem supplies prices only. One `State` class keeps the mask, the history and the solution
// for every problem, so a new problem is one small file and one line in registry.inc.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "foresight/base/registry.h"
#include "foresight/data/instance.h"

namespace foresight {

class Dataset;

/// What matching the current arrival to `node` would bring (`gain`) and use up (`cost`). A node can
/// be chosen while its remaining capacity covers the cost.
struct Offer {
  NodeId node;
  float gain;
  float cost;
};

/// A match whose cost exceeds the remaining capacity by no more than this is still allowed, so that
/// budgets which are whole multiples of a bid can be spent in full despite rounding.
inline constexpr double kCapacityTolerance = 1e-5;

/// The memory of one episode that only its problem understands. Owned by one State.
class Ledger {
 public:
  virtual ~Ledger() = default;

  /// Prices every edge of the arrival; `offers[i]` belongs to `arrival.nodes[i]`.
  virtual void price(const Arrival& arrival, std::span<Offer> offers) = 0;

  /// Records that the arrival was matched to `node`.
  virtual void commit(const Arrival& arrival, NodeId node) = 0;
};

/// How the hindsight optimum of a problem is found.
enum class Formulation { kAssignment, kCoverage, kBudgets };

/// Immutable and shared by all episodes; safe to use from many threads.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::string name() const = 0;
  virtual Formulation formulation() const = 0;

  /// How much fixed node u can take before it is used up.
  virtual float capacity(const Market& market, NodeId u) const = 0;

  virtual std::unique_ptr<Ledger> open(const Market& market) const = 0;

  /// Throws Error(kData) if the instance lacks what the problem needs (budgets, topics, ...).
  virtual void check(const Instance& instance) const = 0;
};

/// Every problem there is: e-obm, osbm, adwords.
const Registry<Problem>& problems();

/// The problem that the data is made for. Throws Error(kData) naming the first instance that lacks
/// what the problem needs.
std::unique_ptr<Problem> problem_of(const Dataset& data);

}  // namespace foresight
