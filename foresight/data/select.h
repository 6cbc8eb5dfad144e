// Datasets cut into parts and put together again. A log is cut by time: its instances stay in order.
//
//   const std::vector<Part> parts{{"train", 0.7}, {"val", 0.15}, {"test", Part::Rest()}};
//   const std::vector<Dataset> three = split(log, parts);
//   const Dataset both = join(std::vector{three[0], three[1]});
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "foresight/data/dataset.h"

namespace foresight {

/// A part of a dataset, and how large it is: a number of instances, a share of all, or the rest.
struct Part {
  struct Rest {};

  std::string name;
  std::variant<std::uint64_t, double, Rest> size;
};

/// Parses "train=24,val=6,test=rest" or "train=70%,val=15%,test=15%". A name is also that of a file.
/// Throws Error(kUsage).
std::vector<Part> parse_parts(const std::string& text);

/// How many of `size` instances belong to each part. Shares are rounded so that all of them together
/// leave nothing over. Throws Error(kUsage) if the parts are not all of the instances, if one would
/// be empty, or if numbers and shares are mixed.
std::vector<std::size_t> part_sizes(std::span<const Part> parts, std::size_t size);

/// The parts, one after the other in the order of the instances, or in a random order that a seed
/// names. Where the number of arrivals is only expected, all parts expect what the first one shows.
std::vector<Dataset> split(const Dataset& data, std::span<const Part> parts,
                           std::optional<std::uint64_t> shuffle_seed = std::nullopt);

/// The instances of all datasets, one after the other. Labels are kept if all have them. If they are
/// told different numbers of arrivals, the mean number is expected. Throws
/// Error(kData) that names two datasets and what they differ in: the problem, attributes, topics,
/// capacities or costs.
Dataset join(std::span<const Dataset> datasets);

}  // namespace foresight
