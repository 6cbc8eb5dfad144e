#include "foresight/data/base_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "foresight/base/digest.h"
#include "foresight/base/error.h"
#include "foresight/base/index.h"

namespace foresight {
namespace {

/// Copies the rows of the chosen nodes out of a row-major table.
template <typename Id>
std::vector<float> select_rows(const std::vector<float>& values, std::size_t width,
                               std::span<const Id> rows) {
  std::vector<float> result;
  result.reserve(rows.size() * width);
  for (const Id row : rows) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(index(row) * width);
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

std::span<const float> row_of(const std::vector<float>& values, std::size_t width,
                              std::int32_t row) {
  return std::span(values).subspan(index(row) * width, width);
}

/// What is known of a number that is drawn from a range, all equally likely.
Horizon horizon_of(IntRange arrivals) {
  if (arrivals.low == arrivals.high) return {};
  const double count = 1.0 + arrivals.high - arrivals.low;
  return Horizon::expected((arrivals.low + arrivals.high) / 2.0,
                           std::sqrt((count * count - 1) / 12));
}

}  // namespace

void set_edges(BaseGraph& graph, std::vector<BaseEdge> edges, std::size_t num_types,
               const std::filesystem::path& file) {
  if (edges.empty()) fail(ErrorCode::kData, "{}: the file lists no edge", file.string());
  const auto key = [](const BaseEdge& e) { return std::tuple(e.type, e.node); };
  std::ranges::stable_sort(edges, {}, key);
  const auto repeated = std::ranges::adjacent_find(edges, {}, key);
  if (repeated != edges.end()) {
    fail(ErrorCode::kData, "{}:{}: the edge is already given in line {}", file.string(),
         std::next(repeated)->line, repeated->line);
  }
  graph.edge_begin.assign(num_types + 1, 0);
  graph.nodes.reserve(edges.size());
  graph.weights.reserve(edges.size());
  for (const BaseEdge& edge : edges) {
    ++graph.edge_begin[index(edge.type) + 1];
    graph.nodes.push_back(edge.node);
    graph.weights.push_back(edge.weight);
    if (graph.schema.costs) graph.costs.push_back(edge.cost);
  }
  std::partial_sum(graph.edge_begin.begin(), graph.edge_begin.end(), graph.edge_begin.begin());
}

void SamplingOptions::read(OptionReader& o, std::string_view fixed_key) {
  o.integer("u", u, 0, kMaxNodes, "fixed nodes per instance; 0: all of the pool");
  o.range("v", v, 0, kMaxNodes,
          "arrivals per instance, in a range all equally likely; 0: as many as there are types");
  o.choice(fixed_key, fixed, {"fixed", "vary", "permute"},
           "one set for all instances, a new set for each, or one set in a new order for each");
  o.choice("pool", pool, {"all", "even", "odd"},
           "which fixed nodes may be drawn, by their index in the base graph");
  o.integer("draw", draw, 0, std::numeric_limits<int>::max(),
            "number of the random draw of the shared set; the seed has no influence on it");
  o.integer("capacity", capacity, 1, kMaxCapacity, "how often each fixed node can be matched");
}

BaseGraphSource::BaseGraphSource(BaseGraph graph, SamplingOptions options,
                                 const std::string& origin)
    : graph_(std::move(graph)), options_(std::move(options)), origin_(origin) {
  for (NodeId u = 0; u < graph_.num_fixed; ++u) {
    const bool even = u % 2 == 0;
    if (options_.pool == "all" || even == (options_.pool == "even")) pool_.push_back(u);
  }
  if (pool_.size() < index(options_.u)) {
    fail(ErrorCode::kUsage,
         "{}: option \"u\" must be at most {}, the fixed nodes of pool={}, got {}", origin,
         pool_.size(), options_.pool, options_.u);
  }
  drop_edges_except(mark(pool_));
  types_ = types_at(mark(pool_), options_.keep_edgeless);
  if (types_joined_to(mark(pool_)).types.empty()) {
    fail(ErrorCode::kData, "{}: no arrival has an edge to a fixed node of pool={}", origin,
         options_.pool);
  }
  const bool take_all = options_.u == 0;
  if (take_all) options_.u = static_cast<int>(pool_.size());
  if (options_.v == IntRange(0)) options_.v = static_cast<int>(graph_.num_types());
  graph_.schema.horizon = horizon_of(options_.v);
  if (options_.capacity > 1) {
    if (graph_.schema.capacities) {
      fail(ErrorCode::kUsage,
           "{}: option \"capacity\" is {}, but the files give the nodes capacities of their own",
           origin, options_.capacity);
    }
    graph_.schema.capacities = true;
    graph_.capacities.assign(index(graph_.num_fixed), static_cast<float>(options_.capacity));
  }
  if (options_.fixed != "vary") {
    Rng rng(static_cast<std::uint64_t>(options_.draw), Stream::kFixedSet, 0);
    shared_ = take_all ? pool_ : choose_fixed(rng);
    drop_edges_except(mark(shared_));
    types_ = types_at(mark(shared_), options_.keep_edgeless);
  }
}

std::string BaseGraphSource::digest() const {
  Digest digest;
  digest.add(std::span(graph_.edge_begin)).add(std::span(graph_.nodes));
  digest.add(std::span(graph_.weights)).add(std::span(graph_.frequencies));
  if (!graph_.costs.empty()) digest.add(std::span(graph_.costs));
  digest.add(std::span(graph_.capacities)).add(std::span(graph_.fixed_attributes));
  digest.add(std::span(graph_.arrival_attributes)).add(std::span(graph_.preferences));
  for (const auto& topics : graph_.topic_sets) digest.add(std::span(topics));
  for (const auto* names : {&graph_.schema.fixed_attributes, &graph_.schema.arrival_attributes,
                            &graph_.schema.topics}) {
    for (const std::string& name : *names) digest.add(name);
  }
  return digest.hex();
}

std::vector<bool> BaseGraphSource::mark(std::span<const NodeId> chosen) const {
  std::vector<bool> marks(index(graph_.num_fixed));
  for (const NodeId u : chosen) marks[index(u)] = true;
  return marks;
}

bool BaseGraphSource::has_edge(std::int32_t type, const std::vector<bool>& chosen) const {
  const auto begin = graph_.nodes.begin() + graph_.edge_begin[index(type)];
  const auto end = graph_.nodes.begin() + graph_.edge_begin[index(type) + 1];
  return std::any_of(begin, end, [&](NodeId u) { return chosen[index(u)]; });
}

void BaseGraphSource::drop_edges_except(const std::vector<bool>& chosen) {
  std::size_t kept = 0;
  std::size_t e = 0;
  for (std::size_t type = 0; type < graph_.num_types(); ++type) {
    const auto begin = static_cast<std::int64_t>(kept);
    for (; e < index(graph_.edge_begin[type + 1]); ++e) {
      if (!chosen[index(graph_.nodes[e])]) continue;
      graph_.nodes[kept] = graph_.nodes[e];
      if (!graph_.costs.empty()) graph_.costs[kept] = graph_.costs[e];
      graph_.weights[kept++] = graph_.weights[e];
    }
    graph_.edge_begin[type] = begin;
  }
  graph_.edge_begin.back() = static_cast<std::int64_t>(kept);
  graph_.nodes.resize(kept);
  graph_.weights.resize(kept);
  if (!graph_.costs.empty()) graph_.costs.resize(kept);
}

double BaseGraphSource::frequency_of(std::int32_t type) const {
  return graph_.frequencies.empty() ? 1 : graph_.frequencies[index(type)];
}

/// To draw among those with an edge is the same as to draw among all and to redraw those without.
BaseGraphSource::Types BaseGraphSource::types_at(const std::vector<bool>& chosen,
                                                 bool keep_edgeless) const {
  Types result;
  double total = 0;
  for (std::size_t i = 0; i < graph_.num_types(); ++i) {
    const auto type = static_cast<std::int32_t>(i);
    if (frequency_of(type) <= 0 || !(keep_edgeless || has_edge(type, chosen))) continue;
    result.types.push_back(type);
    result.cumulative.push_back(total += frequency_of(type));
  }
  if (graph_.frequencies.empty()) result.cumulative.clear();
  return result;
}

std::int32_t BaseGraphSource::Types::draw(Rng& rng) const {
  if (cumulative.empty()) return types[rng.below(types.size())];
  const double x = rng.uniform() * cumulative.back();
  // The last entry is not searched, so an x that is rounded up to the total stays in range.
  const auto found = std::upper_bound(cumulative.begin(), std::prev(cumulative.end()), x);
  return types[index(found - cumulative.begin())];
}

/// Draws a set that some arrival can be matched to; a set without any edge is drawn again.
std::vector<NodeId> BaseGraphSource::choose_fixed(Rng& rng) const {
  constexpr int kAttempts = 10'000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<NodeId> chosen = rng.sample(static_cast<std::int32_t>(pool_.size()), options_.u);
    for (NodeId& u : chosen) u = pool_[index(u)];
    const std::vector<bool> marks = mark(chosen);
    if (options_.keep_edgeless) return chosen;  // a set that nobody wants is a set, too
    if (std::ranges::any_of(types_.types, [&](auto type) { return has_edge(type, marks); })) {
      return chosen;
    }
  }
  fail(ErrorCode::kData,
       "{}: {} random sets of u={} fixed nodes had no edge to any arrival; give a larger u",
       origin_, kAttempts, options_.u);
}

/// The position of each fixed node among the chosen ones, or kSkip.
std::vector<NodeId> BaseGraphSource::positions_of(std::span<const NodeId> chosen) const {
  std::vector<NodeId> positions(index(graph_.num_fixed), kSkip);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    positions[index(chosen[i])] = static_cast<NodeId>(i);
  }
  return positions;
}

/// The edges of a type to the chosen nodes, in their order.
void BaseGraphSource::find_edges(std::int32_t type, std::span<const NodeId> positions,
                                 Edges& edges) const {
  edges.clear();
  for (auto e = index(graph_.edge_begin[index(type)]);
       e < index(graph_.edge_begin[index(type) + 1]); ++e) {
    const NodeId u = positions[index(graph_.nodes[e])];
    if (u == kSkip) continue;
    edges.push_back({u, graph_.weights[e], graph_.costs.empty() ? 0 : graph_.costs[e]});
  }
  std::sort(edges.begin(), edges.end());
}

Instance BaseGraphSource::draw(std::uint64_t seed, std::uint64_t instance_index) const {
  Rng rng(seed, Stream::kInstance, instance_index);
  std::vector<NodeId> chosen = options_.fixed == "vary" ? choose_fixed(rng) : shared_;
  if (options_.fixed == "permute") {
    const auto order = rng.sample(options_.u, options_.u);
    for (std::size_t i = 0; i < order.size(); ++i) chosen[i] = shared_[index(order[i])];
  }
  const std::vector<NodeId> positions = positions_of(chosen);

  const Schema& schema = graph_.schema;
  InstanceBuilder builder(options_.u);
  builder.set_attributes(
      select_rows<NodeId>(graph_.fixed_attributes, schema.fixed_attributes.size(), chosen),
      schema.fixed_attributes.size());
  if (!graph_.capacities.empty()) {
    builder.set_capacities(select_rows<NodeId>(graph_.capacities, 1, chosen));
  }
  if (!graph_.topic_sets.empty()) {
    std::vector<std::vector<std::int32_t>> sets;
    for (const NodeId u : chosen) sets.push_back(graph_.topic_sets[index(u)]);
    builder.set_topics(static_cast<int>(schema.topics.size()), sets);
  }
  builder.set_ids(chosen);
  if (!graph_.fixed_names.empty()) {
    std::vector<std::string> names;
    for (const NodeId u : chosen) names.push_back(graph_.fixed_names[index(u)]);
    builder.set_names(names);
  }

  Edges edges;
  std::vector<NodeId> nodes;
  std::vector<float> weights, costs;
  constexpr int kMostMisses = 1000;
  const Types* types = &types_;
  Types joined;
  const auto& [least, most] = options_.v;
  const int arrivals =
      least == most ? least : least + static_cast<int>(rng.below(index(most - least) + 1));
  for (int t = 0, misses = 0; t < arrivals;) {
    const std::int32_t type = types->draw(rng);
    find_edges(type, positions, edges);
    if (edges.empty() && !options_.keep_edgeless) {
      // Types that can be matched are rare. Drawing only among them has the same distribution.
      if (++misses == kMostMisses) types = &(joined = types_joined_to(mark(chosen)));
      continue;
    }
    nodes.clear();
    weights.clear();
    costs.clear();
    for (const auto& [node, weight, cost] : edges) {
      nodes.push_back(node);
      weights.push_back(weight);
      if (schema.costs) costs.push_back(cost);
    }
    builder.arrive(
        {.nodes = nodes,
         .weights = weights,
         .type = type,
         .preferences = row_of(graph_.preferences, schema.topics.size(), type),
         .attributes = row_of(graph_.arrival_attributes, schema.arrival_attributes.size(), type),
         .costs = costs,
         .name = graph_.type_names.empty() ? std::string_view() : graph_.type_names[index(type)]});
    ++t;
  }
  return std::move(builder).build();
}

bool BaseGraphSource::is_from_here(const Market& market) const {
  std::vector<NodeId> ids(market.ids.begin(), market.ids.end());
  std::ranges::sort(ids);
  std::vector<NodeId> possible = shared_.empty() ? pool_ : shared_;
  std::ranges::sort(possible);
  const bool known = ids.size() == index(options_.u) && std::ranges::includes(possible, ids) &&
                     std::ranges::adjacent_find(ids) == ids.end();
  return known &&
         std::ranges::equal(market.attributes.values,
                            select_rows(graph_.fixed_attributes,
                                        graph_.schema.fixed_attributes.size(), market.ids)) &&
         (graph_.capacities.empty() ||
          std::ranges::equal(market.capacities, select_rows(graph_.capacities, 1, market.ids)));
}

/// Types keep the order of the base graph. So reordered nodes have the same law up to their names.
std::optional<ArrivalLaw> BaseGraphSource::arrival_law(const Market& market) const {
  if (!is_from_here(market)) {
    fail(ErrorCode::kData,
         "the market of {} fixed nodes does not come from {} with u={}, {}, pool={}",
         market.num_fixed, origin_, options_.u, options_.fixed, options_.pool);
  }
  const std::vector<NodeId> positions = positions_of(market.ids);
  ArrivalTypes law;
  double total = 0;
  Edges edges;
  std::map<Edges, std::size_t> seen;
  for (const std::int32_t type : types_.types) {
    find_edges(type, positions, edges);
    if (edges.empty() && !options_.keep_edgeless) continue;
    const auto [found, is_new] = seen.emplace(edges, law.probabilities.size());
    if (is_new) {
      for (const auto& [node, weight, cost] : edges) {
        law.nodes.push_back(node);
        law.weights.push_back(weight);
        if (graph_.schema.costs) law.costs.push_back(cost);
      }
      law.edge_begin.push_back(static_cast<std::int64_t>(law.nodes.size()));
      law.probabilities.push_back(0);
    }
    law.probabilities[found->second] += frequency_of(type);
    total += frequency_of(type);
  }
  for (double& probability : law.probabilities) probability /= total;
  return law;
}

}  // namespace foresight
