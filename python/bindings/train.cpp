// Training runs.
#include "arguments.h"
#include "bindings.h"
#include "long_call.h"
#include "options.h"
#include "python_dataset.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/auto/auto.h"
#include "foresight/train/run_record.h"

namespace foresight::python {
namespace {

/// What fits the data if it is not given.
const LeftOpen kLeftOpen{"epochs", "minutes", "instances", "validation_instances"};

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

/// The options of a run or a search, as they were given.
RunOptions run_options(nb::handle folder, nb::handle resume, nb::dict given) {
  std::optional<Dataset> train_data = take_data(given, "train");
  std::optional<Dataset> validation_data = take_data(given, "validation");
  auto options = read_options<RunOptions>("train", given, kLeftOpen);
  options.folder = path_argument("train: folder", folder);
  options.resume = flag_argument("train: resume", resume);
  options.train_data = std::move(train_data);
  options.validation_data = std::move(validation_data);
  return options;
}

void train_model(nb::handle model, nb::handle folder, nb::handle resume, const nb::dict& given,
                 const nb::object& on_epoch, nb::object show) {
  if (!on_epoch.is_none() && !PyCallable_Check(on_epoch.ptr())) {
    reject_argument("train: on_epoch", "a function or None", on_epoch);
  }
  RunOptions options = run_options(folder, resume, given);
  options.model = text_argument("train: model", model);
  if (options.model == "auto") {
    fail(ErrorCode::kUsage, "train: auto is not a model; foresight.train_auto tries all of them");
  }
  LongCall call(std::move(show));
  const EpochObserver observer = observer_for(on_epoch, call);
  call.run([&] { return train(options, call, observer); });
}

void train_all(nb::handle folder, nb::handle resume, const nb::dict& given, nb::object show) {
  const RunOptions options = run_options(folder, resume, given);
  LongCall call(std::move(show));
  call.run([&] { return train_auto(options, call).kept; });
}

nb::dict search_of(nb::handle folder) {
  const AutoResult found = read_auto(path_argument("a search's folder", folder));
  nb::dict result;
  result["kept"] = found.kept;
  result["is_rule"] = found.is_rule;
  result["fresh"] = found.fresh;
  result["advice"] = found.advice;
  result["notes"] = found.notes;
  return result;
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
  result["validation_seed"] = record.validation_seed;
  result["batch"] = record.batch;
  result["horizon"] = record.horizon;
  result["units"] = record.units;
  result["setback"] = record.setback;
  result["augment"] = record.augment;
  result["patience"] = record.patience;
  result["start"] = record.start;
  result["start_digest"] = record.start_digest;
  result["metrics"] = columns_of(record.metrics);
  result["best_epoch"] = record.best_epoch;
  result["best_ratio"] = record.best_ratio;
  result["greedy_ratio"] = record.greedy_ratio;
  result["threshold_ratio"] = record.threshold_ratio;
  result["rival_p"] = record.rival_p;
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
  module.def("train_auto", &train_all, nb::arg("folder").none(), nb::arg("resume").none(),
             nb::arg("options"), nb::arg("show").none(), DOC(train_auto));
  module.def("read_auto", &search_of, nb::arg("folder").none(),
             nb::sig("def read_auto(folder: str | os.PathLike) -> dict[str, typing.Any]"),
             DOC(read_auto));
  module.def(
      "train_options", [] { return list_options(describe_options<RunOptions>()); },
      nb::sig("def train_options() -> list[dict[str, typing.Any]]"),
      "The options of `train`, as the registries list those of their entries.");
  module.def(
      "check_train_options",
      [](const nb::dict& given) { read_options<RunOptions>("train", given, kLeftOpen); },
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
