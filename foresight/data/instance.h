// What an online matching problem looks like: the market known beforehand, and the arrivals.
//
//   InstanceBuilder builder(/*num_fixed=*/2);
//   builder.arrive(std::array{0, 1}, std::array{0.5f, 0.8f});   // edges to nodes 0 and 1
//   const Instance instance = std::move(builder).build();
//
// All types here are views. `Instance` keeps the memory behind its views alive, is immutable, and
// is cheap to copy. `InstanceBuilder` makes one and checks every rule once, so later code need not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foresight/data/horizon.h"

namespace foresight {

using NodeId = std::int32_t;

/// The decision to leave an arrival unmatched. Also "no node" wherever a node is optional.
inline constexpr NodeId kSkip = -1;

/// Stands for the type or id of a node that has none.
inline constexpr std::int32_t kNoType = -1;

/// A row-major table of numbers: one row per node, `width` columns. Width 0 means "no such table".
struct Rows {
  std::span<const float> values;
  std::size_t width = 0;

  std::span<const float> operator[](std::size_t row) const {
    return values.subspan(row * width, width);
  }
};

/// Texts one after the other: text i is at positions begin[i] .. begin[i + 1] of `bytes`.
struct Texts {
  std::span<const std::int64_t> begin;
  std::span<const std::uint8_t> bytes;

  std::size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    const auto first = static_cast<std::size_t>(begin[i]);
    return {reinterpret_cast<const char*>(bytes.data()) + first,
            static_cast<std::size_t>(begin[i + 1]) - first};
  }
};

/// What people call some nodes. Nodes share texts, so names that many instances repeat cost little.
struct Names {
  std::span<const std::int32_t> numbers;  // per node: its text, or kNoType; empty: no names at all
  Texts texts;

  bool empty() const { return numbers.empty(); }
  /// Empty if the node has no name.
  std::string_view operator[](std::size_t i) const {
    if (numbers.empty() || numbers[i] == kNoType) return {};
    return texts[static_cast<std::size_t>(numbers[i])];
  }
};

/// Everything a policy may know before the first arrival.
struct Market {
  NodeId num_fixed = 0;
  Horizon horizon = {};  // what is known of the number of arrivals
  /// How much there is of each fixed node: so many matches, or a budget. 0: it is absent. Empty: 1.
  std::span<const float> capacities = {};
  std::span<const std::int32_t> ids = {};  // a fixed node's index in its base graph, or empty
  Rows attributes = {};                    // one row of attributes per fixed node
  Names names = {};                        // of the fixed nodes

  /// Coverage (OSBM): the topics of fixed node u, ascending, each in [0, num_topics).
  std::span<const std::int32_t> topics_of(NodeId u) const {
    if (num_topics == 0) return {};
    const auto begin = topic_begin[static_cast<std::size_t>(u)];
    const auto end = topic_begin[static_cast<std::size_t>(u) + 1];
    return topics.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  int num_topics = 0;
  std::span<const std::int64_t> topic_begin = {};  // num_fixed + 1 positions in `topics`
  std::span<const std::int32_t> topics = {};
};

/// One arrival: its edges as two parallel arrays (the layout of a sparse row), nodes ascending.
struct Arrival {
  std::span<const NodeId> nodes;
  std::span<const float> weights;      // what a match is worth; finite and >= 0
  std::int32_t type = kNoType;         // arrivals of one type are the same user, task kind, ...
  std::span<const float> preferences;  // Coverage (OSBM): the weight of each topic for this type
  std::span<const float> attributes;
  std::span<const float> costs = {};  // what a match takes of its node, or empty; finite and >= 0
  std::string_view name = {};         // empty if it has none

  int degree() const { return static_cast<int>(nodes.size()); }
};

/// Views of the arrays behind one instance. Positions in `edge_begin` and in `market.topic_begin`
/// index `nodes`/`weights` and `market.topics` as given, so a slice of a large file needs no
/// rebasing.
struct InstanceView {
  Market market;
  std::span<const std::int64_t> edge_begin;  // num_arrivals + 1 positions
  std::span<const NodeId> nodes;
  std::span<const float> weights;
  std::span<const std::int32_t> types;  // one per arrival, or empty
  Rows preferences;                     // one row per arrival, or none
  Rows attributes;                      // one row per arrival, or none
  std::span<const float> costs = {};    // as long as `weights`, or empty
  Names names = {};                     // of the arrivals
};

/// One past or generated instance, with its whole future. Policies never see this type.
class Instance {
 public:
  Instance() = default;
  /// `storage` owns the memory behind `view`. The view must satisfy the rules that `validate`
  /// checks.
  Instance(const InstanceView& view, std::shared_ptr<const void> storage)
      : view_(view), storage_(std::move(storage)) {}

  const Market& market() const { return view_.market; }
  int num_arrivals() const { return static_cast<int>(view_.edge_begin.size()) - 1; }
  std::int64_t num_edges() const { return view_.edge_begin.back() - view_.edge_begin.front(); }
  Arrival arrival(int t) const;
  const InstanceView& view() const { return view_; }

  /// The same instance, of whose number of arrivals a policy is told this. If the horizon is known,
  /// it is told the true number.
  Instance told(const Horizon& horizon) const;

  /// Same market and same arrivals, value by value.
  friend bool operator==(const Instance& a, const Instance& b);

 private:
  InstanceView view_;
  std::shared_ptr<const void> storage_;
};

/// Throws Error(kData) that names the first rule that the instance breaks. The rules: nodes and
/// topics are in range and ascending; weights, costs, capacities and preferences are finite and >= 0;
/// attributes are finite; names are UTF-8; arrivals of one type have equal preferences; array lengths
/// fit together.
void validate(const InstanceView& view);

/// Collects one instance, arrival by arrival.
class InstanceBuilder {
 public:
  explicit InstanceBuilder(NodeId num_fixed);

  void set_capacities(std::vector<float> capacities);
  /// The same capacity for all fixed nodes.
  void set_equal_capacities(int capacity);
  void set_ids(std::vector<std::int32_t> ids);
  /// One per fixed node; an empty one stands for no name.
  void set_names(const std::vector<std::string>& names);
  void set_attributes(std::vector<float> values, std::size_t width);
  /// `topic_sets[u]` lists the topics of fixed node u.
  void set_topics(int num_topics, const std::vector<std::vector<std::int32_t>>& topic_sets);

  /// Adds one arrival. Give `preferences`, `attributes` and `costs` for all arrivals or for none.
  void arrive(const Arrival& arrival);
  void arrive(std::span<const NodeId> nodes, std::span<const float> weights,
              std::int32_t type = kNoType, std::span<const float> preferences = {},
              std::span<const float> attributes = {}) {
    arrive(Arrival{nodes, weights, type, preferences, attributes});
  }

  /// Validates, and hands the memory over to the instance.
  Instance build() &&;

 private:
  struct Storage;
  std::shared_ptr<Storage> storage_;
};

/// The best that could have been done in hindsight.
struct Label {
  double value = 0;              // of the matching below
  double bound = 0;              // no matching is worth more; equal to `value` if proven optimal
  std::vector<NodeId> matching;  // per arrival: a fixed node or kSkip

  bool proven() const { return value == bound; }
  friend bool operator==(const Label&, const Label&) = default;
};

/// Throws Error(kData) naming the first rule that the label breaks: 0 <= value <= bound, both
/// finite, and for every arrival skip or a neighbour. What a node can take only its problem knows.
void validate(const Label& label, const Instance& instance);

}  // namespace foresight
