#include "foresight/problem/units.h"

#include <algorithm>
#include <cmath>

#include "foresight/base/error.h"

namespace foresight {

Units::Units(double gain, double cost, double amount)
    : gain_(gain),
      cost_(cost),
      amount_(amount),
      per_gain_(1 / gain),
      per_cost_(1 / cost),
      per_amount_(1 / amount) {
  for (const double unit : {gain_, cost_, amount_, per_gain_, per_cost_, per_amount_}) {
    if (!(unit > 0) || !std::isfinite(unit)) {
      fail(ErrorCode::kData,
           "the units gain={}, cost={}, amount={} cannot be used; expected positive numbers", gain,
           cost, amount);
    }
  }
}

namespace {

/// Adds every row to the moments of its columns.
void add_rows(const Rows& rows, std::vector<Moments>& columns) {
  columns.resize(std::max(columns.size(), rows.width));
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    columns[i % rows.width].add(static_cast<double>(rows.values[i]));
  }
}

std::vector<AttributeUnit> units_of(const std::vector<Moments>& columns) {
  std::vector<AttributeUnit> units;
  for (const Moments& column : columns) {
    const double deviation = std::sqrt(column.variance());
    // One that never changes tells nothing, and is seen as 0.
    units.push_back({column.mean(), deviation > 0 ? deviation : 1});
  }
  return units;
}

}  // namespace

void UnitsMeter::add(const Instance& instance) {
  const Market& market = instance.market();
  add_rows(market.attributes, fixed_);
  add_rows(instance.view().attributes, arrival_);
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    const auto capacity = static_cast<double>(problem_->capacity(market, u));
    if (capacity > 0) capacities_.add(capacity);
  }
  const auto ledger = problem_->open(market);
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival arrival = instance.arrival(t);
    offers_.resize(arrival.nodes.size());
    ledger->price(arrival, offers_);
    for (const Offer& offer : offers_) {
      const auto capacity = static_cast<double>(problem_->capacity(market, offer.node));
      const bool fits = static_cast<double>(offer.cost) <= capacity * (1 + kCapacityTolerance);
      // What can never be matched must not set the scale of what can.
      if (!(offer.gain > 0) || !(capacity > 0) || !fits) continue;
      gains_.add(static_cast<double>(offer.gain));
      costs_.add(static_cast<double>(offer.cost));
      largest_gain_ = std::max(largest_gain_, static_cast<double>(offer.gain));
    }
  }
}

Units UnitsMeter::units() const {
  const bool places = problem_->traits().units();
  return {gains_.times(2, 1), places ? 1 : costs_.times(2, 1), capacities_.times(1, 1)};
}

AttributeUnits UnitsMeter::attribute_units() const {
  return {units_of(fixed_), units_of(arrival_)};
}

}  // namespace foresight
