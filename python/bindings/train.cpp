// Training runs.
#include "arguments.h"
#include "bindings.h"
#include "long_call.h"
#include "options.h"
#include "python_dataset.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/train/auto.h"
#include "foresight/train/run_record.h"

namespace foresight::python {
namespace {

/// Calls Python on the thread that waits; anything but False goes on.
EpochObserver observer_for(const nb::object& on_epoch, LongCall& call) {
  if (on_epoch.is_none()) return {};
  return [&](const MetricsRow& metrics) {
    bool goes_on = true;
    call.call([&] {
      nb::dict told;
      for (const auto& [name, value] : metrics) told[name.c_str()] = value;
      goes_on = !on_epoch(told).is(nb::handle(Py_False));
    });
    return goes_on;
  };
}

/// What to train on or to validate on: a dataset, which then is no option, or a spec or path. A path
/// is told so that it is not taken for a spec.
std::optional<Dataset> take_data(nb::dict& given, const char* name) {
  const nb::object data = given[name];
  if (nb::isinstance<PythonDataset>(data)) {
    given[name] = nb::none();
    return nb::cast<const PythonDataset&>(data);
  }
  const std::string what = fmt::format("train: {}", name);
  if (nb::hasattr(data, "__fspath__")) {
    given[name] = path_text(path_argument(what, data).string(), sources());
  } else if (!nb::isinstance<nb::str>(data)) {
    reject_argument(what, "a spec, a path or a Dataset", data);
  }
  return std::nullopt;
}

void train_model(nb::handle model, nb::handle folder, nb::handle resume, nb::dict given,
                 const nb::object& on_epoch, nb::object show) {
  if (!on_epoch.is_none() && !PyCallable_Check(on_epoch.ptr())) {
    reject_argument("train: on_epoch", "a function or None", on_epoch);
  }
  std::optional<Dataset> train_data = take_data(given, "train");
  std::optional<Dataset> validation_data = take_data(given, "validation");
  auto options = read_options<RunOptions>("train", given, {"instances"});
  options.model = text_argument("train: model", model);
  options.folder = path_argument("train: folder", folder);
  options.resume = flag_argument("train: resume", resume);
  options.train_data = std::move(train_data);
  options.validation_data = std::move(validation_data);
  LongCall call(std::move(show));
  const EpochObserver observer = observer_for(on_epoch, call);
  call.run([&] {
    if (options.model == "auto") return train_auto(options, call, observer).run;
    return train(options, call, observer);
  });
}

nb::dict columns_of(const MetricsColumns& columns) {
  nb::dict result;
  for (const auto& [name, values] : columns.all()) result[name.c_str()] = array(values);
  return result;
}

nb::dict record_of(nb::handle folder) {
  const RunRecord record = read_run(path_argument("a run's folder", folder));
  nb::dict result;
  result["model"] = record.model;
  result["trainer"] = record.trainer;
  result["problem"] = record.problem;
  result["train"] = record.train;
  result["train_digest"] = record.train_digest;
  result["validation"] = record.validation;
  result["validation_digest"] = record.validation_digest;
  result["instances"] = record.instances;
  result["validation_instances"] = record.validation_instances;
  result["epochs"] = record.epochs;
  result["seed"] = record.seed;
  result["metrics"] = columns_of(record.metrics);
  result["best_epoch"] = record.best_epoch;
  result["best_ratio"] = record.best_ratio;
  result["command"] = record.command;
  result["timing"] = columns_of(record.timing);
  return result;
}

/// What tells data from other data: of a source its spec with all options and the digest of its
/// files, of a dataset's file that of its content.
std::string data_identity(const std::string& text) {
  const nb::gil_scoped_release released;
  const auto data = open_data(text);
  if (const auto* file = std::get_if<BoundDataset>(&data)) {
    return "data of digest " + file->content_digest(file->labelled());
  }
  const std::string digest = std::get<BoundSource>(data).digest();
  return sources().canonical(text) + (digest.empty() ? "" : " of digest " + digest);
}

}  // namespace

void define_train(nb::module_& module) {
  module.def("train", &train_model, nb::arg("model").none(), nb::arg("folder").none(),
             nb::arg("resume").none(), nb::arg("options"), nb::arg("on_epoch").none(),
             nb::arg("show").none(), DOC(train));
  module.def(
      "train_options", [] { return list_options(describe_options<RunOptions>()); },
      nb::sig("def train_options() -> list[dict[str, typing.Any]]"),
      "The options of `train`, as the registries list those of their entries.");
  module.def(
      "check_train_options",
      [](const nb::dict& given) { read_options<RunOptions>("train", given, {"instances"}); },
      nb::arg("options"),
      nb::sig("def check_train_options(options: dict[str, typing.Any]) -> None"),
      "Raise what `train` would raise about the kinds and ranges of its options.");
  module.def("trainer_with", &trainer_with, nb::arg("model_spec"), nb::arg("trainer_spec"),
             nb::arg("options"), DOC(trainer_with));
  module.def("read_run", &record_of, nb::arg("folder").none(),
             nb::sig("def read_run(folder: str | os.PathLike) -> dict[str, typing.Any]"),
             DOC(read_run));
  module.def("data_identity", &data_identity, nb::arg("data"),
             "What tells data, named by a spec or a path, from other data.");
}

}  // namespace foresight::python
