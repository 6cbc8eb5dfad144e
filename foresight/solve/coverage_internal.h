// Internals of the coverage solvers: who the users are, which fixed nodes are interchangeable, and
// what a user would buy at given prices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "foresight/data/instance.h"

namespace foresight {

/// Arrivals grouped into users. Arrivals of one type are visits of one user; an arrival without a
/// type is a user of its own.
class Visits {
 public:
  void assign(const Instance& instance);
  int num_users() const { return static_cast<int>(begin_.size()) - 1; }
  /// The user's arrivals, in order.
  std::span<const int> operator[](int user) const;

 private:
  std::vector<int> arrivals_;       // user by user
  std::vector<std::size_t> begin_;  // num_users + 1
};

/// The price of what is sold out. Its negative is the worth of what a user may not buy.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// If a bound is relatively this close to a value, they differ only by rounding.
inline constexpr double kProven = 1e-9;

bool same_neighbours(const Instance& instance, std::span<const int> arrivals);

/// Makes a label of a matching. Drops nodes that add nothing. If a user's visits have the same
/// neighbours, they get its nodes in order of falling gain. If bound and value differ only by
/// rounding, the bound becomes the value.
Label tidy_label(const Instance& instance, const Visits& visits, std::vector<NodeId> matching,
                 double bound);

/// Users who buy bundles of goods, and what branching has decided about them. A good is a kind of
/// fixed nodes: all those with the same topics and the same neighbours.
class CoverageModel {
 public:
  /// Returns false if the instance does not have this structure (see CoverageSolver).
  bool assign(const Instance& instance);

  const Visits& visits() const { return visits_; }
  int num_users() const { return visits_.num_users(); }
  int num_visits(int user) const { return static_cast<int>(visits_[user].size()); }
  int num_kinds() const { return static_cast<int>(supply_.size()); }
  /// The number of fixed nodes of each kind.
  std::span<const int> supply() const { return supply_; }
  /// The fixed nodes of this kind, ascending.
  std::span<const NodeId> nodes_of(int kind) const;
  /// Kinds with the same topics belong to one set.
  int num_sets() const { return static_cast<int>(topics_.size()); }
  int set_of(int kind) const { return set_of_[static_cast<std::size_t>(kind)]; }

  /// What all users together would earn if nodes could be matched any number of times.
  double simple_bound() const;

  /// What a bundle of kinds is worth to the user.
  double value(int user, std::span<const int> kinds) const;

  /// Finds the bundle with the largest surplus (value minus price) that branching allows, if that
  /// is more than `at_least`. Returns the larger of the two, or minus infinity if no bundle is
  /// allowed. The result is wrong once `too_big()` is true.
  double demand(int user, std::span<const double> prices, double at_least, std::vector<int>& kinds);
  bool too_big() const;

  /// A question to branch on: does the user buy this kind, or any kind of this set?
  struct Branch {
    int user;
    int set;
    int kind = kAnyKind;
  };
  static constexpr int kAnyKind = -1;
  void decide(const Branch& branch, bool buys);
  std::size_t num_decisions() const { return trail_.size(); }
  void undo_to(std::size_t num_decisions);
  bool allows(int user, std::span<const int> kinds) const;

 private:
  struct Option {  // a set of topics that the user might buy next
    double gain;   // minus its price
    int set;
  };

  void find_kinds(const Instance& instance);
  void find_worth(const Instance& instance);
  double worth(int user, int kind) const;
  void set_worth(int user, int kind, double worth);
  double worth_of_topics(int user, std::uint64_t topics) const;
  double gain(int user, int set, std::uint64_t covered) const;
  double demand_one(int user, std::span<const double> prices, double at_least,
                    std::vector<int>& kinds) const;
  void add_option(int user, int set, std::uint64_t covered);
  void extend(int user, std::size_t begin, int room, std::uint64_t covered, double surplus);
  void propose(double surplus);

  Visits visits_;
  std::vector<int> supply_, set_of_;       // per kind
  std::vector<std::size_t> kind_begin_;    // per kind: its position in nodes_
  std::vector<NodeId> nodes_;              // kind by kind
  std::vector<std::uint64_t> topics_;      // per set, one bit per topic
  std::vector<const float*> preferences_;  // per user
  std::vector<double> set_worth_;          // per user and set
  std::vector<double> worth_;        // per user and kind; minus infinity: no edge, or forbidden
  std::vector<std::uint64_t> rows_;  // per fixed node: its topics, then its users, as bits
  std::size_t row_size_ = 0;

  std::vector<std::vector<int>> required_;  // per user: sets it must buy
  struct Decision {
    int user;
    int forbidden_kind;  // or kAnyKind: the last required set
  };
  std::vector<Decision> trail_;

  // For demand().
  std::vector<int> cheapest_;       // per set: its cheapest allowed kind
  std::vector<double> price_;       // per set: the price of that kind, infinite if there is none
  std::vector<Option> options_;     // one list per level of the search, by falling gain
  std::vector<int> chosen_, best_;  // sets
  double best_surplus_ = 0;
  long work_ = 0;
};

}  // namespace foresight
