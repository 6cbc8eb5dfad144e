// What the files of the Python module share: one function per topic, and arrays in both directions.
#pragma once

#include <memory>
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

void bind_errors(nb::module_& module);
void bind_registries(nb::module_& module);
void bind_data(nb::module_& module);
void bind_solve(nb::module_& module);
void bind_policy(nb::module_& module);
void bind_evaluate(nb::module_& module);
void bind_train(nb::module_& module);
void bind_report(nb::module_& module);
void bind_environments(nb::module_& module);

template <typename T>
using Array = nb::ndarray<nb::numpy, T>;

/// A read-only NumPy array of memory that lives as long as `owner`.
template <typename T>
Array<const T> view(std::span<const T> values, nb::handle owner) {
  return Array<const T>(values.data(), {values.size()}, owner);
}

/// The same with rows of `width`, if that is not 1.
template <typename T>
Array<const T> view(std::span<const T> values, std::size_t width, nb::handle owner) {
  if (width <= 1) return view(values, owner);
  return Array<const T>(values.data(), {values.size() / width, width}, owner);
}

/// A NumPy array that takes the values over.
template <typename T>
Array<T> array(std::vector<T> values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const std::size_t size = owned->size();
  const nb::capsule owner(owned.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(data, {size}, owner);
}

template <typename T>
Array<T> array(std::span<const T> values) {
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
