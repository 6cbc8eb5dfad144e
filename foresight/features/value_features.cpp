#include "foresight/features/value_features.h"

#include <algorithm>

#include <fmt/format.h>

namespace foresight {

ValueContext::ValueContext(const State& state, double available_share) {
  const Market& market = state.market();
  const int passed = state.history().arrivals;
  const double total = std::max(1.0, market.horizon.total(passed));
  const double nodes = std::max(1, market.num_fixed), to_come = state.to_come();
  left = static_cast<float>(to_come / total);
  available = static_cast<float>(available_share / nodes);
  pressure = static_cast<float>(to_come / total * (nodes + 1) / (available_share + 1));
}

double remaining_share(const State& state, NodeId u, double cost) {
  const auto capacity = static_cast<double>(state.capacity(u));
  return capacity > 0 ? std::max(0.0, state.remaining(u) - cost) / capacity : 0;
}

double total_remaining_share(const State& state) {
  double total = 0;
  for (NodeId u = 0; u < state.market().num_fixed; ++u) total += remaining_share(state, u);
  return total;
}

std::vector<std::string> FlatValueFeatures::names() const {
  std::vector<std::string> names;
  for (std::size_t u = 0; u < nodes_; ++u) names.push_back(fmt::format("remaining.{}", u));
  for (std::size_t u = nodes_; u < first_context(); ++u) {
    names.push_back(fmt::format("amount.{}", u - nodes_));
  }
  names.insert(names.end(), {"left", "available", "pressure"});
  options_.attributes.add_names(names);
  return names;
}

void FlatValueFeatures::fill_node(const State& state, NodeId node, double share,
                                  std::span<float> row) const {
  const auto u = static_cast<std::size_t>(node);
  row[u] = static_cast<float>(share);
  if (!options_.amounts) return;
  row[nodes_ + u] = options_.units.of_amount(share * static_cast<double>(state.capacity(node)));
}

void FlatValueFeatures::fill_context(const ValueContext& context, std::span<float> row) const {
  const std::size_t first = first_context();
  row[first] = context.left;
  row[first + 1] = context.available;
  row[first + 2] = context.pressure;
}

void FlatValueFeatures::fill_skip(const State& state, double available,
                                  std::span<float> row) const {
  for (NodeId u = 0; u < static_cast<NodeId>(nodes_); ++u) {
    fill_node(state, u, remaining_share(state, u), row);
  }
  fill_context(ValueContext(state, available), row);
  copy_columns(options_.attributes.arrival, state.arrival().attributes,
               row.begin() + static_cast<std::ptrdiff_t>(first_context() + 3));
}

void FlatValueFeatures::fill(const State& state, const Offer& offer, double available,
                             std::span<const float> skip_row, std::span<float> row) const {
  std::ranges::copy(skip_row, row.begin());
  const double after = remaining_share(state, offer.node, static_cast<double>(offer.cost));
  fill_context(ValueContext(state, available - remaining_share(state, offer.node) + after), row);
  fill_node(state, offer.node, after, row);
}

std::vector<std::string> NodeValueFeatures::names() const {
  std::vector<std::string> names = {"remaining", "mean",     "variance",  "degree",     "left",
                                    "available", "pressure", "past_mean", "past_degree"};
  if (options_.amounts) names.push_back("amount");
  options_.attributes.add_names(names);
  return names;
}

NodeValueFeatures::Past::Past(const State& state, const Units& units) {
  const History& history = state.history();
  double sum = 0;
  std::int64_t edges = 0;
  for (const Moments& gains : history.gains) {
    sum += gains.mean() * gains.count();
    edges += gains.count();
  }
  share = history.arrivals > 0 ? 1 / static_cast<float>(history.arrivals) : 0;
  mean = edges > 0 ? units.of_gain(sum / static_cast<double>(edges)) : 0;
  degree =
      static_cast<float>(edges) * share / static_cast<float>(std::max(1, state.market().num_fixed));
}

void NodeValueFeatures::fill(const State& state, const Past& past, const ValueContext& context,
                             NodeId u, double share, std::span<float> row) const {
  const auto index = static_cast<std::size_t>(u);
  const Moments& gains = state.history().gains[index];
  const float values[] = {static_cast<float>(share),
                          options_.units.of_gain(gains.mean()),
                          options_.units.of_gain_variance(gains.variance()),
                          static_cast<float>(gains.count()) * past.share,
                          context.left,
                          context.available,
                          context.pressure,
                          past.mean,
                          past.degree};
  auto out = std::copy(std::begin(values), std::end(values), row.begin());
  if (options_.amounts) {
    *out++ = options_.units.of_amount(share * static_cast<double>(state.capacity(u)));
  }
  const AttributeColumns& columns = options_.attributes;
  if (!columns.fixed.empty()) {
    out = copy_columns(columns.fixed, state.market().attributes[index], out);
  }
  copy_columns(columns.arrival, state.arrival().attributes, out);
}

}  // namespace foresight
