// Hindsight optima: of a matrix, as SciPy's linear_sum_assignment, and of datasets.
#include <limits>

#include "bindings.h"
#include "long_call.h"
#include "options.h"
#include "python_dataset.h"

#include "foresight/base/error.h"
#include "foresight/solve/assignment.h"
#include "foresight/solve/solver.h"

namespace foresight::python {
namespace {

/// Matrices smaller than this are solved faster than the interpreter's lock is let go and taken.
constexpr std::size_t kSmall = 1000;

NodeId node_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<NodeId>::max())) {
    fail(ErrorCode::kData, "a side of {} nodes is too large", count);
  }
  return static_cast<NodeId>(count);
}

AssignmentSolver& solver() {
  thread_local AssignmentSolver reused;
  return reused;
}

/// Rows and columns of the pairs, by row, as NumPy indexes; `row_of` says the row of each column.
nb::tuple pairs(const std::vector<NodeId>& row_of, NodeId num_rows) {
  std::vector<std::int64_t> column_of(static_cast<std::size_t>(num_rows), kSkip);
  for (std::size_t column = 0; column < row_of.size(); ++column) {
    if (row_of[column] != kSkip) {
      column_of[static_cast<std::size_t>(row_of[column])] = static_cast<std::int64_t>(column);
    }
  }
  std::vector<std::int64_t> rows, columns;
  for (std::size_t row = 0; row < column_of.size(); ++row) {
    if (column_of[row] == kSkip) continue;
    rows.push_back(static_cast<std::int64_t>(row));
    columns.push_back(column_of[row]);
  }
  return nb::make_tuple(array(std::move(rows)), array(std::move(columns)));
}

/// Calls `solve` without the interpreter's lock where that pays.
template <typename Solve>
std::vector<NodeId> matching(std::size_t work, Solve&& solve) {
  if (work <= kSmall) return solve().matching;
  const nb::gil_scoped_release released;
  return solve().matching;
}

}  // namespace

void define_solve(nb::module_& module) {
  module.def(
      "solve_full",
      [](const Values<double, 2>& weights) {
        const NodeId rows = node_count(weights.shape(0)), columns = node_count(weights.shape(1));
        const auto row_of = matching(weights.size(), [&]() -> const Assignment& {
          return solver().solve_full(rows, columns, span_of<double, 2>(weights));
        });
        return pairs(row_of, rows);
      },
      nb::arg("weights"),
      nb::sig("def solve_full(weights: numpy.typing.NDArray[numpy.float64]) -> "
              "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]"),
      DOC(AssignmentSolver_solve_full));
  module.def(
      "solve_dense",
      [](const Values<double, 2>& weights) {
        const NodeId rows = node_count(weights.shape(0)), columns = node_count(weights.shape(1));
        const auto row_of = matching(weights.size(), [&]() -> const Assignment& {
          return solver().solve_dense(rows, columns, span_of<double, 2>(weights));
        });
        return pairs(row_of, rows);
      },
      nb::arg("weights"),
      nb::sig("def solve_dense(weights: numpy.typing.NDArray[numpy.float64]) -> "
              "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]"),
      DOC(AssignmentSolver_solve_dense));
  module.def(
      "solve_sparse",
      [](NodeId num_fixed, const Values<std::int64_t>& edge_begin, const Values<NodeId>& nodes,
         const Values<float>& weights) {
        InstanceView view;
        view.market.num_fixed = num_fixed;
        view.market.horizon = Horizon::known(static_cast<int>(edge_begin.size()) - 1);
        view.edge_begin = span_of<std::int64_t, 1>(edge_begin);
        view.nodes = span_of<NodeId, 1>(nodes);
        view.weights = span_of<float, 1>(weights);
        validate(view);
        return array(matching(weights.size(), [&]() -> const Assignment& {
          return solver().solve_sparse(num_fixed, view.edge_begin, view.nodes, view.weights);
        }));
      },
      nb::arg("num_fixed"), nb::arg("edge_begin"), nb::arg("nodes"), nb::arg("weights"),
      DOC(AssignmentSolver_solve_sparse));
  module.def(
      "solve_dataset",
      [](const PythonDataset& data, const nb::dict& given, nb::object show) {
        const auto options = read_options<SolveOptions>("solve", given);
        LongCall call(std::move(show));
        return call.run([&] { return PythonDataset(solve(data.bound(), options, call)); });
      },
      nb::arg("data"), nb::arg("options"), nb::arg("show").none(), DOC(solve));
}

}  // namespace foresight::python
