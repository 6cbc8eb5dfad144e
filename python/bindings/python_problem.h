// Problems written in Python: gains that earlier matches do not change, and what a match uses up.
#pragma once

#include <memory>
#include <string>

#include "bindings.h"
#include "python_object.h"

#include "foresight/problem/problem.h"

namespace foresight::python {

/// A problem that asks a Python object with the methods of foresight.Problem. What it says is checked
/// against what it declares.
class PythonProblem : public Problem {
 public:
  /// To be called with the interpreter's lock. Raises TypeError and ValueError where the object is
  /// not a problem.
  PythonProblem(std::string name, nb::object problem);

  std::string name() const override { return name_; }
  Traits traits() const override { return traits_; }
  float capacity(const Market& market, NodeId u) const override;
  std::unique_ptr<Ledger> open(const Market& market) const override;

 private:
  class PythonLedger;
  std::span<const float> capacities(const Market& market) const;

  std::string name_;
  std::uint64_t number_;  // no two problems have the same
  Traits traits_;
  PythonObject object_;
};

}  // namespace foresight::python
