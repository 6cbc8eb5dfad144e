// Policies written in Python, and what they see of a state.
#pragma once

#include <memory>
#include <string>

#include "bindings.h"

#include "foresight/data/source.h"
#include "foresight/eval/evaluate.h"
#include "foresight/policy/policy.h"

namespace foresight::python {

/// What Python sees of a market: a copy, since it may keep it.
struct MarketCopy {
  explicit MarketCopy(const Market& market);
  NodeId num_fixed;
  int horizon;
  std::vector<float> budgets, attributes;
  std::vector<std::int32_t> ids;
  std::size_t width;  // of the attributes
};

/// What Python sees of a state: valid only while it is being scored.
struct StateView {
  const State* state = nullptr;
  nb::object market;
  nb::object memory;  // what the policy's begin() returned
  bool budgets = false;

  /// Throws Error(kUsage) after the decision.
  const State& get() const;
};

void bind_state(nb::module_& module);

/// A policy that asks a Python object. Its methods are never called by two threads at once.
class PythonPolicy : public Policy {
 public:
  PythonPolicy(nb::object policy, const Schema& schema);
  ~PythonPolicy() override;
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

/// From a spec, a path, a model or a Python object with a method `score` or `score_batch`.
Contestant contestant(nb::handle policy, const Schema& schema);

}  // namespace foresight::python
