// What a model's network (`Model::network`) is given for a decision, for programs that run the
// network elsewhere and for checking them.
//
//   const auto feed = model.feed(instance.market());
//   for each arrival:
//     state.arrive(arrival);
//     const NetworkInputs inputs = feed->next(state);     // one after the other, for every arrival
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
    /// Entries along the last axis: row i of all that are before it.
    std::span<float> row(std::size_t i) {
      return std::span(values).subspan(i * shape.back(), shape.back());
    }
  };
  Array& add(std::vector<std::size_t> shape) { return arrays.emplace_back(std::move(shape)); }

  std::vector<Array> arrays;         // in the order of the network's inputs
  std::vector<std::size_t> entries;  // of the scores: that of skip, then that of each offer
};

/// Where scores stand in the order of skip and the offers, and where every fixed node has a place.
std::vector<std::size_t> entries_of_offers(const State& state);
std::vector<std::size_t> entries_of_nodes(const State& state);

/// Follows one episode. Used by one thread; the model must outlive it.
class Feed {
 public:
  virtual ~Feed() = default;
  /// To be called once for every arrival, before it is decided.
  virtual NetworkInputs next(const State& state) = 0;
};

/// For models that need to know no more than the current state.
std::unique_ptr<Feed> make_feed(std::function<NetworkInputs(const State&)> next);

}  // namespace foresight
