// Results for people to look at.
#include "foresight/report/report.h"

#include "bindings.h"
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "foresight/base/atomic_file.h"

namespace foresight::python {

void define_report(nb::module_& module) {
  nb::class_<Report>(module, "Report")
      .def(nb::init<std::string>(), nb::arg("title"))
      .def("add_path", nb::overload_cast<const std::filesystem::path&>(&Report::add),
           nb::arg("result"))
      .def("add_evaluation",
           nb::overload_cast<Evaluation, const std::filesystem::path&>(&Report::add),
           nb::arg("evaluation"), nb::arg("file"))
      .def(
          "to_html", [](const Report& report) { return to_html(report); }, DOC(to_html))
      .def(
          "to_csv", [](const Report& report) { return to_csv(report); }, DOC(to_csv))
      .def("to_markdown", [](const Report& report) { return to_markdown(report); });
  module.def(
      "write_file",
      [](const std::filesystem::path& path, const std::string& text) {
        write_file_atomically(path, text);
      },
      nb::arg("path"), nb::arg("text"));
}

}  // namespace foresight::python
