// One episode as it unfolds. It is given one arrival at a time, so it can only know the past.
//
//   State state(problem, market);
//   for each arrival:
//     state.arrive(arrival);          // prices the edges; offers() are the nodes to choose from
//     state.decide(node or kSkip);    // final
//
// Training, evaluation and live decisions all use this class. Every call takes O(degree).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "foresight/problem/problem.h"

namespace foresight {

/// Mean and variance of a growing sample (Welford's update, stable for any weights).
class Moments {
 public:
  void add(double x) {
    ++count_;
    const double delta = x - mean_;
    mean_ += delta / count_;
    squares_ += delta * (x - mean_);
  }
  int count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return count_ == 0 ? 0 : squares_ / count_; }

 private:
  int count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

/// Statistics of the past: of each fixed node's edges, and of the matches made.
struct History {
  int arrivals = 0;            // decided so far, without the current one
  int skips = 0;               // among these arrivals
  int matched_nodes = 0;       // fixed nodes matched at least once
  Moments matches;             // gains of the matches made
  float largest_match = 0;     // 0 before the first match
  float smallest_match = 0;    // 0 before the first match
  std::vector<Moments> gains;  // per fixed node: gains of its edges to the arrivals decided so far
};

class State {
 public:
  /// `problem` and the memory behind `market` must outlive the state.
  State(const Problem& problem, const Market& market);

  /// Shows the next arrival. The memory behind it must last until `decide`.
  void arrive(const Arrival& arrival);

  /// Matches the current arrival to an offered node, or skips; returns the gain. Throws
  /// Error(kUsage) and changes nothing if the node is not among the offers.
  float decide(NodeId node);

  const Problem& problem() const { return *problem_; }
  const Market& market() const { return market_; }
  const Arrival& arrival() const { return arrival_; }

  /// All edges of the current arrival, priced, in the order of its nodes; also to used-up nodes.
  std::span<const Offer> edges() const { return edges_; }

  /// The edges that can be chosen.
  std::span<const Offer> offers() const { return offers_; }

  /// What fixed node u could take at the start, and what it can still take.
  float capacity(NodeId u) const { return problem_->capacity(market_, u); }
  double remaining(NodeId u) const { return left_[static_cast<std::size_t>(u)].amount; }
  double total_capacity() const { return total_capacity_; }
  double total_remaining() const { return total_remaining_; }
  const History& history() const { return history_; }
  /// The share of the arrivals that came before the current one, and how many are to follow it, as
  /// far as one is told.
  double share_passed() const {
    const double total = market_.horizon.total(history_.arrivals);
    return total > 0 ? history_.arrivals / total : 0;
  }
  double to_come() const { return market_.horizon.to_come(history_.arrivals); }
  /// The decision for the previous arrival; kSkip before the first decision.
  NodeId last_choice() const { return last_choice_; }
  double value() const { return value_; }

 private:
  struct Left {
    double amount;
    double tolerance;  // by which a match may exceed it
  };

  const Problem* problem_;
  Market market_;
  std::unique_ptr<Ledger> ledger_;
  Arrival arrival_;
  std::vector<Offer> edges_;
  std::vector<Offer> offers_;
  std::vector<Left> left_;  // per fixed node
  std::vector<bool> touched_;
  History history_;
  double total_capacity_ = 0;
  double total_remaining_ = 0;
  double value_ = 0;
  NodeId last_choice_ = kSkip;
  bool awaiting_decision_ = false;
  bool checks_prices_ = false;  // those of weights and preferences follow from checked data
};

}  // namespace foresight
