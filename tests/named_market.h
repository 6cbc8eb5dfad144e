// A small market of the generalised assignment problem in which people have names, hours, and one
// of them is absent. Some names are the kind that breaks a table: commas, quotes, line breaks.
//
//   const BoundDataset data = named_market();   // one instance, solved
#pragma once

#include <string_view>
#include <vector>

#include "foresight/data/dataset.h"
#include "foresight/problem/bound.h"
#include "foresight/solve/solver.h"

namespace foresight {

inline BoundDataset named_market() {
  InstanceBuilder builder(4);
  builder.set_names({"Ana", "Boris, \"Bo\"", "", "=Chen"});
  builder.set_capacities({8, 2.5F, 3, 0});
  const auto arrive = [&](std::string_view name, std::vector<NodeId> nodes,
                          std::vector<float> weights, std::vector<float> costs) {
    Arrival arrival{nodes, weights, kNoType, {}, {}};
    arrival.costs = costs;
    arrival.name = name;
    builder.arrive(arrival);
  };
  arrive("boiler\nat 5th", {0, 1, 3}, {100, 90, 500}, {3, 2, 1});
  arrive("", {1, 2}, {40, 10}, {1, 1});
  arrive("roof", {0, 1}, {300, 250}, {6, 2.5F});
  arrive("door", {}, {}, {});
  const Instance instance = std::move(builder).build();
  const Schema schema{.problem = "gen-assignment", .capacities = true, .costs = true};
  const Dataset data = Dataset::gather(schema, {"by hand", 1}, {&instance, 1});
  return solve(bind_data(data), {}, no_progress());
}

}  // namespace foresight
