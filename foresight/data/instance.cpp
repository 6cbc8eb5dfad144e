#include "foresight/data/instance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/mapped_file.h"

namespace foresight {
namespace {

template <typename T>
bool same(std::span<const T> a, std::span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Positions must start at 0 or later, never fall, and stay within the array they point into.
void check_positions(std::span<const std::int64_t> positions, std::size_t array_size,
                     const char* what) {
  if (positions.empty() || positions.front() < 0) {
    fail(ErrorCode::kData, "the {} positions must begin at 0 or later", what);
  }
  for (std::size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] < positions[i - 1]) {
      fail(ErrorCode::kData, "the {} positions fall from {} to {}; they must not fall", what,
           positions[i - 1], positions[i]);
    }
  }
  if (positions.back() > static_cast<std::int64_t>(array_size)) {
    fail(ErrorCode::kData, "the {} positions reach {}, but there are only {} entries", what,
         positions.back(), array_size);
  }
}

void check_amount(float amount, const char* what, std::size_t where) {
  if (!(std::isfinite(amount) && amount >= 0)) {
    fail(ErrorCode::kData, "{} {} is {}; it must be a finite number >= 0", what, where, amount);
  }
}

void check_rows(const Rows& rows, std::size_t expected, const char* what) {
  if (rows.values.size() != rows.width * expected) {
    fail(ErrorCode::kData, "{}: expected {} rows of {} values, got {} values in all", what,
         expected, rows.width, rows.values.size());
  }
  for (const float value : rows.values) {
    if (!std::isfinite(value)) {
      fail(ErrorCode::kData, "{} must be finite numbers, got {}", what, value);
    }
  }
}

void check_names(const Names& names, std::size_t nodes, const char* of) {
  if (names.empty()) return;
  if (names.numbers.size() != nodes) {
    fail(ErrorCode::kData, "expected one name for each of {} {}, got {} names", nodes, of,
         names.numbers.size());
  }
  for (const std::int32_t number : names.numbers) {
    if (number < kNoType || number >= static_cast<std::int64_t>(names.texts.size())) {
      fail(ErrorCode::kData, "a name of the {} is text {}; there are {} texts", of, number,
           names.texts.size());
    }
  }
}

void validate_market(const Market& market) {
  if (market.num_fixed < 0) {
    fail(ErrorCode::kData, "the number of fixed nodes must not be negative, got {}",
         market.num_fixed);
  }
  const auto fixed = index(market.num_fixed);
  if (!market.capacities.empty() && market.capacities.size() != fixed) {
    fail(ErrorCode::kData, "expected one capacity for each of {} fixed nodes, got {} capacities",
         fixed, market.capacities.size());
  }
  for (std::size_t u = 0; u < market.capacities.size(); ++u) {
    check_amount(market.capacities[u], "the capacity of fixed node", u);
  }
  if (!market.ids.empty() && market.ids.size() != fixed) {
    fail(ErrorCode::kData, "expected one id for each of {} fixed nodes, got {} ids", fixed,
         market.ids.size());
  }
  check_rows(market.attributes, fixed, "the attributes of fixed nodes");
  check_names(market.names, fixed, "fixed nodes");

  if (market.num_topics < 0) {
    fail(ErrorCode::kData, "the number of topics must not be negative, got {}", market.num_topics);
  }
  if (market.num_topics == 0) return;
  if (market.topic_begin.size() != fixed + 1) {
    fail(ErrorCode::kData, "expected one set of topics for each of {} fixed nodes, got {} sets",
         fixed, static_cast<std::int64_t>(market.topic_begin.size()) - 1);
  }
  check_positions(market.topic_begin, market.topics.size(), "topic");
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    std::int32_t previous = -1;
    for (const std::int32_t topic : market.topics_of(u)) {
      if (topic <= previous || topic >= market.num_topics) {
        fail(ErrorCode::kData,
             "fixed node {} has topic {} after {}; topics must ascend from 0 and stay below {}", u,
             topic, previous, market.num_topics);
      }
      previous = topic;
    }
  }
}

void validate_edges(const InstanceView& view) {
  for (std::size_t t = 0; t + 1 < view.edge_begin.size(); ++t) {
    NodeId previous = -1;
    for (auto e = index(view.edge_begin[t]); e < index(view.edge_begin[t + 1]); ++e) {
      const NodeId node = view.nodes[e];
      if (node <= previous || node >= view.market.num_fixed) {
        fail(ErrorCode::kData,
             "arrival {} has an edge to node {} after node {}; nodes must ascend without repeats "
             "and stay below {}",
             t, node, previous, view.market.num_fixed);
      }
      previous = node;
      check_amount(view.weights[e], "the weight of an edge of arrival", t);
      if (!view.costs.empty()) check_amount(view.costs[e], "the cost of an edge of arrival", t);
    }
  }
}

/// A coverage function belongs to a type, so all arrivals of a type must have the same one.
void validate_preferences(const InstanceView& view) {
  if (view.preferences.width != index(view.market.num_topics) && view.preferences.width != 0) {
    fail(ErrorCode::kData, "expected one preference for each of {} topics, got {} per arrival",
         view.market.num_topics, view.preferences.width);
  }
  if (view.preferences.width == 0) return;
  for (std::size_t i = 0; i < view.preferences.values.size(); ++i) {
    check_amount(view.preferences.values[i], "a preference of arrival", i / view.preferences.width);
  }
  std::unordered_map<std::int32_t, std::size_t> first_of_type;
  for (std::size_t t = 0; t < view.types.size(); ++t) {
    if (view.types[t] == kNoType) continue;
    const auto [entry, is_new] = first_of_type.emplace(view.types[t], t);
    if (!is_new && !same(view.preferences[entry->second], view.preferences[t])) {
      fail(ErrorCode::kData, "arrivals {} and {} are both of type {} but differ in preferences",
           entry->second, t, view.types[t]);
    }
  }
}

}  // namespace

Arrival Instance::arrival(int t) const {
  const auto i = index(t);
  const auto begin = index(view_.edge_begin[i]);
  const auto count = index(view_.edge_begin[i + 1]) - begin;
  return {.nodes = view_.nodes.subspan(begin, count),
          .weights = view_.weights.subspan(begin, count),
          .type = view_.types.empty() ? kNoType : view_.types[i],
          .preferences = view_.preferences[i],
          .attributes = view_.attributes[i],
          .costs = view_.costs.empty() ? view_.costs : view_.costs.subspan(begin, count),
          .name = view_.names[i]};
}

Instance Instance::told(const Horizon& horizon) const {
  Instance copy = *this;
  copy.view_.market.horizon = horizon.is_known() ? Horizon::known(num_arrivals()) : horizon;
  return copy;
}

bool operator==(const Instance& a, const Instance& b) {
  const Market& m = a.market();
  const Market& n = b.market();
  if (m.num_fixed != n.num_fixed || m.horizon != n.horizon || m.num_topics != n.num_topics ||
      a.num_arrivals() != b.num_arrivals() || !same(m.capacities, n.capacities) ||
      !same(m.ids, n.ids) || m.attributes.width != n.attributes.width ||
      !same(m.attributes.values, n.attributes.values)) {
    return false;
  }
  for (NodeId u = 0; u < m.num_fixed; ++u) {
    if (!same(m.topics_of(u), n.topics_of(u)) || m.names[index(u)] != n.names[index(u)]) {
      return false;
    }
  }
  for (int t = 0; t < a.num_arrivals(); ++t) {
    const Arrival v = a.arrival(t);
    const Arrival w = b.arrival(t);
    if (v.type != w.type || !same(v.nodes, w.nodes) || !same(v.weights, w.weights) ||
        !same(v.preferences, w.preferences) || !same(v.attributes, w.attributes) ||
        !same(v.costs, w.costs) || v.name != w.name) {
      return false;
    }
  }
  return true;
}

void validate(const InstanceView& view) {
  validate_market(view.market);
  if (view.edge_begin.empty()) fail(ErrorCode::kData, "the instance has no edge positions");
  const std::size_t arrivals = view.edge_begin.size() - 1;
  const Horizon& horizon = view.market.horizon;
  if (horizon.is_known() && horizon.arrivals() != static_cast<double>(arrivals)) {
    fail(ErrorCode::kData, "the horizon must be the number of arrivals, {}, got {}", arrivals,
         horizon.arrivals());
  }
  if (view.nodes.size() != view.weights.size()) {
    fail(ErrorCode::kData, "expected one weight for each of {} edges, got {} weights",
         view.nodes.size(), view.weights.size());
  }
  if (!view.costs.empty() && view.costs.size() != view.nodes.size()) {
    fail(ErrorCode::kData, "expected one cost for each of {} edges, got {} costs",
         view.nodes.size(), view.costs.size());
  }
  check_positions(view.edge_begin, view.nodes.size(), "edge");
  validate_edges(view);
  if (!view.types.empty() && view.types.size() != arrivals) {
    fail(ErrorCode::kData, "expected one type for each of {} arrivals, got {} types", arrivals,
         view.types.size());
  }
  check_rows(view.preferences, arrivals, "the preferences of arrivals");
  check_rows(view.attributes, arrivals, "the attributes of arrivals");
  check_names(view.names, arrivals, "arrivals");
  validate_preferences(view);
}

void validate(const Label& label, const Instance& instance) {
  const auto& [value, bound, matching] = label;
  if (!(std::isfinite(value) && value >= 0 && std::isfinite(bound) && bound >= value)) {
    fail(ErrorCode::kData, "its label has value {} and bound {}; 0 <= value <= bound must hold",
         value, bound);
  }
  if (matching.size() != index(instance.num_arrivals())) {
    fail(ErrorCode::kData, "its label decides about {} arrivals; there are {}", matching.size(),
         instance.num_arrivals());
  }
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const NodeId node = matching[index(t)];
    const auto nodes = instance.arrival(t).nodes;
    if (node != kSkip && !std::binary_search(nodes.begin(), nodes.end(), node)) {
      fail(ErrorCode::kData, "its label matches arrival {} to node {}, but there is no such edge",
           t, node);
    }
  }
}

struct InstanceBuilder::Storage {
  NodeId num_fixed = 0;
  int num_topics = 0;
  std::vector<std::int32_t> fixed_names, arrival_names;
  std::vector<std::int64_t> text_begin{0};
  std::vector<std::uint8_t> text_bytes;
  std::vector<float> costs;
  std::vector<float> capacities;
  std::vector<std::int32_t> ids;
  std::vector<float> fixed_attributes;
  std::size_t fixed_width = 0;
  std::vector<std::int64_t> topic_begin;
  std::vector<std::int32_t> topics;
  std::vector<std::int64_t> edge_begin{0};
  std::vector<NodeId> nodes;
  std::vector<float> weights;
  std::vector<std::int32_t> types;
  std::vector<float> preferences;
  std::vector<float> attributes;

  std::int32_t add_text(std::string_view text) {
    if (text.empty()) return kNoType;
    if (!is_utf8(text)) fail(ErrorCode::kData, "the name {} must be UTF-8", excerpt(text));
    text_bytes.insert(text_bytes.end(), text.begin(), text.end());
    text_begin.push_back(static_cast<std::int64_t>(text_bytes.size()));
    return static_cast<std::int32_t>(text_begin.size()) - 2;
  }
};

InstanceBuilder::InstanceBuilder(NodeId num_fixed) : storage_(std::make_shared<Storage>()) {
  storage_->num_fixed = num_fixed;
}

void InstanceBuilder::set_capacities(std::vector<float> capacities) {
  storage_->capacities = std::move(capacities);
}

void InstanceBuilder::set_equal_capacities(int capacity) {
  const auto fixed = index(storage_->num_fixed);
  set_capacities(std::vector<float>(fixed, static_cast<float>(capacity)));
}

void InstanceBuilder::set_names(const std::vector<std::string>& names) {
  storage_->fixed_names.clear();
  for (const std::string& name : names) storage_->fixed_names.push_back(storage_->add_text(name));
}

void InstanceBuilder::set_ids(std::vector<std::int32_t> ids) {
  storage_->ids = std::move(ids);
}

void InstanceBuilder::set_attributes(std::vector<float> values, std::size_t width) {
  storage_->fixed_attributes = std::move(values);
  storage_->fixed_width = width;
}

void InstanceBuilder::set_topics(int num_topics,
                                 const std::vector<std::vector<std::int32_t>>& topic_sets) {
  storage_->num_topics = num_topics;
  storage_->topic_begin.assign(1, 0);
  storage_->topics.clear();
  for (const auto& set : topic_sets) {
    storage_->topics.insert(storage_->topics.end(), set.begin(), set.end());
    storage_->topic_begin.push_back(static_cast<std::int64_t>(storage_->topics.size()));
  }
}

void InstanceBuilder::arrive(const Arrival& arrival) {
  Storage& s = *storage_;
  const std::size_t before = s.types.size();
  const auto expect = [&](std::size_t count, std::size_t expected, const char* what) {
    if (count == expected) return;
    fail(ErrorCode::kData, "arrival {} has {} {}; expected {}", before, count, what, expected);
  };
  expect(arrival.weights.size(), arrival.nodes.size(), "edge weights");
  if (before > 0) {
    expect(arrival.preferences.size(), s.preferences.size() / before, "preferences");
    expect(arrival.attributes.size(), s.attributes.size() / before, "attributes");
  }
  const bool has_costs = s.nodes.empty() ? !arrival.costs.empty() : !s.costs.empty();
  expect(arrival.costs.size(), has_costs ? arrival.nodes.size() : 0, "edge costs");
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(s.nodes, arrival.nodes);
  append(s.weights, arrival.weights);
  append(s.costs, arrival.costs);
  s.edge_begin.push_back(static_cast<std::int64_t>(s.nodes.size()));
  s.types.push_back(arrival.type);
  append(s.preferences, arrival.preferences);
  append(s.attributes, arrival.attributes);
  s.arrival_names.push_back(s.add_text(arrival.name));
}

Instance InstanceBuilder::build() && {
  Storage& s = *storage_;
  const auto arrivals = s.edge_begin.size() - 1;
  if (arrivals > index(std::numeric_limits<int>::max())) {
    fail(ErrorCode::kData, "an instance has at most {} arrivals, got {}",
         std::numeric_limits<int>::max(), arrivals);
  }
  const auto drop_if_unused = [](std::vector<std::int32_t>& numbers) {
    if (std::ranges::all_of(numbers, [](auto number) { return number == kNoType; })) {
      numbers.clear();
    }
  };
  for (auto* numbers : {&s.types, &s.fixed_names, &s.arrival_names}) drop_if_unused(*numbers);
  const Texts texts{s.text_begin, s.text_bytes};
  const auto width_of = [&](const std::vector<float>& values) {
    return arrivals == 0 ? 0 : values.size() / arrivals;
  };
  InstanceView view{.market = {.num_fixed = s.num_fixed,
                               .horizon = Horizon::known(static_cast<int>(arrivals)),
                               .capacities = s.capacities,
                               .ids = s.ids,
                               .attributes = {s.fixed_attributes, s.fixed_width},
                               .names = {s.fixed_names, texts},
                               .num_topics = s.num_topics,
                               .topic_begin = s.topic_begin,
                               .topics = s.topics},
                    .edge_begin = s.edge_begin,
                    .nodes = s.nodes,
                    .weights = s.weights,
                    .types = s.types,
                    .preferences = {s.preferences, width_of(s.preferences)},
                    .attributes = {s.attributes, width_of(s.attributes)},
                    .costs = s.costs,
                    .names = {s.arrival_names, texts}};
  validate(view);
  return Instance(view, std::move(storage_));
}

}  // namespace foresight
