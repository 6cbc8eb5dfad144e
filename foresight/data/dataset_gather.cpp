// Instances, drawn or given, become one dataset.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "foresight/base/append.h"
#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/base/parallel.h"
#include "foresight/data/dataset.h"

namespace foresight {

struct Dataset::Storage {
  std::vector<std::int64_t> fixed_begin{0}, arrival_begin{0}, topic_begin{0}, edge_begin{0};
  std::vector<float> fixed_capacity, fixed_attributes;
  std::vector<std::int32_t> fixed_id, topic;
  std::vector<NodeId> edge_node;
  std::vector<float> edge_weight, edge_cost;
  std::vector<std::int32_t> arrival_type;
  std::vector<float> arrival_preferences, arrival_attributes;
  std::vector<std::int32_t> fixed_name, arrival_name;
  std::vector<std::int64_t> text_begin{0};
  std::vector<std::uint8_t> text;
  std::unordered_map<std::string, std::int32_t> texts;

  void add_names(std::vector<std::int32_t>& to, const Names& names, std::size_t nodes) {
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::string_view name = names[i];
      if (name.empty()) {
        to.push_back(kNoType);
        continue;
      }
      const auto [found, is_new] =
          texts.emplace(name, static_cast<std::int32_t>(text_begin.size()) - 1);
      to.push_back(found->second);
      if (!is_new) continue;
      text.insert(text.end(), name.begin(), name.end());
      text_begin.push_back(static_cast<std::int64_t>(text.size()));
    }
  }

  /// Some instances have it and others do not: then a gap in the array would shift all that follows.
  static void expect_all(std::span<const float> added, std::size_t rows, std::size_t so_far,
                         std::size_t rows_so_far, const char* what) {
    if (rows == 0 || rows_so_far == 0 || (added.empty() == (so_far == 0))) return;
    fail(ErrorCode::kData, "some instances have {} and others do not; expected all or none", what);
  }

  void add(const Instance& instance) {
    const InstanceView& view = instance.view();
    const Market& market = view.market;
    const auto fixed = index(market.num_fixed);
    expect_all(market.capacities, fixed, fixed_capacity.size(), index(fixed_begin.back()),
               "capacities");
    expect_all(view.costs, index(instance.num_edges()), edge_cost.size(), edge_node.size(),
               "costs");
    expect_all(view.preferences.values, index(instance.num_arrivals()), arrival_preferences.size(),
               index(arrival_begin.back()), "preferences");
    append(fixed_capacity, market.capacities);
    add_names(fixed_name, market.names, fixed);
    add_names(arrival_name, view.names, index(instance.num_arrivals()));
    append(fixed_id, market.ids);
    fixed_id.resize(index(fixed_begin.back()) + fixed, kNoType);
    append(fixed_attributes, market.attributes.values);
    for (NodeId u = 0; u < market.num_fixed; ++u) {
      append(topic, market.topics_of(u));
      topic_begin.push_back(static_cast<std::int64_t>(topic.size()));
    }
    fixed_begin.push_back(fixed_begin.back() + market.num_fixed);
    const std::int64_t shift = edge_begin.back() - view.edge_begin.front();
    for (const std::int64_t position : view.edge_begin.subspan(1)) {
      edge_begin.push_back(position + shift);
    }
    const auto first_edge = index(view.edge_begin.front());
    append(edge_node, view.nodes.subspan(first_edge, index(instance.num_edges())));
    append(edge_weight, view.weights.subspan(first_edge, index(instance.num_edges())));
    if (!view.costs.empty()) {
      append(edge_cost, view.costs.subspan(first_edge, index(instance.num_edges())));
    }
    append(arrival_type, view.types);
    arrival_type.resize(edge_begin.size() - 1, kNoType);
    append(arrival_preferences, view.preferences.values);
    append(arrival_attributes, view.attributes.values);
    arrival_begin.push_back(arrival_begin.back() + instance.num_arrivals());
  }

  /// Leaves out what no instance has.
  void trim() {
    if (topic.empty()) topic_begin.clear();
    for (auto* numbers : {&arrival_type, &fixed_id, &fixed_name, &arrival_name}) {
      if (std::ranges::all_of(*numbers, [](auto number) { return number == kNoType; })) {
        numbers->clear();
      }
    }
    if (text.empty()) text_begin.clear();
  }
};

Dataset Dataset::gather(Schema schema, Provenance provenance, std::span<const Instance> instances) {
  auto storage = std::make_shared<Storage>();
  for (const Instance& instance : instances) storage->add(instance);
  storage->trim();
  Dataset data;
  data.schema_ = std::move(schema);
  data.provenance_ = std::move(provenance);
  data.arrays_ = {.fixed_begin = storage->fixed_begin,
                  .arrival_begin = storage->arrival_begin,
                  .fixed_capacity = storage->fixed_capacity,
                  .fixed_id = storage->fixed_id,
                  .fixed_attributes = storage->fixed_attributes,
                  .topic_begin = storage->topic_begin,
                  .topic = storage->topic,
                  .edge_begin = storage->edge_begin,
                  .edge_node = storage->edge_node,
                  .edge_weight = storage->edge_weight,
                  .edge_cost = storage->edge_cost,
                  .arrival_type = storage->arrival_type,
                  .arrival_preferences = storage->arrival_preferences,
                  .arrival_attributes = storage->arrival_attributes,
                  .fixed_name = storage->fixed_name,
                  .arrival_name = storage->arrival_name,
                  .text_begin = storage->text_begin,
                  .text = storage->text,
                  .label_value = {},
                  .label_bound = {},
                  .label_matching = {}};
  data.storage_ = std::move(storage);
  data.complete_schema();
  data.check_positions();
  data.check_lengths();
  return data;
}

Dataset generate(const Source& source, const Provenance& provenance, std::uint64_t count,
                 int threads, Progress& progress) {
  if (const auto size = source.size(); size && count > *size) {
    fail(ErrorCode::kUsage, "the number of instances must be at most {} for {}, got {}", *size,
         provenance.source, count);
  }
  std::vector<Instance> instances(count);
  constexpr std::size_t kChunk = 64;
  parallel_for((count + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
    check_cancelled(progress);
    const std::size_t end = std::min<std::size_t>(count, (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      instances[i] = source.draw(provenance.seed, i);
    }
    progress.advance(static_cast<std::int64_t>(end - chunk * kChunk));
  });
  return Dataset::gather(source.schema(), provenance, instances);
}

}  // namespace foresight
