#include "foresight/model/gnn/inputs.h"

#include <algorithm>

#include "foresight/base/error.h"

namespace foresight {

namespace {

std::vector<std::size_t> inverse(const std::vector<std::size_t>& places) {
  std::vector<std::size_t> result(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = i;
  return result;
}

void copy_from(std::span<const float> values, std::span<const std::size_t> places,
               std::span<const AttributeUnit> units, std::span<float> to) {
  if (places.empty()) std::ranges::copy(values, to.begin());
  for (std::size_t i = 0; i < places.size(); ++i) to[i] = values[places[i]];
  for (std::size_t i = 0; i < units.size(); ++i) to[i] = units[i].of(to[i]);
}

}  // namespace

NodeInputs::NodeInputs(const ModelContext& context)
    : problem(problems().make(context.schema.problem)),
      amounts(context.amounts()),
      costs(problem->traits().own_costs()),
      units(context.units),
      fixed_attributes(context.schema.topics.empty() ? context.schema.fixed_attributes
                                                     : context.schema.topics),
      arrival_attributes(context.schema.arrival_attributes),
      topics(!context.schema.topics.empty()),
      fixed_places(topics ? inverse(context.places.topics) : context.places.fixed_attributes),
      arrival_places(context.places.arrival_attributes),
      attribute_units(context.attributes) {}

std::vector<std::string> NodeInputs::fixed_names() const {
  std::vector<std::string> names;
  for (const std::string& name : fixed_attributes) names.push_back("fixed." + name);
  names.push_back(amounts ? "fixed.remaining" : "fixed.matched");
  return names;
}

std::vector<std::string> NodeInputs::arrival_names() const {
  std::vector<std::string> names;
  for (const std::string& name : arrival_attributes) names.push_back("arrival." + name);
  return names;
}

void NodeInputs::check(const Market& market) const {
  const std::size_t attributes = fixed_attributes.size();
  const auto found = topics ? static_cast<std::size_t>(market.num_topics) : market.attributes.width;
  if (attributes > 0 && found != attributes && market.num_fixed > 0) {
    fail(ErrorCode::kData,
         "this model was built for fixed nodes with {} {}, but those of the instance have {}",
         attributes, topics ? "topics" : "attributes", found);
  }
}

void NodeInputs::check(const Arrival& arrival) const {
  if (!one_embedding() && arrival.attributes.size() != arrival_attributes.size()) {
    fail(ErrorCode::kData,
         "this model was built for arrivals with {} attributes, but those of the instance have {}",
         arrival_attributes.size(), arrival.attributes.size());
  }
}

void NodeInputs::fill_fixed(const Market& market, NodeId u, std::span<float> f) const {
  if (topics) {
    for (const std::int32_t topic : market.topics_of(u)) {
      const auto place = static_cast<std::size_t>(topic);
      f[fixed_places.empty() ? place : fixed_places[place]] = 1;
    }
  } else if (!fixed_attributes.empty()) {
    copy_from(market.attributes[static_cast<std::size_t>(u)], fixed_places, attribute_units.fixed,
              f);
  }
  f[state()] = amounts ? units.of_amount(problem->capacity(market, u)) : 0;
  f[fixed() - 1] = 1;
}

void NodeInputs::fill_skip(std::span<float> f) const {
  f[state()] = skip_state();
  f[fixed() - 1] = 1;
}

void NodeInputs::fill_arrival(const Arrival& node, std::span<float> a) const {
  if (!one_embedding()) copy_from(node.attributes, arrival_places, attribute_units.arrival, a);
  a[arrival() - 1] = 1;
}

}  // namespace foresight
