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
      PyErr_SetString(python_type(error), error.what());
    }
  });
}

}  // namespace foresight::python
