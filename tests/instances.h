// Instances to test with.
#pragma once

#include <vector>

#include "foresight/data/base_graph.h"
#include "foresight/data/source.h"

namespace foresight {

inline std::vector<Instance> draw(const Source& source, std::size_t count, std::uint64_t seed) {
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < count; ++i) instances.push_back(source.draw(seed, i));
  return instances;
}

inline std::vector<NodeId> ids_of(const Instance& instance) {
  return {instance.market().ids.begin(), instance.market().ids.end()};
}

inline const BaseGraph& graph_of(const Source& source) {
  return dynamic_cast<const BaseGraphSource&>(source).graph();
}

}  // namespace foresight
