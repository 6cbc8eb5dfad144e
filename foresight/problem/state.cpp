#include "foresight/problem/state.h"

#include <algorithm>
#include <cassert>

#include "foresight/base/error.h"

namespace foresight {

State::State(const Problem& problem, const Market& market)
    : problem_(&problem), market_(market), ledger_(problem.open(market)) {
  const Traits traits = problem.traits();
  checks_prices_ = traits.gain == Traits::Gain::kOwn || traits.gain == Traits::Gain::kHistory ||
                   traits.use == Traits::Use::kOther;
  const auto fixed = static_cast<std::size_t>(market.num_fixed);
  left_.reserve(fixed);
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    const double whole = capacity(u);
    left_.push_back({whole, kCapacityTolerance * whole});
    total_capacity_ += whole;
  }
  total_remaining_ = total_capacity_;
  touched_.resize(fixed);
  history_.gains.resize(fixed);
}

void State::arrive(const Arrival& arrival) {
  assert(!awaiting_decision_);
  arrival_ = arrival;
  edges_.resize(arrival.nodes.size());
  ledger_->price(arrival, edges_);
  if (checks_prices_) {
    for (const Offer& edge : edges_) check_price(*problem_, edge);
  }
  offers_.clear();
  for (const Offer& edge : edges_) {
    const Left& left = left_[static_cast<std::size_t>(edge.node)];
    const bool present = left.tolerance > 0;
    if (present && left.amount + left.tolerance >= edge.cost) offers_.push_back(edge);
  }
  awaiting_decision_ = true;
}

float State::decide(NodeId node) {
  if (!awaiting_decision_) {
    fail(ErrorCode::kUsage, "there is no arrival to decide; show one with arrive() first");
  }
  const Offer* chosen = nullptr;
  if (node != kSkip) {
    const auto found = std::ranges::find(offers_, node, &Offer::node);
    if (found == offers_.end()) {
      fail(ErrorCode::kUsage,
           "arrival {} cannot be matched to node {}, which is not among its offers",
           history_.arrivals, node);
    }
    chosen = &*found;
  }
  awaiting_decision_ = false;
  last_choice_ = node;
  for (const Offer& edge : edges_) {
    history_.gains[static_cast<std::size_t>(edge.node)].add(edge.gain);
  }
  ++history_.arrivals;
  if (!chosen) {
    ++history_.skips;
    return 0;
  }
  ledger_->commit(arrival_, node);
  const auto u = static_cast<std::size_t>(node);
  // It may end slightly below 0. Do not clamp it, or tiny bids could overspend without end.
  left_[u].amount -= static_cast<double>(chosen->cost);
  total_remaining_ -= static_cast<double>(chosen->cost);
  if (!touched_[u]) ++history_.matched_nodes;
  touched_[u] = true;
  const float gain = chosen->gain;
  const bool first = history_.matches.count() == 0;
  history_.largest_match = first ? gain : std::max(history_.largest_match, gain);
  history_.smallest_match = first ? gain : std::min(history_.smallest_match, gain);
  history_.matches.add(gain);
  value_ += static_cast<double>(gain);
  return gain;
}

}  // namespace foresight
