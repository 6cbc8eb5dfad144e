// Online submodular bipartite matching (OSBM; Dickerson, Sankararaman, Srinivasan and Xu, 2019)
// with weighted coverage. A match is worth the preferences of the topics that it newly covers for
// the arriving user. Arrivals of one type are one user, so what one covers is covered for all.
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/problem/problem.h"

namespace foresight {
namespace {

class OsbmLedger : public Ledger {
 public:
  explicit OsbmLedger(const Market& market) : market_(market) {}

  void price(const Arrival& arrival, std::span<Offer> offers) override {
    uncovered_.assign(arrival.preferences.begin(), arrival.preferences.end());
    if (const auto found = covered_.find(arrival.type);
        arrival.type != kNoType && found != covered_.end()) {
      for (const std::int32_t topic : found->second) uncovered_[index(topic)] = 0;
    }
    for (std::size_t i = 0; i < offers.size(); ++i) {
      float gain = 0;
      for (const std::int32_t topic : market_.topics_of(arrival.nodes[i])) {
        gain += uncovered_[index(topic)];
      }
      offers[i] = {arrival.nodes[i], gain, 1};
    }
  }

  void commit(const Arrival& arrival, NodeId node) override {
    if (arrival.type == kNoType) return;
    auto& covered = covered_[arrival.type];
    for (const std::int32_t topic : market_.topics_of(node)) {
      if (std::find(covered.begin(), covered.end(), topic) == covered.end()) {
        covered.push_back(topic);
      }
    }
  }

 private:
  Market market_;
  std::vector<float> uncovered_;  // preferences of the current arrival, 0 where covered already
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> covered_;  // topics by type
};

class Osbm : public Problem {
 public:
  explicit Osbm(NoOptions) {}
  std::string name() const override { return "osbm"; }
  std::string title() const override { return "OSBM"; }
  Traits traits() const override { return {.gain = Traits::Gain::kCoverage}; }
  std::unique_ptr<Ledger> open(const Market& market) const override {
    return std::make_unique<OsbmLedger>(market);
  }
  void check(const Instance& instance) const override {
    const InstanceView& view = instance.view();
    if (view.market.num_topics == 0 ||
        (view.preferences.width == 0 && instance.num_arrivals() > 0)) {
      fail(ErrorCode::kData,
           "problem \"osbm\" needs topics for the fixed nodes and preferences for the arrivals");
    }
  }
};

}  // namespace

Entry<Problem> osbm_problem() {
  return make_entry<Problem, Osbm, NoOptions>(
      "osbm",
      "weighted coverage: a match is worth the topics it newly covers for the user; each fixed "
      "node can be matched once, or as often as its capacity says");
}

}  // namespace foresight
