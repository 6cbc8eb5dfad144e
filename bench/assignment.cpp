// Hindsight optima of edge-weighted matching: microseconds per instance.
//
//   bench_assignment [--json]                        built-in random instances
//   bench_assignment [--json] ROWS COLUMNS FILE      the matrices of raw doubles in FILE
//
// Each figure is the CPU time of the best round over the whole batch, so that other work on the
// machine counts as little as possible. bench/assignment_vs_scipy.py runs SciPy on the same
// matrices.
#include "foresight/solve/assignment.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace foresight;

/// Instances of one shape, as edges, and as matrices unless these are too large.
struct Batch {
  NodeId rows;
  NodeId columns;
  std::size_t count;
  std::vector<double> matrices = {};
  std::vector<std::int64_t> edge_begin = {0};
  std::vector<NodeId> nodes = {};
  std::vector<float> weights = {};
  std::vector<Instance> instances = {};

  std::size_t num_columns() const { return static_cast<std::size_t>(columns); }
  std::size_t matrix_size() const { return static_cast<std::size_t>(rows) * num_columns(); }
  std::span<const double> matrix(std::size_t i) const {
    return std::span(matrices).subspan(i * matrix_size(), matrix_size());
  }
  void add_edge(NodeId node, double weight) {
    nodes.push_back(node);
    weights.push_back(static_cast<float>(weight));
  }
  void end_arrival() { edge_begin.push_back(std::ssize(nodes)); }
  /// Call it once, when the arrays no longer move.
  void view_instances() {
    for (std::size_t i = 0; i < count; ++i) {
      InstanceView view;
      view.market.num_fixed = rows;
      view.market.horizon = Horizon::known(columns);
      view.edge_begin = std::span(edge_begin).subspan(i * num_columns(), num_columns() + 1);
      view.nodes = nodes;
      view.weights = weights;
      instances.emplace_back(view, nullptr);
    }
  }
};

Batch from_matrices(NodeId rows, NodeId columns, std::vector<double> matrices) {
  Batch batch{rows, columns, 0, std::move(matrices)};
  batch.count = batch.matrices.size() / batch.matrix_size();
  for (std::size_t i = 0; i < batch.count; ++i) {
    for (std::size_t v = 0; v < batch.num_columns(); ++v) {
      for (NodeId u = 0; u < rows; ++u) {
        const double weight =
            batch.matrix(i)[static_cast<std::size_t>(u) * batch.num_columns() + v];
        if (weight > 0) batch.add_edge(u, weight);
      }
      batch.end_arrival();
    }
  }
  batch.view_instances();
  return batch;
}

Batch random_matrices(NodeId rows, NodeId columns, std::size_t count, double density) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> matrices(static_cast<std::size_t>(rows * columns) * count);
  for (double& weight : matrices) weight = uniform(random) < density ? uniform(random) : 0;
  return from_matrices(rows, columns, std::move(matrices));
}

Batch random_edges(NodeId rows, NodeId columns, std::size_t degree) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  std::uniform_int_distribution<NodeId> node(0, rows - 1);
  Batch batch{rows, columns, 1};
  for (NodeId v = 0; v < columns; ++v) {
    std::vector<NodeId> chosen(degree);
    for (NodeId& u : chosen) u = node(random);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const NodeId u : chosen) batch.add_edge(u, uniform(random));
    batch.end_arrival();
  }
  batch.view_instances();
  return batch;
}

struct Timing {
  double microseconds = std::numeric_limits<double>::infinity();  // per instance
  double value = 0;                                               // of all instances together
};

/// Solves the batch for half a second and at least three times. The best round counts.
template <typename Solve>
Timing measure(const Batch& batch, Solve solve) {
  const std::size_t repeats =
      1 + 20'000 / (1 + batch.nodes.size());  // the clock ticks in microseconds
  Timing timing;
  const std::clock_t start = std::clock();
  for (int round = 0; round < 3 || std::clock() - start < CLOCKS_PER_SEC / 2; ++round) {
    const std::clock_t begin = std::clock();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      timing.value = 0;
      for (std::size_t i = 0; i < batch.count; ++i) timing.value += solve(i).value;
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double each = 1e6 * seconds / static_cast<double>(batch.count * repeats);
    timing.microseconds = std::min(timing.microseconds, each);
  }
  return timing;
}

void report(const Batch& batch, bool json) {
  AssignmentSolver solver;
  const std::string line =
      json ? "{{\"rows\": {}, \"columns\": {}, \"instances\": {}, \"edges\": {}, \"method\": "
             "\"{}\", "
             "\"microseconds\": {}, \"value\": {}}}\n"
           : "{:5} x {:<6} {:4} instances, {:8} edges   {:12} {:12.2f} us   value {:.6f}\n";
  const auto print = [&](const char* method, const Timing& timing) {
    fmt::print(fmt::runtime(line), batch.rows, batch.columns, batch.count, batch.nodes.size(),
               method, timing.microseconds, timing.value);
  };
  print("solve", measure(batch, [&](std::size_t i) -> const Assignment& {
          return solver.solve(batch.instances[i]);
        }));
  print("solve_sparse", measure(batch, [&](std::size_t i) -> const Assignment& {
          const InstanceView& view = batch.instances[i].view();
          return solver.solve_sparse(batch.rows, view.edge_begin, view.nodes, view.weights);
        }));
  if (batch.matrices.empty()) return;
  print("solve_dense", measure(batch, [&](std::size_t i) -> const Assignment& {
          return solver.solve_dense(batch.rows, batch.columns, batch.matrix(i));
        }));
  print("solve_full", measure(batch, [&](std::size_t i) -> const Assignment& {
          return solver.solve_full(batch.rows, batch.columns, batch.matrix(i));
        }));
}

Batch read(NodeId rows, NodeId columns, const char* file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream || rows <= 0 || columns <= 0) {
    fmt::print(stderr, "there are no {} x {} matrices in {}\n", rows, columns, file);
    std::exit(2);
  }
  std::vector<double> matrices(static_cast<std::size_t>(stream.tellg()) / sizeof(double));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(matrices.data()),
              static_cast<std::streamsize>(matrices.size() * sizeof(double)));
  return from_matrices(rows, columns, std::move(matrices));
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const std::vector<char*> arguments(argv + 1 + json, argv + argc);
  if (arguments.size() == 3) {
    report(read(std::atoi(arguments[0]), std::atoi(arguments[1]), arguments[2]), json);
    return 0;
  }
  if (!arguments.empty()) {
    fmt::print(stderr, "usage: {} [--json] [ROWS COLUMNS FILE]\n", argv[0]);
    return 2;
  }
  for (const double density : {1.0, 0.1}) {
    report(random_matrices(10, 30, 200, density), json);
    report(random_matrices(100, 100, 20, density), json);
    report(random_matrices(1000, 1000, 1, density), json);
  }
  report(random_edges(2'000, 50'000, 10), json);
}
