// Barabasi-Albert (preferential attachment) bigraphs, after Borodin, Karavasilis and Pankratov
// (2018). Arrival v takes n_v ~ Binomial(|U|, degree/|U|) distinct neighbours. The probability of
// node u is proportional to 1 + its degree so far. Weights follow the final degree of u.
#include <algorithm>
#include <numeric>

#include "foresight/base/error.h"
#include "foresight/base/rng.h"
#include "foresight/data/source.h"

namespace foresight {
namespace {

struct BarabasiAlbertOptions {
  int u = 10;
  int v = 30;
  double degree = 5;
  std::string weight = "normal";
  std::string scale = "unit";
  int capacity = 1;

  void read(OptionReader& o) {
    o.integer("u", u, 1, kMaxNodes, "fixed nodes per instance");
    o.integer("v", v, 1, kMaxNodes, "arrivals per instance");
    o.real("degree", degree, 0, kMaxNodes, "average degree p of an arrival, at most u");
    o.choice("weight", weight, {"normal", "folded"},
             "N(degree(u), p/5) cut at 0, or degree(u) + |N(0, p/5)|");
    o.choice("scale", scale, {"unit", "raw"}, "divide the weights by |V|, or leave them");
    o.integer("capacity", capacity, 1, kMaxCapacity, "how often each fixed node can be matched");
  }
};

class BarabasiAlbert : public Source {
 public:
  explicit BarabasiAlbert(BarabasiAlbertOptions options) : options_(std::move(options)) {
    schema_.capacities = options_.capacity > 1;
    if (options_.degree > options_.u) {
      fail(ErrorCode::kUsage,
           "source \"ba\": option \"degree\" must be at most u={}, the number of fixed nodes, got "
           "{}",
           options_.u, options_.degree);
    }
  }

  const Schema& schema() const override { return schema_; }

  Instance draw(std::uint64_t seed, std::uint64_t index) const override {
    Rng rng(seed, Stream::kInstance, index);
    const auto fixed = static_cast<std::size_t>(options_.u);
    std::vector<int> degrees(fixed, 0);
    std::vector<std::vector<NodeId>> neighbours;
    // Each entry is one unit of 1 + degree, so a uniform choice among entries is preferential.
    std::vector<NodeId> units(fixed);
    std::iota(units.begin(), units.end(), 0);
    for (int t = 0; t < options_.v; ++t) {
      std::vector<NodeId>& chosen = neighbours.emplace_back();
      choose(rng, units, binomial(rng), chosen);
      for (const NodeId u : chosen) {
        ++degrees[static_cast<std::size_t>(u)];
        units.push_back(u);
      }
    }

    InstanceBuilder builder(options_.u);
    if (schema_.capacities) builder.set_equal_capacities(options_.capacity);
    std::vector<float> weights;
    for (const std::vector<NodeId>& nodes : neighbours) {
      weights.clear();
      for (const NodeId u : nodes)
        weights.push_back(weight(rng, degrees[static_cast<std::size_t>(u)]));
      builder.arrive(nodes, weights);
    }
    return std::move(builder).build();
  }

 private:
  int binomial(Rng& rng) const {
    int successes = 0;
    for (int i = 0; i < options_.u; ++i) successes += rng.uniform() * options_.u < options_.degree;
    return successes;
  }

  static void choose(Rng& rng, const std::vector<NodeId>& units, int count,
                     std::vector<NodeId>& chosen) {
    while (chosen.size() < static_cast<std::size_t>(count)) {
      const NodeId u = units[rng.below(units.size())];
      if (std::find(chosen.begin(), chosen.end(), u) == chosen.end()) chosen.push_back(u);
    }
    std::sort(chosen.begin(), chosen.end());
  }

  float weight(Rng& rng, int degree) const {
    const double noise = rng.normal() * options_.degree / 5;
    const double raw =
        options_.weight == "folded" ? degree + std::abs(noise) : std::max(0.0, degree + noise);
    return static_cast<float>(options_.scale == "unit" ? raw / options_.v : raw);
  }

  BarabasiAlbertOptions options_;
  Schema schema_{.problem = "e-obm"};
};

}  // namespace

Entry<Source> barabasi_albert_source() {
  return make_entry<Source, BarabasiAlbert, BarabasiAlbertOptions>(
      "ba", "Barabasi-Albert: preferential attachment, weights by degree");
}

}  // namespace foresight
