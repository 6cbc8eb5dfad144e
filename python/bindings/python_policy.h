// Policies written in Python, and what they see of a state.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "bindings.h"
#include "python_object.h"

#include "foresight/eval/evaluate.h"
#include "foresight/policy/policy.h"

namespace foresight::python {

/// What Python sees of a market: a copy, since it may keep it.
struct MarketCopy {
  explicit MarketCopy(const Market& market);
  bool operator==(const Market& market) const;

  NodeId num_fixed;
  Horizon horizon;
  std::vector<float> capacities, attributes;
  std::vector<std::int32_t> ids;
  std::vector<std::string> names;  // per fixed node, or empty
  std::size_t width;               // of the attributes
};

/// What Python sees of an arrival: a copy likewise.
struct ArrivalCopy {
  explicit ArrivalCopy(const Arrival& arrival);

  std::vector<NodeId> nodes;
  std::vector<float> weights, costs, preferences, attributes;
  std::int32_t type;
  std::string name;
};

/// What Python sees of a state: valid only while it is being scored.
struct StateView {
  const State* state = nullptr;
  nb::object market;
  nb::object memory;  // what the policy's begin() returned

  /// Throws Error(kUsage) after the decision.
  const State& get() const;
};

/// A name per node, "" for a node without one; nothing if no node has one.
std::vector<std::string> copied(const foresight::Names& names);

void define_state(nb::module_& module);

/// A policy that asks a Python object with the methods of foresight.Policy.
class PythonPolicy : public Policy {
 public:
  explicit PythonPolicy(nb::object policy) : object_(std::move(policy)) {}

 private:
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override;

  PythonObject object_;
};

/// Has it the methods of foresight.Policy?
bool is_policy(nb::handle object);

/// What a Python call was given as a policy: a spec, a path, a model, or a Python object.
class GivenPolicy {
 public:
  /// Raises TypeError for anything else, and ValueError for a path that no file can have.
  explicit GivenPolicy(nb::handle policy);

  /// To be called without the interpreter's lock: some policies take long to make.
  Contestant contestant(const BoundDataset& data, Progress& progress) const;

 private:
  /// What `resolve` looks for, and the name to show.
  struct Named {
    std::string text;
    std::string name;
  };
  std::variant<Named, Contestant> given_;
};

}  // namespace foresight::python
