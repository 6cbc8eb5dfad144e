// What the files of the Python module share: one function per topic, and arrays in both directions.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "docstrings.h"  // made from the library's headers by docstrings.py
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

/// The comment that the library's headers have above (or beside) a name, e.g. DOC(Dataset_load).
#define DOC(name) FORESIGHT_DOC_##name

namespace nb = nanobind;

namespace foresight::python {

void define_errors(nb::module_& module);
void define_registries(nb::module_& module);
void define_data(nb::module_& module);
void define_solve(nb::module_& module);
void define_policy(nb::module_& module);
void define_evaluate(nb::module_& module);
void define_train(nb::module_& module);
void define_report(nb::module_& module);
void define_environments(nb::module_& module);
void define_registering(nb::module_& module);

/// A NumPy array of memory that lives as long as `owner`, as a Python object that knows its type.
template <typename T>
auto make_array(T* data, std::initializer_list<std::size_t> shape, nb::handle owner) {
  return nb::ndarray<nb::numpy, T>(data, shape, owner).cast();
}

/// A read-only one.
template <typename T>
auto view(std::span<const T> values, nb::handle owner) {
  return make_array(values.data(), {values.size()}, owner);
}

/// The same with rows of `width`, if that is not 1.
template <typename T>
auto view(std::span<const T> values, std::size_t width, nb::handle owner) {
  if (width <= 1) return view(values, owner);
  return make_array(values.data(), {values.size() / width, width}, owner);
}

/// A NumPy array that takes the values over; with a width, a table of rows of it.
template <typename T>
auto array(std::vector<T> values, std::optional<std::size_t> width = {}) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const std::size_t size = owned->size();
  const nb::capsule owner(owned.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (!width) return make_array(data, {size}, owner);
  return make_array(data, {*width == 0 ? 0 : size / *width, *width}, owner);
}

template <typename T>
auto array(std::span<const T> values) {
  return array(std::vector<T>(values.begin(), values.end()));
}

/// An argument that is used in place if it has this type and lies in one piece, else converted.
template <typename T, std::size_t kDimensions = 1>
using Values = nb::ndarray<const T, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;

template <typename T, std::size_t kDimensions>
std::span<const T> span_of(const Values<T, kDimensions>& values) {
  return {values.data(), values.size()};
}

}  // namespace foresight::python
