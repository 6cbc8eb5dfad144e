// Training runs.
#include "bindings.h"
#include "long_call.h"
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/train/auto.h"
#include "foresight/train/run_record.h"

namespace foresight::python {
namespace {

using Metrics = std::vector<std::pair<std::string, double>>;

/// Calls Python on the thread that waits; anything but False goes on.
EpochObserver observer_for(const nb::object& on_epoch, LongCall& call) {
  if (on_epoch.is_none()) return {};
  return [&](const Metrics& metrics) {
    bool goes_on = true;
    call.call([&] {
      nb::dict told;
      for (const auto& [name, value] : metrics) told[name.c_str()] = value;
      goes_on = !on_epoch(told).is(nb::handle(Py_False));
    });
    return goes_on;
  };
}

AutoResult train_model(const RunOptions& options, nb::object on_epoch, nb::object show) {
  LongCall call(std::move(show));
  const EpochObserver observer = observer_for(on_epoch, call);
  return call.run([&] {
    if (options.model == "auto") return train_auto(options, call, observer);
    const RunResult result = train(options, call, observer);
    return AutoResult{options.model, result, {{options.model, result.best_ratio}}};
  });
}

nb::dict columns_of(const RunRecord& record) {
  nb::dict columns;
  for (const auto& [name, values] : record.columns) columns[name.c_str()] = array(values);
  return columns;
}

}  // namespace

void bind_train(nb::module_& module) {
  nb::class_<RunOptions>(module, "RunOptions")
      .def(nb::init<>())
      .def_rw("model", &RunOptions::model)
      .def_rw("trainer", &RunOptions::trainer, DOC(RunOptions_trainer))
      .def_rw("train", &RunOptions::train, DOC(RunOptions_train))
      .def_rw("validation", &RunOptions::validation, DOC(RunOptions_validation))
      .def_rw("instances", &RunOptions::instances, DOC(RunOptions_instances))
      .def_rw("validation_instances", &RunOptions::validation_instances)
      .def_rw("epochs", &RunOptions::epochs)
      .def_rw("seed", &RunOptions::seed)
      .def_rw("threads", &RunOptions::threads)
      .def_rw("folder", &RunOptions::folder)
      .def_rw("resume", &RunOptions::resume);
  nb::class_<RunResult>(module, "RunResult")
      .def_ro("epochs", &RunResult::epochs, DOC(RunResult_epochs))
      .def_ro("best_epoch", &RunResult::best_epoch)
      .def_ro("best_ratio", &RunResult::best_ratio, DOC(RunResult_best_ratio))
      .def_ro("decisions_per_second", &RunResult::decisions_per_second);
  nb::class_<AutoResult>(module, "AutoResult")
      .def_ro("model", &AutoResult::model, DOC(AutoResult_model))
      .def_ro("run", &AutoResult::run)
      .def_ro("ratios", &AutoResult::ratios, DOC(AutoResult_ratios));
  nb::class_<RunRecord>(module, "RunRecord")
      .def_ro("model", &RunRecord::model)
      .def_ro("trainer", &RunRecord::trainer)
      .def_ro("train", &RunRecord::train)
      .def_ro("problem", &RunRecord::problem)
      .def_ro("epochs", &RunRecord::epochs, DOC(RunRecord_epochs))
      .def_prop_ro("columns", &columns_of,
                   nb::sig("def columns(self) -> dict[str, numpy.typing.NDArray[numpy.float64]]"),
                   DOC(RunRecord_columns));
  module.def("train", &train_model, nb::arg("options"), nb::arg("on_epoch").none(),
             nb::arg("show").none(), DOC(train));
  module.def("trainer_with", &trainer_with, nb::arg("model_spec"), nb::arg("trainer_spec"),
             nb::arg("options"), DOC(trainer_with));
  module.def("read_run", &read_run, nb::arg("folder"), DOC(read_run));
}

}  // namespace foresight::python
