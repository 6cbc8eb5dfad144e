#include "arguments.h"

#include <algorithm>
#include <limits>

#include "python_object.h"

#include "foresight/base/error.h"

namespace foresight::python {
namespace {

bool is_instance(nb::handle value, const char* kind) {
  return nb::isinstance(value, nb::module_::import_("numbers").attr(kind));
}

}  // namespace

void reject_argument(const std::string& what, std::string_view wanted, nb::handle value) {
  throw nb::type_error(fmt::format("{} must be {}, got {}", what, wanted, shown(value)).c_str());
}

std::string text_argument(const std::string& what, nb::handle value) {
  if (!nb::isinstance<nb::str>(value)) reject_argument(what, "a text", value);
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (!text) {
    PyErr_Clear();
    fail(ErrorCode::kUsage, "{} must be valid Unicode, got {}", what, shown(value));
  }
  return {text, static_cast<std::size_t>(size)};
}

std::filesystem::path path_argument(const std::string& what, nb::handle value) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(value.ptr(), &bytes) == 0) {
    nb::python_error error;
    if (error.matches(PyExc_TypeError)) reject_argument(what, "a str or a PathLike", value);
    if (!error.matches(PyExc_ValueError)) throw error;
    fail(ErrorCode::kUsage, "{}: no file can be called {}", what, shown(value));
  }
  const nb::bytes name = nb::steal<nb::bytes>(bytes);
  return std::string(name.c_str(), name.size());
}

bool flag_argument(const std::string& what, nb::handle value) {
  if (!nb::isinstance<nb::bool_>(value)) reject_argument(what, "True or False", value);
  return value.is(nb::handle(Py_True));
}

std::uint64_t whole_argument(const std::string& what, nb::handle value, std::uint64_t least) {
  if (!is_whole_number(value)) reject_argument(what, "a whole number", value);
  std::uint64_t number = 0;
  if (nb::try_cast(nb::int_(value), number) && number >= least) return number;
  fail(ErrorCode::kUsage, "{} must be a whole number {}..{}, got {}", what, least,
       std::numeric_limits<std::uint64_t>::max(), shown(value));
}

Names names_argument(const std::string& what, nb::handle value) {
  if (!nb::isinstance<nb::sequence>(value) || nb::isinstance<nb::str>(value)) {
    reject_argument(what, "a list of texts", value);
  }
  Names names;
  for (const nb::handle given : value) {
    if (!nb::isinstance<nb::str>(given)) reject_argument(what, "a list of texts", value);
    std::string name = text_argument(what, given);
    if (name.empty()) fail(ErrorCode::kUsage, "{}: a name must not be empty", what);
    if (std::ranges::find(names, name) != names.end()) {
      fail(ErrorCode::kUsage, "{}: the name \"{}\" is there twice", what, name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

bool is_whole_number(nb::handle value) {
  return is_instance(value, "Integral") && !nb::isinstance<nb::bool_>(value);
}

bool is_number(nb::handle value) {
  return is_instance(value, "Real") && !nb::isinstance<nb::bool_>(value);
}

}  // namespace foresight::python
