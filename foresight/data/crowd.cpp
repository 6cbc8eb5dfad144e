// Synthetic crowdsourcing in the manner of gMission. It is built in and needs no files.
// Workers and tasks lie in a square, and a worker reaches the tasks within a radius. A match is
// worth the task's payoff times the worker's probability of success.
#include <cmath>

#include "foresight/base/rng.h"
#include "foresight/data/base_graph.h"

namespace foresight {
namespace {

struct CrowdOptions {
  SamplingOptions sampling;
  int city = 1;
  int people = 532;  // as many as in the gMission base graph

  void read(OptionReader& o) {
    sampling.read(o, "workers");
    o.integer("city", city, 0, std::numeric_limits<int>::max(),
              "number of the random base graph of workers and tasks");
    o.integer("people", people, 1, 1'000'000, "workers in the base graph");
  }
};

// The sizes and ranges of the gMission base graph.
constexpr int kTasks = 712;
constexpr double kSide = 5;
constexpr double kRadius = 1;
constexpr double kSmallestPayoff = 2.5;
constexpr double kLargestPayoff = 19.2;
constexpr double kSmallestSuccess = 0.2;

struct Place {
  double x, y;
};

/// People and work gather around a few centres, as in a town.
class Town {
 public:
  explicit Town(Rng& rng) {
    for (Place& centre : centres_) centre = {kSide * rng.uniform(), kSide * rng.uniform()};
  }

  Place draw(Rng& rng) const {
    if (rng.uniform() < 0.5) return {kSide * rng.uniform(), kSide * rng.uniform()};
    const Place centre = centres_[rng.below(std::size(centres_))];
    for (;;) {
      const Place place{centre.x + 0.8 * rng.normal(), centre.y + 0.8 * rng.normal()};
      if (place.x >= 0 && place.x <= kSide && place.y >= 0 && place.y <= kSide) return place;
    }
  }

 private:
  Place centres_[4];
};

BaseGraph build(const CrowdOptions& options) {
  Rng rng(static_cast<std::uint64_t>(options.city), Stream::kFixedSet, 1);
  const Town town(rng);
  BaseGraph graph;
  graph.schema = {.problem = "e-obm",
                  .fixed_attributes = {"x", "y", "radius", "success"},
                  .arrival_attributes = {"x", "y", "payoff"},
                  .topics = {}};
  graph.num_fixed = options.people;
  std::vector<Place> workers;
  std::vector<double> success;
  for (int w = 0; w < options.people; ++w) {
    workers.push_back(town.draw(rng));
    success.push_back(kSmallestSuccess + (1 - kSmallestSuccess) * rng.uniform());
    for (const double value : {workers.back().x, workers.back().y, kRadius, success.back()}) {
      graph.fixed_attributes.push_back(static_cast<float>(value));
    }
  }
  for (int task = 0; task < kTasks; ++task) {
    const Place place = town.draw(rng);
    const double payoff = kSmallestPayoff + (kLargestPayoff - kSmallestPayoff) * rng.uniform();
    for (const double value : {place.x, place.y, payoff}) {
      graph.arrival_attributes.push_back(static_cast<float>(value));
    }
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (std::hypot(workers[w].x - place.x, workers[w].y - place.y) > kRadius) continue;
      graph.nodes.push_back(static_cast<NodeId>(w));
      graph.weights.push_back(static_cast<float>(payoff * success[w] / kLargestPayoff));
    }
    graph.edge_begin.push_back(static_cast<std::int64_t>(graph.nodes.size()));
  }
  return graph;
}

class Crowd : public BaseGraphSource {
 public:
  explicit Crowd(const CrowdOptions& options)
      : BaseGraphSource(build(options), options.sampling, "source \"crowd\"") {}
};

}  // namespace

Entry<Source> crowd_source() {
  return make_entry<Source, Crowd, CrowdOptions>(
      "crowd", "synthetic crowdsourcing: workers, tasks within reach, payoff x success; no files");
}

}  // namespace foresight
