// A base graph of fixed nodes and arrival types, and the one way to sample instances from it.
//
// |U| fixed nodes are chosen without replacement, then |V| arrivals with replacement. An arrival
// without an edge to the chosen nodes is drawn again. (Algorithm "Graph Generation" of the paper.)
// Where a range is given for |V|, each instance draws its own number from it first.
//
//   BaseGraphSource source(std::move(graph), options, "folder/edges.csv");
//   Instance first = source.draw(/*seed=*/1, /*index=*/0);
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "foresight/base/rng.h"
#include "foresight/data/source.h"

namespace foresight {

/// Edges are stored by arrival type, nodes ascending, as in an Instance.
struct BaseGraph {
  Schema schema;
  NodeId num_fixed = 0;
  std::vector<std::int64_t> edge_begin{0};  // num_types + 1 positions
  std::vector<NodeId> nodes;
  std::vector<float> weights;
  std::vector<float> costs;                           // per edge, or empty
  std::vector<double> frequencies;                    // per type, any scale; empty = uniform
  std::vector<float> capacities;                      // per fixed node, or empty
  std::vector<float> fixed_attributes;                // rows as wide as the schema's names
  std::vector<float> arrival_attributes;              // rows as wide as the schema's names
  std::vector<std::vector<std::int32_t>> topic_sets;  // per fixed node, or empty
  std::vector<float> preferences;        // one row per type, one column per topic, or empty
  std::vector<std::string> fixed_names;  // per fixed node, or empty
  std::vector<std::string> type_names;   // per type: the name of its arrivals; or empty

  std::size_t num_types() const { return edge_begin.size() - 1; }
};

/// One edge of a base graph. Files list the edges in any order.
struct BaseEdge {
  std::int32_t type;
  NodeId node;
  float weight;
  std::size_t line;  // where the file lists it
  float cost = 0;    // used if the schema says that edges have costs
};

/// Sorts the edges into the graph. Throws Error(kData) if there are none or one is repeated; the
/// error names the lines of `file`.
void set_edges(BaseGraph& graph, std::vector<BaseEdge> edges, std::size_t num_types,
               const std::filesystem::path& file);

struct SamplingOptions {
  int u = 10;       // 0: all fixed nodes of the pool
  IntRange v = 30;  // 0: as many as there are types
  std::string fixed = "fixed";
  std::string pool = "all";
  int draw = 1;
  int capacity = 1;            // of every fixed node, where the graph itself says nothing
  bool keep_edgeless = false;  // do arrivals without an edge to the chosen nodes arrive, too?

  /// `fixed_key` is what the source calls its fixed nodes in the spec: workers, movies, ...
  void read(OptionReader& o, std::string_view fixed_key);
};

class BaseGraphSource : public Source {
 public:
  /// `origin` names the graph in errors, e.g. its folder.
  BaseGraphSource(BaseGraph graph, SamplingOptions options, const std::string& origin);

  const Schema& schema() const override { return graph_.schema; }
  Instance draw(std::uint64_t seed, std::uint64_t index) const override;
  std::optional<ArrivalLaw> arrival_law(const Market& market) const override;
  std::string digest() const override;
  const BaseGraph& graph() const { return graph_; }

 private:
  /// The types that can arrive.
  struct Types {
    std::vector<std::int32_t> types;
    std::vector<double> cumulative;  // of their frequencies; empty = uniform

    std::int32_t draw(Rng& rng) const;
  };

  struct Edge {
    NodeId node;
    float weight;
    float cost;  // 0 if edges have none
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  using Edges = std::vector<Edge>;

  bool has_edge(std::int32_t type, const std::vector<bool>& chosen) const;
  void drop_edges_except(const std::vector<bool>& chosen);
  Types types_joined_to(const std::vector<bool>& chosen) const { return types_at(chosen, false); }
  Types types_at(const std::vector<bool>& chosen, bool keep_edgeless) const;
  double frequency_of(std::int32_t type) const;
  std::vector<bool> mark(std::span<const NodeId> chosen) const;
  std::vector<NodeId> choose_fixed(Rng& rng) const;
  bool is_from_here(const Market& market) const;
  std::vector<NodeId> positions_of(std::span<const NodeId> chosen) const;
  void find_edges(std::int32_t type, std::span<const NodeId> positions, Edges& edges) const;

  BaseGraph graph_;
  SamplingOptions options_;
  std::string origin_;
  std::vector<NodeId> pool_;    // fixed nodes that may be chosen
  std::vector<NodeId> shared_;  // the chosen set, if all instances share it
  Types types_;  // those with an edge to the pool or to the shared set, or all that arrive
};

}  // namespace foresight
