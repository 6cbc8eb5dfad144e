// Adwords (Mehta, Saberi, Vazirani and Vazirani, 2005): each fixed node has a budget, and an edge's
// weight is a bid. A match earns the bid and spends it from the budget.
#include "foresight/problem/problem.h"

namespace foresight {
namespace {

class AdwordsLedger : public Ledger {
 public:
  void price(const Arrival& arrival, std::span<Offer> offers) override {
    for (std::size_t i = 0; i < offers.size(); ++i) {
      offers[i] = {arrival.nodes[i], arrival.weights[i], arrival.weights[i]};
    }
  }
  void commit(const Arrival&, NodeId) override {}
};

class Adwords : public Problem {
 public:
  explicit Adwords(NoOptions) {}
  std::string name() const override { return "adwords"; }
  std::string title() const override { return "Adwords"; }
  std::string example() const override { return "thick-z(u=10,v=100)"; }
  Traits traits() const override { return {.use = Traits::Use::kGain}; }
  std::unique_ptr<Ledger> open(const Market&) const override {
    return std::make_unique<AdwordsLedger>();
  }
};

}  // namespace

Entry<Problem> adwords_problem() {
  return make_entry<Problem, Adwords, NoOptions>(
      "adwords",
      "budgets: a match earns its bid (the edge's weight) and spends it from the node's budget "
      "(its capacity), while that covers it");
}

}  // namespace foresight
