// Python objects that the library calls from its own threads: policies, sources and problems that
// are written in Python.
//
//   const PythonObject object(given);
//   object.use([&](nb::handle policy) { return policy.attr("begin")(market); });
#pragma once

#include <mutex>
#include <optional>
#include <span>

#include "bindings.h"

namespace foresight::python {

class PythonObject {
 public:
  /// To be called with the interpreter's lock.
  explicit PythonObject(nb::object object);
  ~PythonObject();
  PythonObject(const PythonObject&) = delete;
  PythonObject& operator=(const PythonObject&) = delete;

  /// Calls `action` with the object and the interpreter's lock, from any thread, but never from two
  /// at once: the interpreter changes threads in the middle of Python code, and an object that keeps
  /// something in `self` must not notice.
  template <typename Action>
  auto use(Action&& action) const {
    const std::unique_lock<std::recursive_mutex> turn = wait_for_turn();
    const nb::gil_scoped_acquire acquired;
    return action(get());
  }

  /// The object, to be used with the interpreter's lock. Throws Error(kUsage) when the interpreter
  /// ends.
  nb::handle get() const;

  /// Lets go of all objects, so that the interpreter can end: it cannot see who refers to whom within
  /// the library, and what a Python object refers to may in turn keep that object alive.
  static void release_all();

 private:
  std::unique_lock<std::recursive_mutex> wait_for_turn() const;

  nb::object object_;
  mutable std::recursive_mutex mutex_;
};

/// How long a list or an array is, if it is one.
std::optional<std::size_t> length_of(nb::handle object);

/// Copies a list or an array of as many numbers. Raises what Python does for anything else.
void copy_numbers(const nb::object& given, std::span<double> to);

/// What Python shows of an object, for errors.
std::string shown(nb::handle object);

}  // namespace foresight::python
