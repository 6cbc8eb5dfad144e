#include "foresight/eval/episode.h"

#include <algorithm>

#include "foresight/base/index.h"

namespace foresight {

namespace {

std::vector<std::string> names_of(const Market& market) {
  std::vector<std::string> names;
  bool any = false;
  for (NodeId u = 0; !market.names.empty() && u < market.num_fixed; ++u) {
    any |= !names.emplace_back(market.names[index(u)]).empty();
  }
  return any ? names : std::vector<std::string>();
}

/// Without capacities, a match takes all of its node.
bool has_capacities(const Problem& problem, const Market& market) {
  return problem.traits().amounts() || !market.capacities.empty();
}

float cost_of(std::span<const Offer> offers, NodeId node) {
  const auto offer = std::ranges::find(offers, node, &Offer::node);
  return offer == offers.end() ? 0 : offer->cost;
}

}  // namespace

Episode record_instance(const Problem& problem, const Instance& instance, const Label& label) {
  const Market& market = instance.market();
  Episode episode;
  episode.num_fixed = market.num_fixed;
  episode.names = names_of(market);
  episode.use = problem.traits().use;
  const bool capacities = has_capacities(problem, market);
  for (NodeId u = 0; capacities && u < market.num_fixed; ++u) {
    episode.capacities.push_back(problem.capacity(market, u));
  }
  State state(problem, market);
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival arrival = instance.arrival(t);
    episode.arrivals.push_back({{arrival.nodes.begin(), arrival.nodes.end()},
                                {arrival.weights.begin(), arrival.weights.end()},
                                {arrival.costs.begin(), arrival.costs.end()},
                                std::string(arrival.name)});
    state.arrive(arrival);
    const NodeId choice = label.matching[index(t)];
    episode.optimum.choices.push_back(choice);
    if (capacities) episode.optimum.costs.push_back(cost_of(state.offers(), choice));
    episode.optimum.gains.push_back(state.decide(choice));
  }
  episode.optimum.policy = "optimum";
  episode.optimum.value = state.value();
  return episode;
}

RecordedPlay record_play(const Problem& problem, const Instance& instance, const Policy& policy,
                         const PlayOptions& options, bool with_shares) {
  RecordedPlay record;
  const bool capacities = has_capacities(problem, instance.market());
  PlayOptions observed = options;
  observed.observer = [&](std::span<const Turn> turns, Scores& scores,
                          std::span<const std::size_t> choices) {
    RecordedOffers& offers = record.offers.emplace_back();
    offers.nodes.push_back(kSkip);
    offers.gains.push_back(0);
    for (const Offer& offer : turns[0].state->offers()) {
      offers.nodes.push_back(offer.node);
      offers.gains.push_back(offer.gain);
    }
    if (with_shares) append_softmax(scores.row(0), offers.shares);
    record.choices.push_back(offers.nodes[choices[0]]);
    record.gains.push_back(offers.gains[choices[0]]);
    if (capacities) {
      record.costs.push_back(cost_of(turns[0].state->offers(), record.choices.back()));
    }
  };
  record.value = play(bind_instances(problem, {&instance, 1}), policy, observed).front().value;
  return record;
}

}  // namespace foresight
