// Where instances come from: synthetic families, base graphs, recorded data.
//
//   const auto source = sources().make("er(u=10,v=30,p=0.2)");
//   const Instance first = source->draw(/*seed=*/1, /*index=*/0);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "foresight/base/registry.h"
#include "foresight/data/instance.h"

namespace foresight {

/// The most fixed nodes or arrivals that a spec may ask for in one instance.
inline constexpr int kMaxNodes = 100'000'000;
/// The largest capacity that a spec may ask for: beyond it, not every whole number is a float.
inline constexpr int kMaxCapacity = 1 << 24;

/// What all instances of one source or dataset have in common.
struct Schema {
  std::string problem;  // the problem they are made for
  std::vector<std::string> fixed_attributes = {};
  std::vector<std::string> arrival_attributes = {};
  std::vector<std::string> topics = {};
  bool capacities = false;  // do markets say how much there is of each fixed node?
  bool costs = false;       // do edges have costs of their own?
  Horizon horizon = {};     // what policies are told of the number of arrivals

  friend bool operator==(const Schema&, const Schema&) = default;
};

/// Arrivals of finitely many types. Type i arrives with probability probabilities[i]. Its edges are
/// at positions edge_begin[i] .. edge_begin[i + 1] of `nodes` and `weights`, nodes ascending.
struct ArrivalTypes {
  std::vector<std::int64_t> edge_begin{0};
  std::vector<NodeId> nodes;
  std::vector<float> weights;
  std::vector<double> probabilities;
  std::vector<float> costs =
      {};  // as long as `weights` if edges have costs of their own, else empty
};

/// Arrivals that have an edge to every fixed node with the same probability, independently.
struct RandomEdges {
  double probability = 0;
  bool uniform_weights = true;  // in (0, 1]; else all are 1
};

/// The law that the arrivals of one market are drawn from, each independently of the others.
using ArrivalLaw = std::variant<ArrivalTypes, RandomEdges>;

/// Immutable and safe to use from many threads.
class Source {
 public:
  virtual ~Source() = default;

  virtual const Schema& schema() const = 0;

  /// Instance `index` of the endless sequence that `seed` names. It depends on nothing else.
  virtual Instance draw(std::uint64_t seed, std::uint64_t index) const = 0;

  /// For recorded data: the number of instances. An index >= size() is an error.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }

  /// The digest of the files that it read, so that changes are noticed; empty if it read no file.
  virtual std::string digest() const { return {}; }

  /// The law of the arrivals in a market of this source. Nothing if the law is not known, or if
  /// arrivals depend on each other. Throws Error(kData) if the market is not from this source.
  virtual std::optional<ArrivalLaw> arrival_law(const Market&) const { return std::nullopt; }
};

/// All sources.
Registry<Source>& sources();

}  // namespace foresight
