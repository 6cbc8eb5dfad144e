// How much of its data a run takes where nobody says it: so much that an epoch and a validation
// stay short and fit into memory, whatever the size of one instance.
//
//   const InstanceSize size = size_of(few_instances(source));
//   const std::uint64_t per_epoch = fitting_instances(size);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foresight/data/dataset.h"

namespace foresight {

/// What one instance is like, on average.
struct InstanceSize {
  double arrivals = 0;  // each is a decision
  double edges = 0;
  double bytes = 0;  // in a dataset, with its label

  friend bool operator==(const InstanceSize&, const InstanceSize&) = default;
};

InstanceSize size_of(std::span<const Instance> instances);
InstanceSize size_of(const Dataset& data);

/// The first instances of seed 0, whatever the seed of a run, so that runs of several seeds are of
/// the same size. Fewer if they are large.
std::vector<Instance> few_instances(const Source& source);

/// Fresh instances per epoch: 20,000; fewer if these make more than 2 million decisions or have more
/// than 200 million edges. At least 2.
std::uint64_t fitting_instances(const InstanceSize& size);

/// Fresh instances to validate on: 1,000; fewer if these make more than 300,000 decisions. At least
/// 20 of them, unless that is more than a whole epoch of training. In any case at most 256 MB, and
/// at least 2.
std::uint64_t fitting_validation_instances(const InstanceSize& size);

/// Episodes per epoch on a dataset of so many instances: as many passes as make 500 episodes or
/// 50,000 decisions, whichever is less. At least one pass; but a part of one if a whole pass is more
/// than `fitting_instances` allows of decisions or edges.
std::uint64_t fitting_episodes(const InstanceSize& size, std::uint64_t instances);

/// Instances for rules to learn from, which try many thresholds on each: 200; fewer if these make
/// more than 100,000 decisions. At least 1.
std::uint64_t fitting_past(const InstanceSize& size);

}  // namespace foresight
