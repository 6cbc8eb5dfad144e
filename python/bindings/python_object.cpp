#include "python_object.h"

#include <algorithm>
#include <unordered_set>

#include <nanobind/stl/string.h>

#include "foresight/base/error.h"

namespace foresight::python {

namespace {

/// Those that have not let go of their object.
struct Living {
  std::mutex mutex;
  std::unordered_set<PythonObject*> objects;
};

Living& living() {
  static auto* const all = new Living;  // outlives all objects
  return *all;
}

/// Copies an array of this type; returns whether it is one.
template <typename T>
bool copy_array(const nb::object& given, std::span<double> to) {
  Values<T> values;
  if (!nb::try_cast(given, values, false)) return false;
  std::copy_n(values.data(), to.size(), to.begin());
  return true;
}

}  // namespace

PythonObject::PythonObject(nb::object object) : object_(std::move(object)) {
  const std::lock_guard lock(living().mutex);
  living().objects.insert(this);
}

PythonObject::~PythonObject() {
  {
    const std::lock_guard lock(living().mutex);
    if (living().objects.erase(this) == 0) return;
  }
  const nb::gil_scoped_acquire acquired;
  object_.reset();
}

void PythonObject::release_all() {
  std::vector<nb::object> released;  // what ends with them may end other objects, too
  const std::lock_guard lock(living().mutex);
  for (PythonObject* object : living().objects) released.push_back(std::move(object->object_));
  living().objects.clear();
}

nb::handle PythonObject::get() const {
  if (!object_.is_valid()) fail(ErrorCode::kUsage, "the interpreter is about to end");
  return object_;
}

std::unique_lock<std::recursive_mutex> PythonObject::wait_for_turn() const {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock) return lock;
  // The thread whose turn it is may need the interpreter's lock to end it.
  std::optional<nb::gil_scoped_release> released;
  if (PyGILState_Check()) released.emplace();
  lock.lock();
  return lock;
}

std::optional<std::size_t> length_of(nb::handle object) {
  const Py_ssize_t length = PyObject_Length(object.ptr());
  if (length >= 0) return static_cast<std::size_t>(length);
  nb::python_error error;
  if (!error.matches(PyExc_TypeError)) throw error;
  return std::nullopt;
}

void copy_numbers(const nb::object& given, std::span<double> to) {
  if (copy_array<float>(given, to) || copy_array<double>(given, to)) return;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const nb::object number = given[i];
    to[i] = PyFloat_AsDouble(number.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
  }
}

std::string shown(nb::handle object) {
  return nb::cast<std::string>(nb::repr(object));
}

}  // namespace foresight::python
