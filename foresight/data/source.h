// Where instances come from: synthetic families, base graphs, recorded data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foresight/base/registry.h"
#include "foresight/data/instance.h"

namespace foresight {

/// The most fixed nodes or arrivals that a spec may ask for in one instance.
inline constexpr int kMaxNodes = 100'000'000;

/// What all instances of one source or dataset have in common.
struct Schema {
  std::string problem;  // the problem they are made for
  std::vector<std::string> fixed_attributes = {};
  std::vector<std::string> arrival_attributes = {};
  std::vector<std::string> topics = {};

  friend bool operator==(const Schema&, const Schema&) = default;
};

/// Immutable and safe to use from many threads.
class Source {
 public:
  virtual ~Source() = default;

  virtual const Schema& schema() const = 0;

  /// Instance `index` of the endless sequence that `seed` names. Depends on nothing else.
  virtual Instance draw(std::uint64_t seed, std::uint64_t index) const = 0;

  /// For recorded data: how many instances there are. Indices from there on are an error.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
};

/// Every source there is.
const Registry<Source>& sources();

}  // namespace foresight
