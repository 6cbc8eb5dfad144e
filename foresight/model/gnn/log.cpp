#include "foresight/model/gnn/log.h"

#include <cassert>

namespace foresight {

EpisodeLog::EpisodeLog(const NodeInputs& inputs, const Market& market)
    : inputs_(inputs), fixed_nodes_(static_cast<std::size_t>(market.num_fixed) + 1) {
  inputs.check(market);
  inputs.fill_skip(add_input());
  for (NodeId u = 0; u < market.num_fixed; ++u) inputs.fill_fixed(market, u, add_input());
}

std::size_t EpisodeLog::input_width(const NodeInputs& inputs) {
  return inputs.fixed() + (inputs.one_embedding() ? 0 : inputs.arrival());
}

std::span<float> EpisodeLog::add_input() {
  const std::size_t width = input_width(inputs_);
  node_inputs_.resize(node_inputs_.size() + width);
  return std::span(node_inputs_).last(width);
}

std::span<const float> EpisodeLog::input(std::size_t node) const {
  const std::size_t width = input_width(inputs_);
  return std::span(node_inputs_).subspan(node * width, width);
}

void EpisodeLog::observe(const State& state) {
  assert(static_cast<std::size_t>(state.history().arrivals) == arrivals());
  inputs_.check(state.arrival());
  if (arrivals() > 0) {
    const NodeId choice = state.last_choice();
    decisions_.push_back(
        {static_cast<std::size_t>(choice + 1),
         choice == kSkip ? inputs_.skip_state() : inputs_.matched_state(state, choice)});
  }
  const auto input = add_input();
  if (inputs_.one_embedding()) {
    input[inputs_.state()] = inputs_.arrival_state();
    input[inputs_.fixed() - 1] = 1;
  } else {
    inputs_.fill_arrival(state.arrival(), input.subspan(inputs_.fixed()));
  }
  edges_.push_back({0, 0});
  for (const Offer& edge : state.edges()) {
    edges_.push_back({static_cast<std::uint32_t>(edge.node + 1), inputs_.measured(edge).gain});
  }
  first_edge_.push_back(edges_.size());
}

}  // namespace foresight
