// Erdos-Renyi bigraphs: every pair is an edge with probability p, independently of the others.
// Weights are uniform in (0, 1], or 1 for unweighted matching.
#include "foresight/base/error.h"
#include "foresight/base/rng.h"
#include "foresight/data/source.h"

namespace foresight {
namespace {

struct ErdosRenyiOptions {
  int u = 10;
  int v = 30;
  double p = 0.1;
  std::string weight = "uniform";
  int capacity = 1;

  void read(OptionReader& o) {
    o.integer("u", u, 1, kMaxNodes, "fixed nodes per instance");
    o.integer("v", v, 1, kMaxNodes, "arrivals per instance");
    o.real("p", p, 0, 1, "probability of each edge");
    o.choice("weight", weight, {"uniform", "one"}, "uniform in (0, 1], or all 1");
    o.integer("capacity", capacity, 1, kMaxCapacity, "how often each fixed node can be matched");
  }
};

class ErdosRenyi : public Source {
 public:
  explicit ErdosRenyi(ErdosRenyiOptions options) : options_(std::move(options)) {
    schema_.capacities = options_.capacity > 1;
  }

  const Schema& schema() const override { return schema_; }

  Instance draw(std::uint64_t seed, std::uint64_t index) const override {
    Rng rng(seed, Stream::kInstance, index);
    InstanceBuilder builder(options_.u);
    if (schema_.capacities) builder.set_equal_capacities(options_.capacity);
    std::vector<NodeId> nodes;
    std::vector<float> weights;
    for (int t = 0; t < options_.v; ++t) {
      nodes.clear();
      weights.clear();
      for (NodeId u = next_edge(rng, -1); u < options_.u; u = next_edge(rng, u)) {
        nodes.push_back(u);
        weights.push_back(options_.weight == "one" ? 1.0F
                                                   : static_cast<float>(rng.uniform_positive()));
      }
      builder.arrive(nodes, weights);
    }
    return std::move(builder).build();
  }

  std::optional<ArrivalLaw> arrival_law(const Market& market) const override {
    if (market.num_fixed != options_.u || !market.ids.empty()) {
      fail(ErrorCode::kData,
           "the market of {} fixed nodes{} does not come from source \"er\" with u={}",
           market.num_fixed, market.ids.empty() ? "" : " of a base graph", options_.u);
    }
    return RandomEdges{options_.p, options_.weight == "uniform"};
  }

 private:
  /// The next node after u that has an edge. The gaps between edges are geometric, so an arrival
  /// costs its degree, not |U|.
  NodeId next_edge(Rng& rng, NodeId u) const {
    if (options_.p <= 0) return options_.u;
    if (options_.p >= 1) return u + 1;
    const double gap = std::floor(std::log(rng.uniform_positive()) / std::log1p(-options_.p));
    return gap >= options_.u ? options_.u : u + 1 + static_cast<NodeId>(gap);
  }

  ErdosRenyiOptions options_;
  Schema schema_{.problem = "e-obm"};
};

}  // namespace

Entry<Source> erdos_renyi_source() {
  return make_entry<Source, ErdosRenyi, ErdosRenyiOptions>(
      "er", "Erdos-Renyi: each edge with probability p, weights uniform in (0, 1]");
}

}  // namespace foresight
