#include "foresight/eval/episode.h"

namespace foresight {

Episode record_instance(const Problem& problem, const Instance& instance, const Label& label) {
  Episode episode;
  episode.num_fixed = instance.market().num_fixed;
  for (NodeId u = 0; problem.traits().amounts() && u < episode.num_fixed; ++u) {
    episode.capacities.push_back(problem.capacity(instance.market(), u));
  }
  State state(problem, instance.market());
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival arrival = instance.arrival(t);
    episode.arrivals.push_back({{arrival.nodes.begin(), arrival.nodes.end()},
                                {arrival.weights.begin(), arrival.weights.end()}});
    state.arrive(arrival);
    const NodeId choice = label.matching[static_cast<std::size_t>(t)];
    episode.optimum.choices.push_back(choice);
    episode.optimum.gains.push_back(state.decide(choice));
  }
  episode.optimum.policy = "optimum";
  episode.optimum.value = state.value();
  return episode;
}

RecordedPlay record_play(const Problem& problem, const Instance& instance, const Policy& policy,
                         const PlayOptions& options, bool with_shares) {
  RecordedPlay record;
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
  };
  record.value = play(bind_instances(problem, {&instance, 1}), policy, observed).front().value;
  return record;
}

}  // namespace foresight
