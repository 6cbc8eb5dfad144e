// Edge-weighted online bipartite matching (E-OBM): each fixed node is matched at most once, or as
// often as its capacity says, and a match is worth the weight of its edge. If all weights are 1,
// this is the classical unweighted problem. With capacities it is b-matching, or display ads.
#include "foresight/problem/problem.h"

namespace foresight {
namespace {

class EdgeObmLedger : public Ledger {
 public:
  void price(const Arrival& arrival, std::span<Offer> offers) override {
    for (std::size_t i = 0; i < offers.size(); ++i) {
      offers[i] = {arrival.nodes[i], arrival.weights[i], 1};
    }
  }
  void commit(const Arrival&, NodeId) override {}
};

class EdgeObm : public Problem {
 public:
  explicit EdgeObm(NoOptions) {}
  std::string name() const override { return "e-obm"; }
  std::string title() const override { return "E-OBM"; }
  std::string example() const override { return "crowd(u=10,v=30)"; }
  Traits traits() const override { return {}; }
  std::unique_ptr<Ledger> open(const Market&) const override {
    return std::make_unique<EdgeObmLedger>();
  }
};

}  // namespace

Entry<Problem> edge_obm_problem() {
  return make_entry<Problem, EdgeObm, NoOptions>(
      "e-obm",
      "edge-weighted matching: a match is worth its edge's weight; each fixed node can be matched "
      "once, or as often as its capacity says");
}

}  // namespace foresight
