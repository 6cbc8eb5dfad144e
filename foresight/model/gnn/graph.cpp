#include "foresight/model/gnn/graph.h"

#include <algorithm>
#include <cassert>

#include "foresight/base/index.h"
#include "foresight/features/features.h"

namespace foresight {
namespace {

/// The mean of `count` values, given the mean of all but the last.
float running_mean(float mean, float value, int count) {
  return mean + (value - mean) / static_cast<float>(count);
}

}  // namespace

GraphColumns::GraphColumns(const NodeInputs& inputs) {
  cost = is_skip + 1;
  candidate = cost + (inputs.costs ? 1 : 0);
  time = candidate + fixed_summary(inputs);
  value = time + 1;
  nothing_decided = value + 1;
  arrival = nothing_decided + 1;
  past_fixed = arrival + arrival_summary(inputs);
  past_arrival = past_fixed + fixed_summary(inputs);
  mean = past_arrival + arrival_summary(inputs);
  width = mean + fixed_summary(inputs);
}

std::vector<std::string> graph_column_names(const NodeInputs& inputs) {
  std::vector<std::string> names = {"gain", "is_skip"};
  if (inputs.costs) names.push_back("cost");
  const auto add = [&](const std::vector<std::string>& of, bool weighted) {
    for (const std::string& name : of) names.push_back(weighted ? "gain * " + name : name);
    names.push_back(weighted ? "gain" : "1");
  };
  const auto fixed = inputs.fixed_names(), arrival = inputs.arrival_names();
  const auto add_fixed_summary = [&] {
    add(fixed, false);
    add(arrival, true);
    add(arrival, false);
  };
  const auto add_arrival_summary = [&] {
    add(arrival, false);
    add(fixed, true);
    add(fixed, false);
  };
  add_fixed_summary();
  names.insert(names.end(), {"time", "value", "nothing_decided"});
  add_arrival_summary();
  add_fixed_summary();
  add_arrival_summary();
  add_fixed_summary();
  assert(names.size() == GraphColumns(inputs).width);
  return names;
}

EpisodeGraph::EpisodeGraph(const NodeInputs& inputs, const Market& market)
    : inputs_(inputs),
      summaries_(index(market.num_fixed) * fixed_summary(inputs)),
      skip_(fixed_summary(inputs)),
      arrival_(arrival_summary(inputs)),
      fixed_sum_(fixed_summary(inputs)),
      past_fixed_sum_(fixed_summary(inputs)),
      past_arrival_sum_(arrival_summary(inputs)) {
  inputs.check(market);
  inputs.fill_skip(skip_);
  nodes_.resize(index(market.num_fixed));
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    const auto z = summary(u);
    inputs.fill_fixed(market, u, z);
    for (std::size_t i = 0; i < z.size(); ++i) fixed_sum_[i] += static_cast<double>(z[i]);
  }
}

std::span<float> EpisodeGraph::summary(NodeId u) {
  return std::span(summaries_).subspan(index(u) * skip_.size(), skip_.size());
}

std::span<const float> EpisodeGraph::summary(NodeId u) const {
  return std::span(summaries_).subspan(index(u) * skip_.size(), skip_.size());
}

/// Changes an entry of z_u, and every sum that contains it.
void EpisodeGraph::move(NodeId u, std::size_t entry, float value) {
  const Node& node = nodes_[index(u)];
  float& old = summary(u)[entry];
  const double change = static_cast<double>(value) - static_cast<double>(old);
  old = value;
  fixed_sum_[entry] += change;
  past_fixed_sum_[entry] += node.chosen * change;
  if (entry >= inputs_.fixed()) return;
  past_arrival_sum_[inputs_.arrival() + entry] += node.weight_share * change;
  past_arrival_sum_[inputs_.arrival() + inputs_.fixed() + entry] += node.arrival_share * change;
}

void EpisodeGraph::take_decision(const State& state) {
  for (std::size_t i = 0; i < arrival_.size(); ++i) {
    past_arrival_sum_[i] += static_cast<double>(arrival_[i]);
  }
  const NodeId choice = state.last_choice();
  skips_ = state.history().skips;
  if (choice == kSkip) return;
  Node& node = nodes_[index(choice)];
  ++node.chosen;
  const auto z = summary(choice);
  for (std::size_t i = 0; i < z.size(); ++i) past_fixed_sum_[i] += static_cast<double>(z[i]);
  move(choice, inputs_.state(), inputs_.matched_state(state, choice));
}

void EpisodeGraph::observe(const State& state) {
  assert(state.history().arrivals == arrivals_);
  inputs_.check(state.arrival());
  if (arrivals_++ > 0) take_decision(state);

  const std::size_t fixed = inputs_.fixed();
  const std::size_t own = inputs_.arrival();
  std::ranges::fill(arrival_, 0.0F);
  inputs_.fill_arrival(state.arrival(), arrival_);
  const std::span<float> weighted = std::span(arrival_).subspan(own, fixed);
  const std::span<float> plain = std::span(arrival_).subspan(own + fixed);

  for (std::size_t i = 0; i < own; ++i) {
    float& mean = skip_[fixed + own + i];
    mean = running_mean(mean, arrival_[i], arrivals_);
  }
  const double share = 1 / (1 + static_cast<double>(state.edges().size()));
  std::copy_n(skip_.begin(), fixed, plain.begin());
  for (const Offer& given : state.edges()) {
    const Offer edge = inputs_.measured(given);
    Node& node = nodes_[index(edge.node)];
    const auto z = summary(edge.node);
    ++node.degree;
    for (std::size_t i = 0; i < own; ++i) {
      const float a = arrival_[i];
      move(edge.node, fixed + i, running_mean(z[fixed + i], edge.gain * a, node.degree));
      move(edge.node, fixed + own + i, running_mean(z[fixed + own + i], a, node.degree));
    }
    for (std::size_t i = 0; i < fixed; ++i) {
      weighted[i] += edge.gain * z[i];
      plain[i] += z[i];
    }
    node.weight_share += static_cast<double>(edge.gain) * share;
    node.arrival_share += share;
  }
  for (float& entry : std::span(arrival_).subspan(own)) entry *= static_cast<float>(share);
}

void EpisodeGraph::fill_shared(const State& state, const GraphColumns& columns,
                               std::span<float> shared) const {
  const auto row = [&](std::size_t column) -> float& { return shared[column - columns.time]; };
  const EpisodeFeatures episode = inputs_.episode(state);
  const int decided = arrivals_ - 1;
  const double per_decision = decided > 0 ? 1.0 / decided : 0;
  const double per_node = 1 / (1 + static_cast<double>(nodes_.size()));
  row(columns.time) = episode.time;
  row(columns.value) = episode.value;
  row(columns.nothing_decided) = decided == 0 ? 1 : 0;
  for (std::size_t i = 0; i < arrival_.size(); ++i) {
    row(columns.arrival + i) = arrival_[i];
    row(columns.past_arrival + i) = static_cast<float>(past_arrival_sum_[i] * per_decision);
  }
  for (std::size_t i = 0; i < skip_.size(); ++i) {
    const auto skip = static_cast<double>(skip_[i]);
    row(columns.past_fixed + i) =
        static_cast<float>((past_fixed_sum_[i] + skips_ * skip) * per_decision);
    row(columns.mean + i) = static_cast<float>((fixed_sum_[i] + skip) * per_node);
  }
}

void EpisodeGraph::fill_skip(const GraphColumns& columns, std::span<float> row) const {
  row[columns.gain] = 0;
  row[columns.is_skip] = 1;
  if (inputs_.costs) row[columns.cost] = 0;
  std::ranges::copy(skip_, row.begin() + static_cast<std::ptrdiff_t>(columns.candidate));
}

void EpisodeGraph::fill(const Offer& offer, const GraphColumns& columns,
                        std::span<float> row) const {
  const Offer measured = inputs_.measured(offer);
  row[columns.gain] = measured.gain;
  row[columns.is_skip] = 0;
  if (inputs_.costs) row[columns.cost] = measured.cost;
  std::ranges::copy(summary(offer.node),
                    row.begin() + static_cast<std::ptrdiff_t>(columns.candidate));
}

}  // namespace foresight
