// Decisions in your own process, one arrival at a time.
//
//   live_decisions POLICY NODES ARRIVALS
//
// The policy is a spec such as "greedy-t(threshold=0.4)", or the folder of a trained model. Each line
// of standard input is an arrival: the fixed nodes that it could be matched to, ascending, and what
// each match would gain. A line that breaks a rule is refused, and the episode goes on.
//
//   printf '0:0.2 1:0.7\n5:1\n0:0.9\n' | live_decisions greedy 2 3
#include <algorithm>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <foresight/foresight.h>

using namespace foresight;

/// One episode, decided as it happens. Used by one thread.
class LiveEpisode {
 public:
  /// `problem` and the memory behind `market` must outlive it.
  LiveEpisode(const Problem& problem, const Market& market, const Policy& policy)
      : state_(problem, market) {
    const Opening opening{&problem, market, Rng(/*seed=*/0, Stream::kPolicy, /*index=*/0)};
    batch_ = policy.begin({&opening, 1});
  }

  /// Decides for good: returns the chosen node or kSkip. Throws Error, and changes nothing, if the
  /// arrival breaks a rule.
  NodeId decide(std::span<const NodeId> nodes, std::span<const float> weights) {
    const Horizon& horizon = state_.market().horizon;
    if (horizon.is_known() && state_.history().arrivals >= horizon.arrivals()) {
      fail(ErrorCode::kUsage, "the episode is over after {} arrivals", horizon.arrivals());
    }
    // A state trusts what it is fed; building an instance checks it.
    InstanceBuilder builder(state_.market().num_fixed);
    builder.arrive(nodes, weights);
    const Instance checked = std::move(builder).build();

    state_.arrive(checked.arrival(0));
    const Turn turn{&state_, 0};
    scores_.resize({&turn, 1});
    batch_->score({&turn, 1}, scores_);
    const std::span<const float> row = scores_.row(0);  // of skipping, then of each offer
    const auto best = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    const NodeId node = best == 0 ? kSkip : state_.offers()[best - 1].node;
    state_.decide(node);
    return node;
  }

  const State& state() const { return state_; }

 private:
  State state_;
  std::unique_ptr<Batch> batch_;  // the policy's memory of this episode
  Scores scores_;
};

struct Edges {
  std::vector<NodeId> nodes;
  std::vector<float> weights;
};

Edges parse(const std::string& line) {
  Edges edges;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    std::istringstream parts(word);
    NodeId node = 0;
    char colon = 0;
    float weight = 0;
    if (!(parts >> node >> colon >> weight) || colon != ':' || !parts.eof()) {
      fail(ErrorCode::kData, "\"{}\" is not NODE:WEIGHT", word);
    }
    edges.nodes.push_back(node);
    edges.weights.push_back(weight);
  }
  return edges;
}

int run(const std::string& policy_name, int nodes, int arrivals) {
  const auto problem = problems().make("e-obm");
  const Market market{.num_fixed = nodes, .horizon = Horizon::known(arrivals)};
  const auto policy = resolve(policy_name, *problem, {.problem = "e-obm"}).policy;
  LiveEpisode episode(*problem, market, *policy);
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const Edges edges = parse(line);
      const NodeId node = episode.decide(edges.nodes, edges.weights);
      fmt::print("{}\n", node == kSkip ? "skip" : fmt::format("node {}", node));
    } catch (const Error& error) {
      fmt::print("refused: {}\n", error.what());
    }
  }
  fmt::print("value {:.4f} after {} arrivals\n", episode.state().value(),
             episode.state().history().arrivals);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: live_decisions POLICY NODES ARRIVALS\n");
    return 2;
  }
  try {
    return run(argv[1], std::stoi(argv[2]), std::stoi(argv[3]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "live_decisions: {}\n", error.what());
    return 1;
  }
}
