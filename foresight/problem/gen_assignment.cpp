// The generalised assignment problem (GAP): an edge has a gain, its weight, and apart from that a
// cost. A match earns the gain and takes the cost from its node's capacity: hours of a technician,
// memory of a server. With costs of 1 it is E-OBM with capacities, with costs like gains Adwords.
#include "foresight/problem/problem.h"

namespace foresight {
namespace {

class GenAssignmentLedger : public Ledger {
 public:
  void price(const Arrival& arrival, std::span<Offer> offers) override {
    for (std::size_t i = 0; i < offers.size(); ++i) {
      offers[i] = {arrival.nodes[i], arrival.weights[i], arrival.costs[i]};
    }
  }
  void commit(const Arrival&, NodeId) override {}
};

class GenAssignment : public Problem {
 public:
  explicit GenAssignment(NoOptions) {}
  std::string name() const override { return "gen-assignment"; }
  std::string title() const override { return "GAP"; }
  Traits traits() const override { return {.use = Traits::Use::kCost}; }
  std::unique_ptr<Ledger> open(const Market&) const override {
    return std::make_unique<GenAssignmentLedger>();
  }
};

}  // namespace

Entry<Problem> gen_assignment_problem() {
  return make_entry<Problem, GenAssignment, NoOptions>(
      "gen-assignment",
      "generalised assignment: a match earns its edge's weight and takes its edge's cost from the "
      "node's capacity (hours, memory), while that covers it");
}

}  // namespace foresight
