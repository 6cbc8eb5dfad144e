// Sources written in Python: any object with a method draw(seed, index).
#pragma once

#include <optional>
#include <string>

#include "bindings.h"
#include "python_object.h"

#include "foresight/data/source.h"

namespace foresight::python {

class PythonSource : public Source {
 public:
  /// To be called with the interpreter's lock. Raises TypeError where the object is not a source.
  PythonSource(std::string name, nb::object source);

  const Schema& schema() const override { return schema_; }
  Instance draw(std::uint64_t seed, std::uint64_t index) const override;
  std::optional<std::uint64_t> size() const override { return size_; }
  std::string digest() const override { return digest_; }

 private:
  std::string name_;
  Schema schema_;
  std::optional<std::uint64_t> size_;
  std::string digest_;
  PythonObject object_;
};

}  // namespace foresight::python
