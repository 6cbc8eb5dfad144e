// Instances, datasets and sources. Arrays are shared with NumPy in both directions, not copied.
#include <algorithm>

#include "arguments.h"
#include "bindings.h"
#include "long_call.h"
#include "options.h"
#include "python_dataset.h"
#include "python_object.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/base/error.h"
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

template <typename T>
const char* dtype_name() {
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, float>) return "float32";
  return "float64";
}

/// Takes what the user gave under the array's name, in place where type and layout fit. Raises
/// TypeError and ValueError for values that the type cannot hold.
void take(DatasetArray& array, nb::handle given, nb::list& kept) {
  std::visit(
      [&]<typename T>(std::span<const T>& values) {
        const nb::object fit = nb::module_::import_("foresight._arrays").attr("fitting");
        nb::object fitting = fit("array \"" + array.name + "\"", given, dtype_name<T>());
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
                          nb::handle topics) {
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
  for (const auto& [key, value] : nb::borrow<nb::dict>(given)) {
    const std::string name = text_argument("from_arrays: the name of an array", key);
    const auto array = std::ranges::find(known, name, &DatasetArray::name);
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

Instance instance_at(const PythonDataset& data, nb::handle given) {
  if (!is_whole_number(given)) reject_argument("the index of an instance", "a whole number", given);
  const auto size = static_cast<std::ptrdiff_t>(data.size());
  std::ptrdiff_t i = 0;
  if (!nb::try_cast(nb::int_(given), i) || i < -size || i >= size) {
    throw nb::index_error(
        fmt::format("there is no instance {}; there are {}", shown(given), size).c_str());
  }
  return data.instance(static_cast<std::size_t>(i < 0 ? i + size : i));
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
          "budgets",
          [](nb::handle self) {
            return view(nb::cast<const Instance&>(self).market().capacities, self);
          },
          DOC(Market_budgets))
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
                  "collections.abc.Sequence[str] = ...) -> Dataset"),
          nb::arg("arrays").none(), nb::arg("problem").none() = "e-obm",
          nb::arg("source").none() = "", nb::arg("seed").none() = 0,
          nb::arg("fixed_attributes").none() = Names(),
          nb::arg("arrival_attributes").none() = Names(), nb::arg("topics").none() = Names(),
          "Uses NumPy arrays under the names of docs/formats.md where they are, without a "
          "copy if their type fits, and checks everything in them once; labels are checked when "
          "they are first used. The arrays must not be changed afterwards.")
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
  define_source(module);
  define_dataset(module);
  module.def("generate", &generate_dataset, nb::arg("source").none(), nb::arg("options"),
             nb::arg("show").none(), DOC(generate));
}

}  // namespace foresight::python
