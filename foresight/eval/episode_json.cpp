#include <algorithm>
#include <array>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "foresight/base/index.h"
#include "foresight/eval/episode_json_internal.h"

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;

/// What a match takes of its node, in the order of Traits::Use.
constexpr std::array<const char*, 4> kTakes = {"one", "gain", "cost", "other"};

Json play_json(const RecordedPlay& play) {
  Json json = {{"policy", play.policy},
               {"choices", play.choices},
               {"gains", play.gains},
               {"value", play.value}};
  if (!play.costs.empty()) json["costs"] = play.costs;
  if (play.offers.empty()) return json;
  json["offers"] = Json::array();
  for (const RecordedOffers& offers : play.offers) {
    Json& entry =
        json["offers"].emplace_back(Json{{"nodes", offers.nodes}, {"gains", offers.gains}});
    if (!offers.shares.empty()) entry["shares"] = offers.shares;
  }
  return json;
}

/// Fixed nodes, or skip.
std::vector<NodeId> nodes_from(const JsonField& json, NodeId num_fixed) {
  std::vector<NodeId> nodes = json.numbers<NodeId>();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] < kSkip || nodes[i] >= num_fixed) {
      json.at(i).reject(fmt::format("must be a fixed node from 0 to {} or {} for skip, but is {}",
                                    num_fixed - 1, kSkip, nodes[i]));
    }
  }
  return nodes;
}

/// One number for each of the nodes beside it.
std::vector<float> amounts_from(const JsonField& json, std::size_t nodes) {
  std::vector<float> amounts = json.numbers<float>();
  if (amounts.size() != nodes) {
    json.reject(fmt::format("has {} entries for {} nodes", amounts.size(), nodes));
  }
  return amounts;
}

RecordedPlay play_from(const JsonField& json, std::size_t arrivals, NodeId num_fixed) {
  RecordedPlay play;
  play.policy = json["policy"].text();
  play.choices = nodes_from(json["choices"], num_fixed);
  play.gains = json["gains"].numbers<float>();
  play.value = json["value"].number();
  if (play.choices.size() != arrivals || play.gains.size() != arrivals) {
    json.reject(fmt::format("should have {} choices and gains, one per arrival", arrivals));
  }
  if (const auto costs = json.find("costs")) {
    play.costs = costs->numbers<float>();
    if (play.costs.size() != arrivals) {
      costs->reject(fmt::format("has {} entries for {} arrivals", play.costs.size(), arrivals));
    }
  }
  if (const auto offers = json.find("offers")) {
    if (offers->size() != arrivals) {
      offers->reject(fmt::format("has {} entries for {} arrivals", offers->size(), arrivals));
    }
    for (std::size_t t = 0; t < offers->size(); ++t) {
      const JsonField entry = offers->at(t);
      RecordedOffers& to = play.offers.emplace_back();
      to.nodes = nodes_from(entry["nodes"], num_fixed);
      to.gains = amounts_from(entry["gains"], to.nodes.size());
      if (const auto shares = entry.find("shares")) {
        to.shares = amounts_from(*shares, to.nodes.size());
      }
    }
  }
  return play;
}

/// What earlier versions called budgets: each match took its gain.
void read_budgets(const JsonField& budgets, Episode& episode) {
  episode.capacities = amounts_from(budgets, index(episode.num_fixed));
  episode.use = Traits::Use::kGain;
  episode.optimum.costs = episode.optimum.gains;
  for (RecordedPlay& play : episode.plays) play.costs = play.gains;
}

void read_capacities(const JsonField& json, Episode& episode) {
  episode.capacities = amounts_from(json["capacities"], index(episode.num_fixed));
  const std::string takes = json["takes"].text();
  const auto found = std::ranges::find(kTakes, takes);
  if (found == kTakes.end()) {
    json["takes"].reject(
        fmt::format("must be one of {}, but is \"{}\"", fmt::join(kTakes, ", "), takes));
  }
  episode.use = static_cast<Traits::Use>(found - kTakes.begin());
}

}  // namespace

Json market_json(const Episode& episode) {
  Json json = {{"fixed", episode.num_fixed}};
  if (!episode.names.empty()) json["fixed_names"] = episode.names;
  if (!episode.capacities.empty()) {
    json["takes"] = kTakes[static_cast<std::size_t>(episode.use)];
    json["capacities"] = episode.capacities;
  }
  json["arrivals"] = Json::array();
  for (const RecordedArrival& arrival : episode.arrivals) {
    Json& entry = json["arrivals"].emplace_back(Json::object());
    if (!arrival.name.empty()) entry["name"] = arrival.name;
    entry["nodes"] = arrival.nodes;
    entry["weights"] = arrival.weights;
    if (!arrival.costs.empty()) entry["costs"] = arrival.costs;
  }
  return json;
}

Json episode_json(const Episode& episode) {
  Json json = {{"instance", episode.instance}};
  json.update(market_json(episode));
  json["optimum"] = play_json(episode.optimum);
  json["plays"] = Json::array();
  for (const RecordedPlay& play : episode.plays) json["plays"].push_back(play_json(play));
  return json;
}

Episode episode_from(const JsonField& json) {
  Episode episode;
  episode.instance = json["instance"].count();
  episode.num_fixed = json["fixed"].integer<NodeId>();
  if (episode.num_fixed < 0) json["fixed"].reject("is negative");
  if (const auto names = json.find("fixed_names")) {
    episode.names = names->texts();
    if (episode.names.size() != index(episode.num_fixed)) {
      names->reject(
          fmt::format("has {} entries for {} nodes", episode.names.size(), episode.num_fixed));
    }
  }
  const JsonField arrivals = json["arrivals"];
  for (std::size_t t = 0; t < arrivals.size(); ++t) {
    RecordedArrival& arrival = episode.arrivals.emplace_back();
    arrival.nodes = nodes_from(arrivals.at(t)["nodes"], episode.num_fixed);
    arrival.weights = amounts_from(arrivals.at(t)["weights"], arrival.nodes.size());
    arrival.name = arrivals.at(t).text_or_empty("name");
    if (const auto costs = arrivals.at(t).find("costs")) {
      arrival.costs = amounts_from(*costs, arrival.nodes.size());
    }
  }
  episode.optimum = play_from(json["optimum"], arrivals.size(), episode.num_fixed);
  const JsonField plays = json["plays"];
  for (std::size_t i = 0; i < plays.size(); ++i) {
    episode.plays.push_back(play_from(plays.at(i), arrivals.size(), episode.num_fixed));
  }
  if (json.find("capacities")) read_capacities(json, episode);
  if (const auto budgets = json.find("budgets")) read_budgets(*budgets, episode);
  return episode;
}

}  // namespace foresight
