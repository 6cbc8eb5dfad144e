// The gMission crowdsourcing base graph. Workers are the fixed nodes, tasks arrive, and a match is
// worth the task's payoff times the worker's probability of success. A folder holds three files
// without headers:
//   workers.txt  id,x,y,radius,success
//   tasks.txt    id,x,y,payoff
//   edges.txt    worker;task,weight      (ids are printed as floats: `1.0;8.0,10.3897`)
// Weights are divided by the largest weight in edges.txt.
#include <algorithm>

#include "foresight/base/error.h"
#include "foresight/data/base_graph.h"
#include "foresight/data/tables_internal.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;

struct GMissionOptions {
  SamplingOptions sampling;
  std::string path;

  void read(OptionReader& o) {
    o.path("path", path, "folder with workers.txt, tasks.txt and edges.txt");
    sampling.read(o, "workers");
  }
};

/// "8.0" names the same node as "8".
std::string_view trim_id(std::string_view id) {
  if (id.ends_with(".0")) id.remove_suffix(2);
  return id;
}

/// Reads ids into `ids` and all other columns into rows of attributes.
void read_nodes(PlainReader&& csv, Ids& ids, std::vector<float>& attributes) {
  while (csv.next()) {
    read_new_id(csv, 0, ids);
    for (std::size_t i = 1; i < csv.num_columns(); ++i) attributes.push_back(read_number(csv, i));
  }
}

std::vector<BaseEdge> read_edges(const fs::path& file, const Ids& workers, const Ids& tasks) {
  PlainReader csv(file, {"worker;task", "weight"});
  std::vector<BaseEdge> edges;
  float largest = 0;
  while (csv.next()) {
    const std::string_view pair = csv.text(0);
    const std::size_t worker_end = std::min(pair.find(';'), pair.size());
    const std::size_t task_begin = std::min(worker_end + 1, pair.size());
    const auto worker = workers.find(trim_id(pair.substr(0, worker_end)));
    const auto task = tasks.find(trim_id(pair.substr(task_begin)));
    if (!worker || !task) csv.fail_at(0, "a worker of workers.txt, ';' and a task of tasks.txt");
    edges.push_back({*task, *worker, read_amount(csv, 1), csv.line()});
    largest = std::max(largest, edges.back().weight);
  }
  if (largest <= 0) fail(ErrorCode::kData, "{}: no edge has a weight above 0", file.string());
  for (BaseEdge& edge : edges) edge.weight /= largest;
  return edges;
}

BaseGraph load_gmission(const fs::path& folder) {
  BaseGraph graph;
  graph.schema = {.problem = "e-obm",
                  .fixed_attributes = {"x", "y", "radius", "success"},
                  .arrival_attributes = {"x", "y", "payoff"},
                  .topics = {}};
  Ids workers, tasks;
  read_nodes({folder / "workers.txt", {"id", "x", "y", "radius", "success"}}, workers,
             graph.fixed_attributes);
  read_nodes({folder / "tasks.txt", {"id", "x", "y", "payoff"}}, tasks, graph.arrival_attributes);
  graph.num_fixed = static_cast<NodeId>(workers.size());
  const fs::path file = folder / "edges.txt";
  set_edges(graph, read_edges(file, workers, tasks), tasks.size(), file);
  return graph;
}

class GMission : public BaseGraphSource {
 public:
  explicit GMission(const GMissionOptions& options)
      : BaseGraphSource(
            load_gmission(required_path(options.path, "gmission",
                                        "a folder with workers.txt, tasks.txt and edges.txt")),
            options.sampling, options.path) {}
};

}  // namespace

Entry<Source> gmission_source() {
  return make_entry<Source, GMission, GMissionOptions>(
      "gmission", "crowdsourcing: the gMission base graph of workers and tasks, from files");
}

}  // namespace foresight
