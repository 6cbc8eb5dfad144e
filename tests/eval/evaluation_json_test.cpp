// An evaluation as a file: read back as it was written, and refused in clear words when spoilt.
#include "tests/expect_error.h"
#include "tests/named_market.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/eval/evaluate.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

Evaluation small_evaluation() {
  const auto source = sources().make("thick-z(u=4,v=8)");
  const BoundDataset data =
      solve(bind_data(generate(*source, {"thick-z(u=4,v=8)", 5}, 6, 1, no_progress())), {},
            no_progress());
  std::vector<Contestant> contestants = {make_contestant("greedy", data),
                                         make_contestant("msvv", data)};
  contestants[1].model = "inv-ff(hidden=3)";
  contestants[1].trained_on = "thick-z(u=4,v=4)";
  Evaluation evaluation = evaluate(data, contestants, {.seed = 9, .episodes = 2}, no_progress());
  evaluation.command = "foresight evaluate \"a b\"";
  return evaluation;
}

/// The text with one change made to the document.
std::string changed(const std::function<void(nlohmann::json&)>& change) {
  auto json = nlohmann::json::parse(to_json(small_evaluation()));
  change(json);
  return json.dump();
}

TEST(EvaluationJson, IsReadBackAsItWasWritten) {
  const Evaluation written = small_evaluation();
  const Evaluation read = evaluation_from_json(to_json(written), "file");
  EXPECT_EQ(read.problem, "adwords");
  EXPECT_EQ(read.command, written.command);
  EXPECT_EQ(read.provenance, written.provenance);
  EXPECT_EQ(read.num_instances, 6U);
  EXPECT_EQ(read.options.seed, 9U);
  ASSERT_EQ(read.policies.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const PolicyResult &a = read.policies[i], &b = written.policies[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.model, b.model);
    EXPECT_EQ(a.trained_on, b.trained_on);
    EXPECT_EQ(a.ratios, b.ratios);
    EXPECT_EQ(a.ratio.mean, b.ratio.mean);
    EXPECT_EQ(a.against_first.wilcoxon_p, b.against_first.wilcoxon_p);
    EXPECT_EQ(a.agreement_optimum, b.agreement_optimum);
    EXPECT_EQ(a.agreement_greedy, b.agreement_greedy);
    EXPECT_EQ(a.p99_microseconds, b.p99_microseconds);
  }
  ASSERT_EQ(read.episodes.size(), 2U);
  const Episode &a = read.episodes[1], &b = written.episodes[1];
  EXPECT_EQ(a.instance, 1U);
  EXPECT_EQ(a.capacities, b.capacities);
  EXPECT_EQ(a.use, Traits::Use::kGain);
  EXPECT_EQ(a.plays[1].costs, b.plays[1].gains);
  EXPECT_EQ(a.arrivals[3].weights, b.arrivals[3].weights);
  EXPECT_EQ(a.optimum.choices, b.optimum.choices);
  ASSERT_EQ(a.plays.size(), 2U);
  EXPECT_TRUE(a.plays[0].offers[0].shares.empty());
  EXPECT_EQ(a.plays[1].offers[2].shares, b.plays[1].offers[2].shares);
  EXPECT_EQ(a.plays[1].gains, b.plays[1].gains);
}

Evaluation named_evaluation() {
  const BoundDataset data = named_market();
  const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
  return evaluate(data, contestants, {.episodes = 1}, no_progress());
}

TEST(EvaluationJson, NamesCapacitiesAndCostsComeBack) {
  const Evaluation written = named_evaluation();
  const Evaluation read = evaluation_from_json(to_json(written), "file");
  const Episode &a = read.episodes.at(0), &b = written.episodes.at(0);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.names[3], "=Chen");
  EXPECT_EQ(a.capacities, b.capacities);
  EXPECT_EQ(a.use, Traits::Use::kCost);
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(a.arrivals[t].name, b.arrivals[t].name);
    EXPECT_EQ(a.arrivals[t].costs, b.arrivals[t].costs);
  }
  EXPECT_EQ(a.optimum.costs, b.optimum.costs);
  EXPECT_EQ(a.plays[0].costs, b.plays[0].costs);
  EXPECT_EQ(to_json(read), to_json(written));
}

TEST(EvaluationJson, AnEpisodeWithoutNamesAndCapacitiesHasTheFieldsItAlwaysHad) {
  const auto source = sources().make("crowd(u=3,v=2)");
  const BoundDataset data =
      solve(bind_data(generate(*source, {"crowd", 5}, 1, 1, no_progress())), {}, no_progress());
  const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
  const auto json = nlohmann::ordered_json::parse(
      to_json(evaluate(data, contestants, {.episodes = 1}, no_progress())));
  const auto keys = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& item : object.items()) names.push_back(item.key());
    return names;
  };
  using Keys = std::vector<std::string>;
  const auto& episode = json["episodes"][0];
  EXPECT_EQ(keys(episode), (Keys{"instance", "fixed", "arrivals", "optimum", "plays"}));
  EXPECT_EQ(keys(episode["arrivals"][0]), (Keys{"nodes", "weights"}));
  EXPECT_EQ(keys(episode["optimum"]), (Keys{"policy", "choices", "gains", "value"}));
  EXPECT_EQ(keys(episode["plays"][0]), (Keys{"policy", "choices", "gains", "value", "offers"}));
}

TEST(EvaluationJson, BudgetsOfOldFilesAreCapacitiesOfWhichAMatchTakesItsGain) {
  const std::string old = changed([](nlohmann::json& json) {
    for (auto& episode : json["episodes"]) {
      episode["budgets"] = episode["capacities"];
      episode.erase("capacities");
      episode.erase("takes");
      episode["optimum"].erase("costs");
      for (auto& play : episode["plays"]) play.erase("costs");
    }
  });
  const Episode a = evaluation_from_json(old, "file").episodes[1];
  const Episode b = small_evaluation().episodes[1];
  EXPECT_EQ(a.capacities, b.capacities);
  EXPECT_EQ(a.use, Traits::Use::kGain);
  EXPECT_EQ(a.optimum.costs, b.optimum.costs);
  EXPECT_EQ(a.plays[1].costs, b.plays[1].costs);
}

TEST(EvaluationJson, SpoiltFilesAreRefusedWithTheFieldThatIsWrong) {
  using Json = nlohmann::json;
  const auto refuse = [](std::initializer_list<std::string> pieces,
                         const std::function<void(Json&)>& change) {
    const std::string text = changed(change);
    expect_error(ErrorCode::kData, pieces, [&] { evaluation_from_json(text, "r.json"); });
  };
  refuse({"r.json", "is not an evaluation"}, [](Json& json) { json["format"] = "other"; });
  refuse({"r.json", "version", "reads version 1"}, [](Json& json) { json["version"] = 2; });
  refuse({"policies", "is empty"}, [](Json& json) { json["policies"] = Json::array(); });
  refuse({"policies[1].ratios[2]", "1.5"},
         [](Json& json) { json["policies"][1]["ratios"][2] = 1.5; });
  refuse({"policies[0].ratios[0]", "is null"},
         [](Json& json) { json["policies"][0]["ratios"][0] = nullptr; });
  refuse({"policies[0].ratios", "5 entries, expected 6"},
         [](Json& json) { json["policies"][0]["ratios"].erase(0); });
  refuse({"policies[1]", "no field \"name\""},
         [](Json& json) { json["policies"][1].erase("name"); });
  refuse({"episodes[0].plays[1].choices[0]", "but is 77"},
         [](Json& json) { json["episodes"][0]["plays"][1]["choices"][0] = 77; });
  refuse({"episodes[0].optimum", "8 choices"},
         [](Json& json) { json["episodes"][0]["optimum"]["choices"].erase(0); });
  const auto of_episode = [&](std::initializer_list<std::string> pieces,
                              const std::function<void(Json&)>& change) {
    refuse(pieces, [&](Json& json) { change(json["episodes"][0]); });
  };
  of_episode({"fixed", "negative"}, [](Json& episode) { episode["fixed"] = -1; });
  of_episode({"capacities", "3 entries for 4"},
             [](Json& episode) { episode["capacities"].erase(0); });
  of_episode({"budgets", "0 entries for 4"},
             [](Json& episode) { episode["budgets"] = Json::array(); });
  of_episode({"takes", "must be one of one, gain, cost, other", "all"},
             [](Json& episode) { episode["takes"] = "all"; });
  of_episode({"fixed_names", "1 entries for 4"},
             [](Json& episode) { episode["fixed_names"] = {"Ana"}; });
  of_episode({"fixed_names[0]", "text"}, [](Json& episode) {
    episode["fixed_names"] = {1, 2, 3, 4};
  });
  of_episode({"arrivals[1].name"}, [](Json& episode) { episode["arrivals"][1]["name"] = 3; });
  of_episode({"arrivals[1].costs", "entries for"}, [](Json& episode) {
    episode["arrivals"][1]["costs"] = {1, 2, 3, 4, 5};
  });
  of_episode({"plays[0].costs", "7 entries for 8 arrivals"},
             [](Json& episode) { episode["plays"][0]["costs"].erase(0); });
  of_episode({"arrivals[1].nodes[0]", "from 0 to 3", "but is 4"},
             [](Json& episode) { episode["arrivals"][1]["nodes"][0] = 4; });
  of_episode({"arrivals[1].weights", "entries for"},
             [](Json& episode) { episode["arrivals"][1]["weights"].push_back(1); });
  of_episode({"plays[0].offers", "7 entries for 8 arrivals"},
             [](Json& episode) { episode["plays"][0]["offers"].erase(0); });
  of_episode({"plays[1].offers[2].shares", "0 entries"},
             [](Json& episode) { episode["plays"][1]["offers"][2]["shares"] = Json::array(); });
  expect_error(ErrorCode::kData, {"r.json", "is not valid JSON: it ends too early"},
               [] { evaluation_from_json(to_json(small_evaluation()).substr(0, 500), "r.json"); });
}

TEST(EvaluationJson, NamesThatAreNoUtf8DoNotBreakIt) {
  Evaluation evaluation = small_evaluation();
  evaluation.policies[0].name = "bad \xff byte";
  const Evaluation read = evaluation_from_json(to_json(evaluation), "file");
  EXPECT_EQ(read.policies[0].name, "bad \xef\xbf\xbd byte");
}

}  // namespace
}  // namespace foresight
