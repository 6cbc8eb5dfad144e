// The library's one exception type as Python's own: ValueError, OSError, FileNotFoundError.
#include <cerrno>
#include <system_error>

#include "bindings.h"

#include "foresight/base/error.h"

namespace foresight::python {
namespace {

PyObject* python_type(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kUsage:
    case ErrorCode::kData:
      return PyExc_ValueError;
    case ErrorCode::kIo:
      return std::string_view(error.what()).ends_with(std::generic_category().message(ENOENT))
                 ? PyExc_FileNotFoundError
                 : PyExc_OSError;
    case ErrorCode::kCancelled:
      return PyExc_KeyboardInterrupt;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void define_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      // A path in it may hold bytes that are not UTF-8.
      const std::string_view text = error.what();
      const auto sentence = nb::steal(PyUnicode_DecodeUTF8(
          text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
      if (sentence.is_valid()) PyErr_SetObject(python_type(error), sentence.ptr());
    }
  });
}

}  // namespace foresight::python
