// A user's own base graph: a folder of CSV files with headers, columns in any order.
//   edges.csv     node and type, a fixed node and a type of arrival joined by an edge; optional
//                 weight, cost
//   fixed.csv     optional file: node, optional capacity or budget, optional topics as A|B|C,
//                 attributes
//   arrivals.csv  optional file: type, optional frequency, optional prefer:TOPIC, attributes
// Nodes and types are any text. All other columns are attributes. A weight that is not given is 1.
// If fixed.csv or arrivals.csv exists, it lists all nodes of its side in their order. Otherwise
// nodes are numbered as they appear in edges.csv. A type arrives in proportion to its frequency;
// with frequency 0 it never arrives. With topics but without prefer:TOPIC columns, every topic is
// worth 1. The problem is gen-assignment if edges have costs, else osbm if there are topics, else
// adwords if there are budgets, else e-obm. Older files say u for node and v for type in edges.csv,
// and id in the other two.
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/data/base_graph.h"
#include "foresight/data/tables_internal.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;

struct CsvSourceOptions {
  SamplingOptions sampling;
  std::string path;
  std::string edgeless = "redraw";

  void read(OptionReader& o) {
    o.path("path", path, "folder with edges.csv and, optionally, fixed.csv and arrivals.csv");
    sampling.read(o, "fixed");
    o.choice("edgeless", edgeless, {"redraw", "keep"},
             "arrivals without an edge to the chosen nodes: drawn again, or kept as they come");
    sampling.keep_edgeless = edgeless == "keep";
  }
};

void read_arrivals(const fs::path& file, BaseGraph& graph, Ids& types) {
  CsvReader csv(file);
  const ColumnName name("type", "id");
  const std::size_t type = column_of(csv, name);
  const auto frequency = csv.find_column("frequency");
  const auto preferences = preference_columns(csv, graph.schema.topics);
  const Columns others = Columns::attributes(csv, {name, "frequency", "prefer:"});
  graph.schema.arrival_attributes = others.names;
  double total = 0;
  while (csv.next()) {
    read_new_name(csv, type, types);
    if (frequency) total += graph.frequencies.emplace_back(read_amount(csv, *frequency));
    for (const auto column : preferences) graph.preferences.push_back(read_amount(csv, column));
    for (const auto column : others.positions) {
      graph.arrival_attributes.push_back(read_number(csv, column));
    }
  }
  if (types.size() == 0) fail(ErrorCode::kData, "{}: the file lists no arrival", file.string());
  if (frequency && total <= 0) {
    fail(ErrorCode::kData, "{}: column \"frequency\" is 0 in all lines, expected a number above 0",
         file.string());
  }
}

BaseGraph load_tables(const fs::path& folder) {
  const bool has_fixed = path_exists(folder / "fixed.csv");
  const bool has_arrivals = path_exists(folder / "arrivals.csv");
  FixedTable fixed = has_fixed ? FixedTable::read(folder / "fixed.csv") : FixedTable();
  BaseGraph graph;
  CsvReader csv(folder / "edges.csv");
  const auto cost = csv.find_column("cost");
  graph.schema = {.problem = fixed.problem(cost.has_value()),
                  .fixed_attributes = std::move(fixed.attribute_names),
                  .topics = std::move(fixed.topics)};
  graph.fixed_attributes = std::move(fixed.attributes);
  graph.schema.capacities = !fixed.capacities.empty();
  graph.schema.costs = cost.has_value();
  graph.capacities = std::move(fixed.capacities);
  graph.topic_sets = std::move(fixed.topic_sets);
  Ids types;
  if (has_arrivals) read_arrivals(folder / "arrivals.csv", graph, types);

  const ColumnName node_name("node", "u"), type_name("type", "v");
  expect_columns(csv, {node_name, type_name, "weight", "cost"});
  const std::size_t node_column = column_of(csv, node_name);
  const std::size_t type_column = column_of(csv, type_name);
  const auto weight = csv.find_column("weight");
  std::vector<BaseEdge> edges;
  while (csv.next()) {
    const NodeId node = has_fixed
                            ? read_known_id(csv, node_column, fixed.nodes, "a node of fixed.csv")
                            : fixed.nodes.number(read_name(csv, node_column));
    const std::int32_t type = has_arrivals
                                  ? read_known_id(csv, type_column, types, "a type of arrivals.csv")
                                  : types.number(read_name(csv, type_column));
    edges.push_back({type, node, weight ? read_amount(csv, *weight) : 1, csv.line(),
                     cost ? read_amount(csv, *cost) : 0});
  }
  graph.fixed_names = fixed.nodes.texts();
  graph.type_names = types.texts();
  graph.num_fixed = static_cast<NodeId>(fixed.nodes.size());
  set_edges(graph, std::move(edges), types.size(), csv.path());
  if (graph.preferences.empty()) {
    graph.preferences.assign(graph.num_types() * graph.schema.topics.size(), 1);
  }
  return graph;
}

class CsvSource : public BaseGraphSource {
 public:
  explicit CsvSource(const CsvSourceOptions& options)
      : BaseGraphSource(
            load_tables(required_path(options.path, "csv",
                                      "a folder with edges.csv and, optionally, fixed.csv and "
                                      "arrivals.csv")),
            options.sampling, options.path) {}
};

}  // namespace

Entry<Source> csv_source() {
  return make_entry<Source, CsvSource, CsvSourceOptions>(
      "csv", "your own base graph: edges.csv, optional fixed.csv and arrivals.csv");
}

}  // namespace foresight
