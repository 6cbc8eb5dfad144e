// The inputs of a model's network (`Model::network`) for a decision. Other programs that run the
// network need them, and tests check these programs.
//
//   const auto feed = model.feed(instance.market());
//   for each arrival:
//     state.arrive(arrival);
//     const NetworkInputs inputs = feed->next(state);     // in order, for every arrival
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "foresight/problem/state.h"

namespace foresight {

/// One decision, as a batch of one.
struct NetworkInputs {
  struct Array {
    std::vector<std::size_t> shape;
    std::vector<float> values;

    explicit Array(std::vector<std::size_t> sizes);
    /// The entries along the last axis. All earlier axes together number the rows.
    std::span<float> row(std::size_t i) {
      return std::span(values).subspan(i * shape.back(), shape.back());
    }
  };
  Array& add(std::vector<std::size_t> shape) { return arrays.emplace_back(std::move(shape)); }

  std::vector<Array> arrays;         // in the order of the network's inputs
  std::vector<std::size_t> entries;  // positions in the scores: of skip, then of each offer
};

/// The `entries` if there is a score for skip and each offer, or for skip and each fixed node.
std::vector<std::size_t> entries_of_offers(const State& state);
std::vector<std::size_t> entries_of_nodes(const State& state);

/// Follows one episode. Used by one thread; the model must outlive it.
class Feed {
 public:
  virtual ~Feed() = default;
  /// Call it once for every arrival, before the decision.
  virtual NetworkInputs next(const State& state) = 0;
};

/// For models that need only the current state.
std::unique_ptr<Feed> make_feed(std::function<NetworkInputs(const State&)> next);

}  // namespace foresight
