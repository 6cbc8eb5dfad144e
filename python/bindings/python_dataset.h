// Datasets as Python holds them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "foresight/problem/bound.h"

namespace foresight::python {

/// Bound to its problem when it is first used, and only once.
class PythonDataset : public Dataset {
 public:
  explicit PythonDataset(Dataset data)
      : Dataset(std::move(data)), binding_(std::make_shared<Binding>()) {}
  explicit PythonDataset(BoundDataset data) : PythonDataset(static_cast<const Dataset&>(data)) {
    binding_->data = std::move(data);
  }

  /// Throws what `bind_data` does. To be called without the interpreter's lock: the problem may be
  /// written in Python, and threads of the library ask it.
  const BoundDataset& bound() const {
    const std::lock_guard lock(binding_->mutex);
    if (!binding_->data) binding_->data = bind_data(*this);
    return *binding_->data;
  }

 private:
  struct Binding {
    std::mutex mutex;
    std::optional<BoundDataset> data;
  };
  std::shared_ptr<Binding> binding_;
};

}  // namespace foresight::python
