// Two families on which classical Adwords policies do badly (Zuzic, Wang, Mehta and Sivakumar,
// 2020). There are B = |V|/|U| arrivals per fixed node:
//   thick-z     node i is joined to arrivals iB..iB+B-1; nodes of the second half also to all
//               arrivals of the first half
//   triangular  node i is joined to arrivals 0..(i+1)B-1
// Nodes are permuted at random in every instance. All edges of an instance have the same bid, drawn
// uniformly from [0.1, 0.4). Each budget is B bids.
#include "foresight/base/error.h"
#include "foresight/base/rng.h"
#include "foresight/data/source.h"

namespace foresight {
namespace {

struct HardAdwordsOptions {
  int u = 10;
  int v = 60;

  void read(OptionReader& o) {
    o.integer("u", u, 1, kMaxNodes, "fixed nodes per instance");
    o.integer("v", v, 1, kMaxNodes, "arrivals per instance, a multiple of u");
    if (v % u != 0) {
      fail(ErrorCode::kUsage, "{}: option \"v\" must be a multiple of u={}, got \"{}\"", o.owner(),
           u, v);
    }
  }
};

using JoinRule = bool (*)(int node, int block, int num_fixed);

bool joins_thick_z(int node, int block, int num_fixed) {
  return node == block || (2 * node >= num_fixed && 2 * block < num_fixed);
}

bool joins_triangular(int node, int block, int) {
  return node >= block;
}

template <JoinRule joins>
class HardAdwords : public Source {
 public:
  explicit HardAdwords(HardAdwordsOptions options) : options_(options) {}

  const Schema& schema() const override { return schema_; }

  Instance draw(std::uint64_t seed, std::uint64_t index) const override {
    Rng rng(seed, Stream::kInstance, index);
    const int block_size = options_.v / options_.u;
    const double bid = 0.1 + 0.3 * rng.uniform();
    const auto role = rng.sample(options_.u, options_.u);
    InstanceBuilder builder(options_.u);
    builder.set_capacities(std::vector<float>(static_cast<std::size_t>(options_.u),
                                              static_cast<float>(bid * block_size)));
    std::vector<NodeId> nodes;
    for (int t = 0; t < options_.v; ++t) {
      nodes.clear();
      for (NodeId u = 0; u < options_.u; ++u) {
        if (joins(role[static_cast<std::size_t>(u)], t / block_size, options_.u))
          nodes.push_back(u);
      }
      builder.arrive(nodes, std::vector<float>(nodes.size(), static_cast<float>(bid)));
    }
    return std::move(builder).build();
  }

 private:
  HardAdwordsOptions options_;
  Schema schema_{.problem = "adwords", .capacities = true};
};

}  // namespace

Entry<Source> thick_z_source() {
  return make_entry<Source, HardAdwords<joins_thick_z>, HardAdwordsOptions>(
      "thick-z", "hard for Adwords: later nodes tempt the first half of the arrivals");
}

Entry<Source> triangular_source() {
  return make_entry<Source, HardAdwords<joins_triangular>, HardAdwordsOptions>(
      "triangular", "hard for Adwords: later arrivals have fewer and fewer neighbours");
}

}  // namespace foresight
