// The arrivals of a past instance in another order, or some of them several times. It makes more of
// few instances, if the order within an instance does not matter.
//
//   const auto order = shuffled_order(instance.num_arrivals(), rng);
//   const Instance other = reordered(instance, order, time_column(schema));
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "foresight/base/rng.h"
#include "foresight/data/instance.h"
#include "foresight/data/source.h"

namespace foresight {

/// All of `count` arrivals in a random order.
std::vector<int> shuffled_order(int count, Rng& rng);

/// As many arrivals as there were, each drawn from all of them (the bootstrap of Efron, 1979).
std::vector<int> resampled_order(int count, Rng& rng);

/// The attribute of arrivals that tells when they come, if the schema has one. Source `recorded`
/// calls it "time".
std::optional<std::size_t> time_column(const Schema& schema);

/// The same market, where arrival `order[t]` comes at time t with everything that belongs to it: its
/// edges, type, preferences, attributes and name. Only the attribute `in_place` is that of arrival t,
/// so that times still ascend; the order must then be as long as the instance.
Instance reordered(const Instance& instance, std::span<const int> order,
                   std::optional<std::size_t> in_place = std::nullopt);

/// The label of the reordered instance, where each arrival occurs once: the best matching in
/// hindsight is the same in any order.
Label reordered(const Label& label, std::span<const int> order);

}  // namespace foresight
