// The rules of an online matching problem: what a match is worth and what it uses up.
//
// A problem gives prices, and describes itself by its `Traits`. Solvers, features, models and
// policies look only at its traits and its prices, never at its name. One `State` class keeps the
// mask, the history and the solution for every problem. So a new problem is one small file and one
// line in registry.inc, or `problems().add(...)` from another project.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "foresight/base/registry.h"
#include "foresight/data/instance.h"

namespace foresight {

/// A possible match of the current arrival: what it would gain, and what it would cost. A node can
/// be chosen while its remaining capacity covers the cost.
struct Offer {
  NodeId node;
  float gain;
  float cost;
};

/// A match is allowed if its cost exceeds the remaining capacity by at most this share of the whole
/// capacity. So a budget that is a multiple of a bid can be spent in full despite rounding, in any
/// unit of money.
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

class Problem;

/// Throws Error(kData) if a problem gives an edge a gain or cost that is not a finite number >= 0.
void check_price(const Problem& problem, const Offer& offer);

/// What solvers, features, models and policies need to know about a problem.
struct Traits {
  /// What a match gains.
  enum class Gain {
    kWeight,    // the weight of its edge
    kOwn,       // what the ledger says; earlier matches do not change it
    kCoverage,  // the preferences of the topics that it newly covers for the arrival's type
    kHistory,   // something else that depends on the matches made before
  };
  /// How much of its fixed node a match uses.
  enum class Use {
    kUnit,   // 1 of its capacity, which is 1 if the market does not say how many (b-matching)
    kGain,   // what the match gains: the capacity is a budget
    kCost,   // the cost of its edge (Arrival::costs)
    kOther,  // what the ledger says
  };

  Gain gain = Gain::kWeight;
  Use use = Use::kUnit;

  /// Is the worth of a match independent of earlier matches?
  bool additive() const { return gain == Gain::kWeight || gain == Gain::kOwn; }
  /// Does every match take 1 of its node?
  bool units() const { return use == Use::kUnit; }
  /// Does a node have an amount that is left, and not a number of matches?
  bool amounts() const { return use != Use::kUnit; }
  /// Does a match cost something that neither its gain nor a count tells?
  bool own_costs() const { return use == Use::kCost || use == Use::kOther; }
};

/// The traits in words, for errors: "coverage gains, each match takes 1 of its node".
std::string describe(const Traits& traits);

/// Immutable and shared by all episodes; safe to use from many threads.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::string name() const = 0;
  /// How people call it, in headings and in the names of Gymnasium's environments.
  virtual std::string title() const { return name(); }
  /// The spec of a source to try it with that needs no files; empty if there is none.
  virtual std::string example() const { return {}; }
  virtual Traits traits() const = 0;

  /// How much fixed node u can take before it is used up. Unless a problem says otherwise, that is
  /// what the market says, or 1.
  virtual float capacity(const Market& market, NodeId u) const;

  virtual std::unique_ptr<Ledger> open(const Market& market) const = 0;

  /// Throws Error(kData) if the instance lacks what the problem needs beyond its traits (topics, ...).
  /// It is called once for every instance when data is bound, and should take O(1).
  virtual void check(const Instance&) const {}
};

/// Throws Error(kData) if the instance does not have what the problem's traits ask for (capacities,
/// whole ones, costs), or has what they make no sense of, or if `Problem::check` refuses it.
void check_instance(const Problem& problem, const Instance& instance);

/// All problems.
Registry<Problem>& problems();

}  // namespace foresight
