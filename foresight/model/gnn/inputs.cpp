#include "foresight/model/gnn/inputs.h"

#include <algorithm>
#include <cassert>

#include "foresight/base/error.h"

namespace foresight {

NodeInputs::NodeInputs(const Schema& schema)
    : budgets(schema.problem == "adwords"),
      fixed_attributes(schema.topics.empty() ? schema.fixed_attributes : schema.topics),
      arrival_attributes(schema.arrival_attributes),
      topics(!schema.topics.empty()) {}

void NodeInputs::check(const Market& market) const {
  const std::size_t attributes = fixed_attributes.size();
  const auto found = topics ? static_cast<std::size_t>(market.num_topics) : market.attributes.width;
  if (attributes > 0 && found != attributes && market.num_fixed > 0) {
    fail(ErrorCode::kData,
         "this model was built for fixed nodes with {} {} and cannot serve an instance with {}",
         attributes, topics ? "topics" : "attributes", found);
  }
}

void NodeInputs::check(const Arrival& arrival) const {
  if (!one_embedding() && arrival.attributes.size() != arrival_attributes.size()) {
    fail(ErrorCode::kData,
         "this model was built for arrivals with {} attributes and cannot serve one with {}",
         arrival_attributes.size(), arrival.attributes.size());
  }
}

void NodeInputs::fill_fixed(const Market& market, NodeId u, std::span<float> f) const {
  if (topics) {
    for (const std::int32_t topic : market.topics_of(u)) f[static_cast<std::size_t>(topic)] = 1;
  } else if (!fixed_attributes.empty()) {
    std::ranges::copy(market.attributes[static_cast<std::size_t>(u)], f.begin());
  }
  f[state()] = budgets ? market.budgets[static_cast<std::size_t>(u)] : 0;
  f[fixed() - 1] = 1;
}

void NodeInputs::fill_skip(std::span<float> f) const {
  f[state()] = skip_state();
  f[fixed() - 1] = 1;
}

void NodeInputs::fill_arrival(const Arrival& node, std::span<float> a) const {
  if (!one_embedding()) std::ranges::copy(node.attributes, a.begin());
  a[arrival() - 1] = 1;
}

void DecisionWatch::see(const State& state) {
  skips_ = state.history().skips;
  options_.clear();
  for (const Offer& offer : state.offers()) {
    options_.push_back({offer, state.remaining(offer.node) - static_cast<double>(offer.cost)});
  }
}

NodeId DecisionWatch::last_choice(const State& state) const {
  if (state.history().skips > skips_) return kSkip;
  const Offer* chosen = nullptr;
  for (const auto& [offer, left] : options_) {
    if (left != state.remaining(offer.node)) continue;
    if (!chosen || offer.cost > chosen->cost) chosen = &offer;
  }
  assert(chosen);
  return chosen->node;
}

}  // namespace foresight
