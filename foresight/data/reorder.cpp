#include "foresight/data/reorder.h"

#include <algorithm>

#include "foresight/base/append.h"
#include "foresight/base/index.h"

namespace foresight {
namespace {

/// The arrays of the arrivals. The market stays in the memory of the instance that it came from.
struct Reordered {
  Instance from;
  std::vector<std::int64_t> edge_begin{0};
  std::vector<NodeId> nodes;
  std::vector<float> weights, costs;
  std::vector<std::int32_t> types, names;
  std::vector<float> preferences, attributes;
};

}  // namespace

std::vector<int> shuffled_order(int count, Rng& rng) {
  return rng.sample(count, count);
}

std::vector<int> resampled_order(int count, Rng& rng) {
  std::vector<int> order(index(count));
  for (int& arrival : order) {
    arrival = static_cast<int>(rng.below(static_cast<std::uint64_t>(count)));
  }
  return order;
}

std::optional<std::size_t> time_column(const Schema& schema) {
  const auto found = std::ranges::find(schema.arrival_attributes, "time");
  if (found == schema.arrival_attributes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - schema.arrival_attributes.begin());
}

Instance reordered(const Instance& instance, std::span<const int> order,
                   std::optional<std::size_t> in_place) {
  const InstanceView& view = instance.view();
  const auto made = std::make_shared<Reordered>();
  made->from = instance;
  for (std::size_t t = 0; t < order.size(); ++t) {
    const auto from = index(order[t]);
    const Arrival arrival = instance.arrival(order[t]);
    append(made->nodes, arrival.nodes);
    append(made->weights, arrival.weights);
    append(made->costs, arrival.costs);
    made->edge_begin.push_back(std::ssize(made->nodes));
    if (!view.types.empty()) made->types.push_back(arrival.type);
    if (!view.names.empty()) made->names.push_back(view.names.numbers[from]);
    append(made->preferences, arrival.preferences);
    append(made->attributes, arrival.attributes);
    if (in_place) {
      const std::size_t place = t * view.attributes.width + *in_place;
      made->attributes[place] = view.attributes.values[place];
    }
  }
  InstanceView changed = view;
  changed.edge_begin = made->edge_begin;
  changed.nodes = made->nodes;
  changed.weights = made->weights;
  changed.costs = made->costs;
  changed.types = made->types;
  changed.preferences.values = made->preferences;
  changed.attributes.values = made->attributes;
  changed.names.numbers = made->names;
  const Horizon told = view.market.horizon;
  return Instance(changed, made).told(told);
}

Label reordered(const Label& label, std::span<const int> order) {
  Label result{label.value, label.bound, {}};
  for (const int arrival : order) result.matching.push_back(label.matching[index(arrival)]);
  return result;
}

}  // namespace foresight
