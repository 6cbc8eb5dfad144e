// Results for people to look at.
#include "foresight/report/report.h"

#include "arguments.h"
#include "bindings.h"
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "foresight/base/atomic_file.h"

namespace foresight::python {

void define_report(nb::module_& module) {
  nb::class_<Report>(module, "Report")
      .def(
          "__init__",
          [](Report* self, nb::handle title) {
            new (self) Report(text_argument("report: title", title));
          },
          nb::arg("title").none())
      .def(
          "add_path",
          [](Report& report, nb::handle path) { report.add(path_argument("a result", path)); },
          nb::arg("result").none())
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
      [](nb::handle path, const std::string& text) {
        write_file_atomically(path_argument("path", path), text);
      },
      nb::arg("path").none(), nb::arg("text"));
}

}  // namespace foresight::python
