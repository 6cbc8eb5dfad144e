// Instances, datasets and sources. Arrays are shared with NumPy in both directions, not copied.
#include <algorithm>
#include <numeric>

#include "arguments.h"
#include "bindings.h"
#include "long_call.h"
#include "options.h"
#include "python_dataset.h"
#include "python_object.h"
#include "python_policy.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/base/error.h"
#include "foresight/data/select.h"
#include "foresight/problem/bound.h"

namespace foresight::python {
namespace {

/// Keeps Python's arrays alive, and lets go of them under the interpreter's lock.
std::shared_ptr<const void> keep(nb::list objects) {
  return {new nb::list(std::move(objects)), [](const void* pointer) {
            const nb::gil_scoped_acquire acquired;
            delete static_cast<const nb::list*>(pointer);
          }};
}

/// A function of the package that knows arrays.
nb::object helper(const char* name) {
  return nb::module_::import_("foresight._arrays").attr(name);
}

template <typename T>
const char* dtype_name() {
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "uint8";
  return "float64";
}

/// Takes what the user gave under the array's name, in place where type and layout fit. Raises
/// TypeError and ValueError for values that the type cannot hold.
void take(DatasetArray& array, nb::handle given, nb::list& kept) {
  std::visit(
      [&]<typename T>(std::span<const T>& values) {
        nb::object fitting =
            helper("fitting")("array \"" + array.name + "\"", given, dtype_name<T>());
        const auto used = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(fitting);
        if (used.ndim() == 0 || used.ndim() > 2) {
          fail(ErrorCode::kData, "array \"{}\" must have one or two dimensions, got {}", array.name,
               used.ndim());
        }
        values = {used.data(), used.size()};
        array.width = used.ndim() == 2 ? used.shape(1) : 1;
        kept.append(fitting);
      },
      array.values);
}

PythonDataset from_arrays(nb::handle given, nb::handle problem, nb::handle source, nb::handle seed,
                          nb::handle fixed_attributes, nb::handle arrival_attributes,
                          nb::handle topics, nb::handle fixed_names, nb::handle arrival_names) {
  if (!nb::isinstance<nb::dict>(given)) {
    reject_argument("from_arrays: arrays", "a dict of arrays by name", given);
  }
  const Schema schema{text_argument("from_arrays: problem", problem),
                      names_argument("from_arrays: fixed_attributes", fixed_attributes),
                      names_argument("from_arrays: arrival_attributes", arrival_attributes),
                      names_argument("from_arrays: topics", topics)};
  problems().canonical(schema.problem);  // is there such a problem?
  const Provenance provenance{text_argument("from_arrays: source", source),
                              whole_argument("from_arrays: seed", seed)};
  const auto known = Dataset::gather({}, {}, {}).arrays();
  std::vector<DatasetArray> arrays;
  nb::list kept;
  const nb::object named = helper("with_names")(given, fixed_names, arrival_names);
  for (const auto& [key, value] : nb::borrow<nb::dict>(named)) {
    const std::string name = text_argument("from_arrays: the name of an array", key);
    const auto array = std::ranges::find(known, name, &DatasetArray::name);
    if (name == "fixed.budget") {
      fail(ErrorCode::kData, "a dataset has no array \"fixed.budget\"; use \"fixed.capacity\"");
    }
    if (array == known.end()) fail(ErrorCode::kData, "a dataset has no array \"{}\"", name);
    arrays.push_back(*array);
    take(arrays.back(), value, kept);
  }
  const auto storage = keep(std::move(kept));
  const nb::gil_scoped_release released;
  return PythonDataset(Dataset::wrap(schema, provenance, arrays, storage));
}

/// The arrays that are there, as views that keep the dataset alive.
nb::dict arrays_of(nb::handle self) {
  nb::dict arrays;
  for (const DatasetArray& array : nb::cast<const PythonDataset&>(self).arrays()) {
    std::visit(
        [&](auto values) {
          if (!values.empty()) {
            arrays[array.name.c_str()] = view(values, array.width, self);
          }
        },
        array.values);
  }
  return arrays;
}

/// A position from the start; negative ones count from the end, as everywhere in Python.
std::size_t position_in(const PythonDataset& data, nb::handle given) {
  if (!is_whole_number(given)) reject_argument("the index of an instance", "a whole number", given);
  const auto size = static_cast<std::ptrdiff_t>(data.size());
  std::ptrdiff_t i = 0;
  if (!nb::try_cast(nb::int_(given), i) || i < -size || i >= size) {
    throw nb::index_error(
        fmt::format("there is no instance {}; there are {}", shown(given), size).c_str());
  }
  return static_cast<std::size_t>(i < 0 ? i + size : i);
}

Instance instance_at(const PythonDataset& data, nb::handle given) {
  if (!is_whole_number(given)) throw nb::next_overload();
  return data.instance(position_in(data, given));
}

PythonDataset instances_at(const PythonDataset& data, nb::handle given) {
  const auto chosen = nb::cast<Values<std::int64_t>>(helper("positions")(given, data.size()));
  const std::vector<std::size_t> indices(chosen.data(), chosen.data() + chosen.size());
  const nb::gil_scoped_release released;
  return PythonDataset(data.select(indices));
}

PythonDataset join_all(const std::vector<PythonDataset>& parts) {
  const nb::gil_scoped_release released;
  return PythonDataset(join(std::vector<Dataset>(parts.begin(), parts.end())));
}

nb::object add(const PythonDataset& data, nb::handle other) {
  if (!nb::isinstance<PythonDataset>(other)) return nb::borrow(Py_NotImplemented);
  return nb::cast(join_all({data, nb::cast<const PythonDataset&>(other)}));
}

Part part_of(const std::string& name, nb::handle size) {
  if (is_whole_number(size)) return {name, whole_argument("split: " + name, size)};
  if (is_number(size)) return {name, nb::cast<double>(nb::float_(size))};
  if (nb::isinstance<nb::str>(size) && nb::cast<std::string>(size) == "rest") {
    return {name, Part::Rest()};
  }
  reject_argument("split: " + name, "a number of instances, a share (0.7) or \"rest\"", size);
}

std::vector<PythonDataset> split_dataset(const PythonDataset& data, const nb::dict& given,
                                         nb::handle shuffle_seed) {
  std::vector<Part> parts;
  for (const auto& [name, size] : given)
    parts.push_back(part_of(nb::cast<std::string>(name), size));
  std::optional<std::uint64_t> seed;
  if (!shuffle_seed.is_none()) seed = whole_argument("split: shuffle_seed", shuffle_seed);
  const nb::gil_scoped_release released;
  std::vector<PythonDataset> datasets;
  for (Dataset& part : split(data, parts, seed)) datasets.emplace_back(std::move(part));
  return datasets;
}

/// The name of each arrival's node, its number if it has no name, and None for a skip.
nb::list matching_names(const Instance& instance, nb::handle given) {
  const nb::object fitting = helper("fitting")("matching_names: matching", given, "int32");
  const auto matching = nb::cast<nb::ndarray<const NodeId, nb::c_contig, nb::device::cpu>>(fitting);
  if (matching.ndim() != 1 ||
      matching.size() != static_cast<std::size_t>(instance.num_arrivals())) {
    fail(ErrorCode::kUsage, "matching_names: expected one node for each of {} arrivals, got {}",
         instance.num_arrivals(), matching.size());
  }
  const Market& market = instance.market();
  nb::list names;
  for (const NodeId node : std::span(matching.data(), matching.size())) {
    if (node < kSkip || node >= market.num_fixed) {
      fail(ErrorCode::kUsage, "matching_names: a node must be -1..{}, got {}", market.num_fixed - 1,
           node);
    }
    if (node == kSkip) {
      names.append(nb::none());
      continue;
    }
    const std::string_view name = market.names[static_cast<std::size_t>(node)];
    const std::string text = name.empty() ? fmt::to_string(node) : std::string(name);
    names.append(nb::cast(text));
  }
  return names;
}

void define_label(nb::module_& module) {
  nb::class_<Label>(module, "Label", DOC(Label))
      .def_ro("value", &Label::value, DOC(Label_value))
      .def_ro("bound", &Label::bound, DOC(Label_bound))
      .def_prop_ro(
          "matching", [](const Label& label) { return array(label.matching); },
          "Per arrival: a fixed node, or -1 for skip.")
      .def_prop_ro("proven", &Label::proven, "Is it proven that no matching is worth more?");
}

void define_instance(nb::module_& module) {
  const auto rows = [](const Rows& table, nb::handle self) {
    return view(table.values, table.width, self);
  };
  nb::class_<Instance>(module, "Instance", DOC(Instance))
      .def_prop_ro("num_fixed", [](const Instance& x) { return x.market().num_fixed; })
      .def_prop_ro("num_arrivals", &Instance::num_arrivals)
      .def_prop_ro("num_edges", &Instance::num_edges)
      .def_prop_ro(
          "edge_begin",
          [](const Instance& x) {
            std::vector<std::int64_t> positions(x.view().edge_begin.begin(),
                                                x.view().edge_begin.end());
            const std::int64_t first = positions.front();
            for (std::int64_t& position : positions) position -= first;
            return array(std::move(positions));
          },
          "Where the edges of each arrival begin in `nodes` and `weights`, and where the last end: "
          "the `indptr` of a CSR matrix.")
      .def_prop_ro(
          "nodes",
          [](nb::handle self) {
            const auto& x = nb::cast<const Instance&>(self);
            return view(x.view().nodes.subspan(static_cast<std::size_t>(x.view().edge_begin[0]),
                                               static_cast<std::size_t>(x.num_edges())),
                        self);
          },
          "The fixed node of each edge: the `indices` of a CSR matrix. A view.")
      .def_prop_ro(
          "weights",
          [](nb::handle self) {
            const auto& x = nb::cast<const Instance&>(self);
            return view(x.view().weights.subspan(static_cast<std::size_t>(x.view().edge_begin[0]),
                                                 static_cast<std::size_t>(x.num_edges())),
                        self);
          },
          "The weight of each edge: the `data` of a CSR matrix. A view.")
      .def_prop_ro(
          "costs",
          [](nb::handle self) {
            const auto& x = nb::cast<const Instance&>(self);
            const auto costs = x.view().costs;
            if (costs.empty()) return view(costs, self);
            return view(costs.subspan(static_cast<std::size_t>(x.view().edge_begin[0]),
                                      static_cast<std::size_t>(x.num_edges())),
                        self);
          },
          "The cost of each edge: what a match takes of its node. Empty if edges have none. A "
          "view.")
      .def_prop_ro(
          "capacities",
          [](nb::handle self) {
            return view(nb::cast<const Instance&>(self).market().capacities, self);
          },
          DOC(Market_capacities))
      .def_prop_ro(
          "names", [](const Instance& x) { return copied(x.market().names); },
          "The names of the fixed nodes, \"\" for one without; empty if none has one.")
      .def_prop_ro(
          "arrival_names", [](const Instance& x) { return copied(x.view().names); },
          "The names of the arrivals likewise.")
      .def(
          "matching_names", &matching_names, nb::arg("matching").none(),
          nb::sig("def matching_names(self, matching: numpy.typing.ArrayLike) -> list[str | None]"),
          "A matching, a fixed node or -1 per arrival, in names: the name of each arrival's node "
          "(its number, if it has no name), or None for a skip.")
      .def_prop_ro(
          "ids",
          [](nb::handle self) { return view(nb::cast<const Instance&>(self).market().ids, self); },
          DOC(Market_ids))
      .def_prop_ro(
          "fixed_attributes",
          [rows](nb::handle self) {
            return rows(nb::cast<const Instance&>(self).market().attributes, self);
          },
          DOC(Market_attributes))
      .def_prop_ro(
          "types",
          [](nb::handle self) { return view(nb::cast<const Instance&>(self).view().types, self); },
          DOC(InstanceView_types))
      .def_prop_ro(
          "preferences",
          [rows](nb::handle self) {
            return rows(nb::cast<const Instance&>(self).view().preferences, self);
          },
          DOC(InstanceView_preferences))
      .def_prop_ro(
          "arrival_attributes",
          [rows](nb::handle self) {
            return rows(nb::cast<const Instance&>(self).view().attributes, self);
          },
          DOC(InstanceView_attributes))
      .def(
          "to_scipy",
          [](nb::handle self) -> nb::object {
            const nb::object sparse = nb::module_::import_("scipy.sparse");
            return sparse.attr("csr_array")(
                nb::make_tuple(self.attr("weights"), self.attr("nodes"), self.attr("edge_begin")),
                nb::arg("shape") =
                    nb::make_tuple(self.attr("num_arrivals"), self.attr("num_fixed")));
          },
          nb::sig("def to_scipy(self) -> typing.Any"),
          "The weights as a SciPy CSR array: a row per arrival, a column per fixed node.")
      .def("__eq__", [](const Instance& x, nb::handle other) {
        return nb::isinstance<Instance>(other) && x == nb::cast<const Instance&>(other);
      });
}

void define_source(nb::module_& module) {
  nb::class_<BoundSource>(module, "Source", "Where instances come from, named by a spec string.")
      .def_static(
          "make", [](nb::handle spec) { return bind_source(text_argument("Source: spec", spec)); },
          nb::arg("spec").none(), nb::sig("def make(spec: str) -> Source"))
      .def(
          "draw",
          [](const BoundSource& source, nb::handle seed, nb::handle index) {
            return source.draw(whole_argument("draw: seed", seed),
                               whole_argument("draw: index", index));
          },
          nb::arg("seed").none(), nb::arg("index").none(),
          nb::sig("def draw(self, seed: int, index: int) -> Instance"), DOC(Source_draw))
      .def_prop_ro("size", &BoundSource::size, DOC(Source_size))
      .def_prop_ro(
          "problem", [](const BoundSource& source) { return source.schema().problem; },
          DOC(Schema_problem));
}

void define_dataset(nb::module_& module) {
  nb::class_<PythonDataset>(module, "Dataset",
                            "Many instances of one source, optionally with their hindsight optima. "
                            "Immutable, compared by value.")
      .def_static(
          "load",
          [](nb::handle given) {
            const std::filesystem::path path = path_argument("load: path", given);
            const nb::gil_scoped_release released;
            return PythonDataset(Dataset::load(path));
          },
          nb::arg("path").none(), nb::sig("def load(path: str | os.PathLike) -> Dataset"),
          DOC(Dataset_load))
      .def_static(
          "from_arrays", &from_arrays,
          nb::sig("def from_arrays(arrays: dict[str, typing.Any], problem: str = 'e-obm', source: "
                  "str = '', seed: int = 0, fixed_attributes: collections.abc.Sequence[str] = ..., "
                  "arrival_attributes: collections.abc.Sequence[str] = ..., topics: "
                  "collections.abc.Sequence[str] = ..., fixed_names: "
                  "collections.abc.Sequence[str] | None = None, arrival_names: "
                  "collections.abc.Sequence[str] | None = None) -> Dataset"),
          nb::arg("arrays").none(), nb::arg("problem").none() = "e-obm",
          nb::arg("source").none() = "", nb::arg("seed").none() = 0,
          nb::arg("fixed_attributes").none() = Names(),
          nb::arg("arrival_attributes").none() = Names(), nb::arg("topics").none() = Names(),
          nb::arg("fixed_names") = nb::none(), nb::arg("arrival_names") = nb::none(),
          "Uses NumPy arrays under the names of docs/formats.md where they are, without a "
          "copy if their type fits, and checks everything in them once; labels are checked when "
          "they are first used. The arrays must not be changed afterwards. `fixed_names` and "
          "`arrival_names` name the nodes of all instances, one after the other; \"\" is no name.")
      .def(
          "save",
          [](const PythonDataset& data, nb::handle given) {
            const std::filesystem::path path = path_argument("save: path", given);
            const nb::gil_scoped_release released;
            data.save(path);
          },
          nb::arg("path").none(), nb::sig("def save(self, path: str | os.PathLike) -> None"),
          DOC(Dataset_save))
      .def_prop_ro(
          "arrays", &arrays_of,
          "The arrays by name, as read-only views: no copy. docs/formats.md explains them.")
      .def("__len__", &Dataset::size)
      .def("__getitem__", &instance_at, nb::arg("index").none(),
           nb::sig("def __getitem__(self, index: int) -> Instance"))
      .def("__getitem__", &instances_at, nb::arg("index").none(),
           nb::sig("def __getitem__(self, index: slice | collections.abc.Sequence[int] | "
                   "numpy.typing.NDArray[typing.Any]) -> Dataset"),
           "A slice, a list of indices or a mask (one bool per instance) gives a dataset of these "
           "instances, with their labels.")
      .def(
          "__iter__",
          [](nb::handle self) {
            return nb::module_::import_("foresight._data").attr("instances_of")(self);
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Instance]"))
      .def("__add__", &add, nb::arg("other").none(), nb::is_operator(),
           nb::sig("def __add__(self, other: Dataset) -> Dataset"),
           "The instances of both, one after the other.")
      .def(
          "label",
          [](const PythonDataset& data, nb::handle index) {
            return data.label(position_in(data, index));
          },
          nb::arg("index").none(), nb::sig("def label(self, index: int) -> Label"), DOC(Label))
      .def("__eq__",
           [](const PythonDataset& data, nb::handle other) {
             return nb::isinstance<PythonDataset>(other) &&
                    data == nb::cast<const PythonDataset&>(other);
           })
      .def_prop_ro(
          "problem", [](const PythonDataset& data) { return data.schema().problem; },
          DOC(Schema_problem))
      .def_prop_ro(
          "source", [](const PythonDataset& data) { return data.provenance().source; },
          "The spec of the source that they were drawn from.")
      .def_prop_ro("seed", [](const PythonDataset& data) { return data.provenance().seed; })
      .def_prop_ro("fixed_attributes",
                   [](const PythonDataset& data) { return data.schema().fixed_attributes; })
      .def_prop_ro("arrival_attributes",
                   [](const PythonDataset& data) { return data.schema().arrival_attributes; })
      .def_prop_ro("topics", [](const PythonDataset& data) { return data.schema().topics; })
      .def_prop_ro("num_arrivals", &Dataset::num_arrivals)
      .def_prop_ro("num_edges", &Dataset::num_edges)
      .def_prop_ro("labelled", &Dataset::labelled, "Are the hindsight optima there?")
      .def_prop_ro("digest", &Dataset::digest, DOC(Dataset_digest))
      .def_prop_ro(
          "horizon", [](const PythonDataset& data) { return data.schema().horizon.to_string(); },
          "What policies are told of the number of arrivals: \"known\", \"unknown\" or "
          "\"expected(MEAN,DEVIATION)\".")
      .def(
          "with_horizon",
          [](const PythonDataset& data, nb::handle given) {
            const std::string horizon = text_argument("with_horizon: horizon", given);
            const nb::gil_scoped_release release;  // as `bound` asks for
            return PythonDataset(data.with_horizon(choose_horizon(horizon, data.bound())));
          },
          nb::arg("horizon").none(), nb::sig("def with_horizon(self, horizon: str) -> Dataset"),
          "The same data, of which policies are told \"known\", \"expected\" (the mean number of "
          "arrivals in this data), \"unknown\", or a number to expect, as text.")
      .def(
          "for_problem",
          [](const PythonDataset& data, nb::handle given) {
            const std::string problem = text_argument("for_problem: problem", given);
            problems().canonical(problem);  // is there such a problem?
            return PythonDataset(data.for_problem(problem));
          },
          nb::arg("problem").none(), nb::sig("def for_problem(self, problem: str) -> Dataset"),
          DOC(Dataset_for_problem));
}

PythonDataset generate_dataset(nb::handle source, const nb::dict& given, nb::object show) {
  const std::string spec = text_argument("generate: source", source);
  const auto options = read_options<GenerateOptions>("generate", given, {"count"});
  LongCall call(std::move(show));
  return call.run([&] { return PythonDataset(generate(spec, options, call)); });
}

}  // namespace

void define_data(nb::module_& module) {
  define_instance(module);
  define_label(module);
  define_source(module);
  define_dataset(module);
  module.def("join", &join_all, nb::arg("datasets"), DOC(join));
  module.def("split", &split_dataset, nb::arg("data"), nb::arg("parts"),
             nb::arg("shuffle_seed").none(), DOC(split));
  module.def("generate", &generate_dataset, nb::arg("source").none(), nb::arg("options"),
             nb::arg("show").none(), DOC(generate));
}

}  // namespace foresight::python
