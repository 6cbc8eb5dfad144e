#include "foresight/features/features.h"

#include <algorithm>
#include <cmath>

#include "foresight/base/index.h"
#include "foresight/features/value_features.h"

namespace foresight {
namespace {

float per(double amount, double whole) {
  return whole > 0 ? static_cast<float>(amount / whole) : 0;
}

float mean_remaining(const State& state, const Units& units) {
  return units.of_amount(per(state.total_remaining(), state.market().num_fixed));
}

/// How far an offer is above its node's earlier offers, in standard deviations. The less is known
/// of the node, the nearer it is to 0.
float surprise(float gain, const Moments& past) {
  const double n = past.count(), variance = past.variance();
  if (n < 2 || variance <= 1e-10 * past.mean() * past.mean()) return 0;
  const double deviations =
      (static_cast<double>(gain) - past.mean()) / std::sqrt(variance * n / (n - 1));
  return static_cast<float>(std::clamp(deviations, -3.0, 3.0) * (n - 1) / (n + 1));
}

}  // namespace

FeatureOptions feature_options(const Traits& traits, bool capacities, bool history,
                               const Units& units) {
  return {.history = history,
          .amounts = capacities || traits.amounts(),
          .costs = traits.own_costs(),
          .units = units};
}

void AttributeColumns::add_names(std::vector<std::string>& names) const {
  for (const AttributeColumn& column : fixed) names.push_back("fixed." + column.name);
  for (const AttributeColumn& column : arrival) names.push_back("arrival." + column.name);
}

EpisodeFeatures::EpisodeFeatures(const State& state, const FeatureOptions& options) {
  const History& past = state.history();
  const Market& market = state.market();
  const Units& units = options.units;
  // Per fixed node, or per cost of a usual match.
  value = per(state.value() * units.per_gain(),
              options.amounts ? state.total_capacity() * units.per_cost() : market.num_fixed);
  time = per(past.arrivals, market.horizon.total(past.arrivals));
  mean = units.of_gain(past.matches.mean());
  variance = units.of_gain_variance(past.matches.variance());
  skips = per(past.skips, past.arrivals);
  largest = units.of_gain(past.largest_match);
  smallest = units.of_gain(past.smallest_match);
  fullness =
      options.amounts ? mean_remaining(state, units) : per(past.matched_nodes, market.num_fixed);
}

FlatFeatures::FlatFeatures(FeatureOptions options, NodeId num_fixed)
    : options_(options), nodes_(index(num_fixed) + 1) {}

std::size_t FlatFeatures::width() const {
  const std::size_t costs = options_.costs ? nodes_ : 0;
  if (!options_.history) return (options_.amounts ? 3 : 2) * nodes_ + costs;
  return (options_.amounts ? 7 : 5) * nodes_ + costs + 8;
}

std::vector<std::string> FlatFeatures::names() const {
  std::vector<std::string> blocks = {"gain"};
  if (options_.costs) blocks.push_back("cost");
  if (options_.history) blocks.push_back("mask");
  if (options_.history && options_.amounts) blocks.push_back("budget");
  if (options_.amounts) blocks.push_back("remaining");
  if (!options_.history) blocks.push_back("mask");
  if (options_.history) blocks.insert(blocks.end(), {"mean", "variance", "degree"});
  std::vector<std::string> names;
  for (const std::string& block : blocks) {
    for (std::size_t u = 0; u < nodes_; ++u) {
      names.push_back(u == 0 ? block + ".skip" : fmt::format("{}.{}", block, u - 1));
    }
  }
  if (options_.history) {
    names.insert(names.end(),
                 {"value", "time", "match_mean", "match_variance", "skips", "match_largest",
                  "match_smallest", options_.amounts ? "mean_remaining" : "matched"});
  }
  return names;
}

void FlatFeatures::fill(const State& state, std::span<float> row) const {
  std::size_t used = 0;
  const auto block = [&] {
    used += nodes_;
    return row.subspan(used - nodes_, nodes_);
  };
  const Units& units = options_.units;
  const auto fill_edges = [&](std::span<float> values, auto&& price) {
    std::fill(values.begin(), values.end(), 0.0F);
    for (const Offer& edge : state.edges()) values[index(edge.node) + 1] = price(edge);
  };
  const auto fill_mask = [&](std::span<float> mask) {
    std::fill(mask.begin(), mask.end(), 1.0F);
    mask[0] = 0;
    for (const Offer& offer : state.offers()) mask[index(offer.node) + 1] = 0;
  };
  const auto fill_nodes = [&](std::span<float> values, auto&& value_of) {
    values[0] = 0;
    for (std::size_t u = 1; u < nodes_; ++u) values[u] = value_of(static_cast<NodeId>(u - 1));
  };

  fill_edges(block(), [&](const Offer& edge) { return units.of_gain(edge.gain); });
  if (options_.costs) {
    fill_edges(block(), [&](const Offer& edge) { return units.of_cost(edge.cost); });
  }
  if (options_.history) fill_mask(block());
  if (options_.history && options_.amounts) {
    fill_nodes(block(), [&](NodeId u) { return units.of_amount(state.capacity(u)); });
  }
  if (options_.amounts) {
    fill_nodes(block(), [&](NodeId u) { return units.of_amount(state.remaining(u)); });
  }
  if (!options_.history) return fill_mask(block());

  const History& past = state.history();
  const auto means = block(), variances = block(), degrees = block();
  means[0] = variances[0] = 0;
  degrees[0] = past.arrivals > 0 ? 1 : 0;  // skip is a neighbour of every arrival
  const double share = past.arrivals > 0 ? 1.0 / past.arrivals : 0;
  for (std::size_t u = 1; u < nodes_; ++u) {
    const Moments& gains = past.gains[u - 1];
    means[u] = units.of_gain(gains.mean());
    variances[u] = units.of_gain_variance(gains.variance());
    degrees[u] = static_cast<float>(gains.count() * share);
  }
  const EpisodeFeatures e(state, options_);
  const float scalars[] = {e.value, e.time,    e.mean,     e.variance,
                           e.skips, e.largest, e.smallest, e.fullness};
  std::copy(std::begin(scalars), std::end(scalars),
            row.begin() + static_cast<std::ptrdiff_t>(used));
}

std::vector<std::string> NodeFeatures::names() const {
  std::vector<std::string> names;
  if (!options_.history) {
    names.push_back("is_skip");
    if (options_.amounts) names.push_back("remaining");
    names.push_back("gain");
    if (options_.costs) names.push_back("cost");
    names.push_back("mean_gain");
    if (options_.amounts) names.push_back("mean_remaining");
    return names;
  }
  names.push_back("gain");
  if (options_.costs) names.push_back("cost");
  names.push_back("mask");
  if (options_.amounts) names.insert(names.end(), {"budget", "remaining"});
  names.push_back("mean_gain");
  if (options_.amounts) names.push_back("mean_remaining");
  names.insert(names.end(),
               {"mean", "variance", "degree", "time", "value", "match_mean", "match_variance",
                "skips", "match_largest", "match_smallest",
                options_.amounts ? "fullness" : "matched", "arrival_degree", "is_skip"});
  if (options_.outlook) {
    names.insert(names.end(),
                 {"pressure", "free", "best_gain", "second_gain", "surprise", "chances"});
  }
  attributes_.add_names(names);
  return names;
}

NodeFeatures::Row::Row(const NodeFeatures& features, const State& state)
    : options_(features.options_),
      attributes_(&features.attributes_),
      state_(&state),
      episode_(state, features.options_) {
  double total = 0;
  for (const Offer& edge : state.edges()) total += static_cast<double>(edge.gain);
  const int degree = std::max(1, static_cast<int>(state.edges().size()));
  const Units& units = options_.units;
  mean_gain_ = per(total * units.per_gain(), degree);
  degree_ = per(degree, state.market().num_fixed);
  mean_remaining_ = mean_remaining(state, units);
  past_ = state.history().arrivals > 0 ? 1 / static_cast<float>(state.history().arrivals) : 0;
  if (!options_.outlook) return;
  const double whole = state.total_capacity();
  const ValueContext context(
      state, whole > 0 ? state.total_remaining() / whole * state.market().num_fixed : 0);
  float best = 0, second = 0;
  for (const Offer& offer : state.offers()) {
    second = std::max(second, std::min(best, offer.gain));
    best = std::max(best, offer.gain);
  }
  const float outlook[] = {context.pressure, context.available, units.of_gain(best),
                           units.of_gain(second)};
  std::copy(std::begin(outlook), std::end(outlook), outlook_);
  to_come_ =
      context.left * static_cast<float>(state.market().horizon.total(state.history().arrivals));
}

std::span<float> NodeFeatures::Row::fill(std::span<float> row, const Offer& edge, bool available,
                                         float mean, float variance, float degree, float budget,
                                         float remaining) const {
  float* out = row.data();
  const float is_skip = edge.node == kSkip ? 1 : 0;
  if (!options_.history) {
    *out++ = is_skip;
    if (options_.amounts) *out++ = remaining;
    *out++ = options_.units.of_gain(edge.gain);
    if (options_.costs) *out++ = options_.units.of_cost(edge.cost);
    *out++ = mean_gain_;
    if (options_.amounts) *out++ = mean_remaining_;
    return {};
  }
  *out++ = options_.units.of_gain(edge.gain);
  if (options_.costs) *out++ = options_.units.of_cost(edge.cost);
  *out++ = !available;
  if (options_.amounts) {
    *out++ = budget;
    *out++ = remaining;
  }
  *out++ = mean_gain_;
  if (options_.amounts) *out++ = mean_remaining_;
  const EpisodeFeatures& e = episode_;
  for (const float value : {mean, variance, degree, e.time, e.value, e.mean, e.variance, e.skips,
                            e.largest, e.smallest, e.fullness, degree_, is_skip}) {
    *out++ = value;
  }
  if (options_.outlook) out = std::copy(std::begin(outlook_), std::end(outlook_), out);
  return row.subspan(static_cast<std::size_t>(out - row.data()));
}

void NodeFeatures::Row::fill_skip(std::span<float> row) const {
  const auto rest =
      fill(row, {kSkip, 0, 0}, true, 0, 0, state_->history().arrivals > 0 ? 1 : 0, 0, 0);
  std::ranges::fill(rest, 0.0F);
  const auto& columns = attributes_->arrival;
  if (columns.empty()) return;
  copy_columns(columns, state_->arrival().attributes, rest.last(columns.size()).begin());
}

void NodeFeatures::Row::fill(const Offer& edge, bool available, std::span<float> row) const {
  const NodeId node = edge.node;
  const Moments& gains = state_->history().gains[index(node)];
  const Units& units = options_.units;
  const auto rest =
      fill(row, edge, available, units.of_gain(gains.mean()),
           units.of_gain_variance(gains.variance()), static_cast<float>(gains.count()) * past_,
           options_.amounts ? units.of_amount(state_->capacity(node)) : 0,
           units.of_amount(state_->remaining(node)));
  auto out = rest.begin();
  if (options_.outlook) {
    *out++ = surprise(edge.gain, gains);
    // Bounded, so that larger instances stay within the learned range.
    const float chances = static_cast<float>(gains.count()) * past_ * to_come_;
    *out++ = chances / (chances + 5);
  }
  if (!attributes_->fixed.empty()) {
    out = copy_columns(attributes_->fixed, state_->market().attributes[index(node)], out);
  }
  copy_columns(attributes_->arrival, state_->arrival().attributes, out);
}

}  // namespace foresight
