// gnn-hist: parity with the reference's network, and equality of both encoders, the folded,
// incremental one and the deep one, with a plain one in double precision.
#include <cmath>
#include <map>

#include "tests/expect_error.h"
#include "tests/model/golden_outputs.h"
#include "tests/model/plain_gnn.h"
#include "tests/temp_folder.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/model/checkpoint.h"
#include "foresight/model/model.h"
#include "foresight/policy/play.h"

namespace foresight {
namespace {

const Schema kCoverageSchema = {.problem = "osbm",
                                .arrival_attributes = {"gender", "age", "occupation"},
                                .topics = {"a", "b", "c", "d"}};

std::shared_ptr<Model> build(const std::string& spec, const Schema& schema) {
  return models().make(spec)->build({schema, 0});
}

// ---- random episodes

/// With order, the same instance whose node u is named order[u].
Instance random_instance(const std::string& problem, Rng& rng, int arrivals,
                         const std::vector<NodeId>& order = {0, 1, 2, 3, 4}) {
  const auto renamed = [&](auto values) {
    auto result = values;
    for (std::size_t u = 0; u < order.size(); ++u) {
      result[static_cast<std::size_t>(order[u])] = values[u];
    }
    return result;
  };
  InstanceBuilder builder(static_cast<NodeId>(order.size()));
  if (problem == "adwords") {
    builder.set_capacities(renamed(std::vector{1.0F, 0.5F, 2.0F, 0.7F, 1.3F}));
  }
  if (problem == "gen-assignment") {
    builder.set_capacities(renamed(std::vector{1.0F, 0.5F, 2.0F, 0.0F, 1.3F}));
  }
  if (problem == "osbm") {
    builder.set_topics(
        4, renamed(std::vector<std::vector<std::int32_t>>{{0, 2}, {1}, {}, {0, 1, 3}, {2}}));
  }
  std::vector<std::vector<float>> preferences(3), attributes(3);
  for (std::size_t user = 0; user < 3; ++user) {
    for (int i = 0; i < 4; ++i) preferences[user].push_back(static_cast<float>(rng.uniform()));
    for (int i = 0; i < 3; ++i) attributes[user].push_back(static_cast<float>(rng.uniform()));
  }
  for (int t = 0; t < arrivals; ++t) {
    std::map<NodeId, float> edges;
    for (const NodeId node : order) {
      if (rng.uniform() < 0.5) continue;
      edges[node] = static_cast<float>(rng.uniform());
    }
    std::vector<NodeId> nodes;
    std::vector<float> weights, costs;
    for (const auto& [node, weight] : edges) {
      nodes.push_back(node);
      weights.push_back(weight);
      costs.push_back(0.25F + std::fmod(7 * weight, 1.0F) / 2);
    }
    if (problem == "gen-assignment") {
      builder.arrive(Arrival{nodes, weights, kNoType, {}, {}, costs});
    } else if (problem == "osbm") {
      const auto user = static_cast<std::size_t>(rng.below(3));
      builder.arrive(nodes, weights, static_cast<std::int32_t>(user), preferences[user],
                     attributes[user]);
    } else {
      builder.arrive(nodes, weights);
    }
  }
  return std::move(builder).build();
}

Schema schema_of(const std::string& problem) {
  return problem == "osbm" ? kCoverageSchema : Schema{.problem = problem};
}

/// Plays episodes of different lengths side by side, with decisions of its own;
/// `visit(turns, seen)` sees each step before it is decided.
template <typename Visit>
void play_scripted(const Problem& problem, std::span<const Instance> instances, Visit&& visit) {
  std::vector<State> states;
  std::vector<std::vector<PlainGnn::Seen>> seen(instances.size());
  for (const Instance& instance : instances) states.emplace_back(problem, instance.market());
  for (int t = 0;; ++t) {
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (t >= instances[i].num_arrivals()) continue;
      const Arrival arrival = instances[i].arrival(t);
      states[i].arrive(arrival);
      seen[i].push_back({{states[i].edges().begin(), states[i].edges().end()},
                         {arrival.attributes.begin(), arrival.attributes.end()}});
      turns.push_back({&states[i], i});
    }
    if (turns.empty()) return;
    visit(turns, seen);
    for (const Turn& turn : turns) {
      const auto offers = turn.state->offers();
      const auto pick = static_cast<std::size_t>(t) * 7 + turn.episode;
      seen[turn.episode].back().choice =
          offers.empty() || pick % 3 == 0 ? kSkip : offers[pick % offers.size()].node;
      states[turn.episode].decide(seen[turn.episode].back().choice);
    }
  }
}

std::vector<Instance> random_instances(const std::string& problem,
                                       std::initializer_list<int> lengths) {
  Rng rng(3, Stream::kInstance, 0);
  std::vector<Instance> instances;
  for (const int arrivals : lengths) {
    instances.push_back(random_instance(problem, rng, arrivals));
  }
  return instances;
}

class GnnHist : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  const std::string name = std::get<0>(GetParam());
  const std::shared_ptr<Problem> problem = problems().make(name);

  std::string spec(int embed, int hidden) const {
    return fmt::format("gnn-hist(embed={},hidden={},encoder={})", embed, hidden,
                       std::get<1>(GetParam()));
  }
  std::shared_ptr<Model> make(int embed, int hidden) const {
    auto model = build(spec(embed, hidden), schema_of(name));
    Rng rng(1, Stream::kInitialise, 0);
    model->set_parameters(model->initial_parameters(rng));
    return model;
  }
};

TEST_P(GnnHist, ScoresEqualThoseOfAPlainEmbeddingOfTheWholeGraph) {
  const auto instances = random_instances(name, {14, 9, 20});
  const auto model = make(7, 11);
  const PlainGnn plain(model->parameters());
  const auto batch = model->begin(open_episodes(bind_instances(*problem, instances), {}));
  Scores scores;
  int compared = 0;
  play_scripted(*problem, instances, [&](std::span<const Turn> turns, const auto& seen) {
    scores.resize(turns);
    batch->score(turns, scores);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const auto row = scores.row(i);
      if (row.size() == 1) {
        EXPECT_EQ(row[0], 0);
        continue;
      }
      const Vector expected = plain.scores(*turns[i].state, seen[turns[i].episode]);
      ASSERT_EQ(row.size(), expected.size());
      for (std::size_t k = 0; k < row.size(); ++k, ++compared) {
        EXPECT_NEAR(row[k], expected[k], 1e-5 * (1 + std::abs(expected[k])));
      }
    }
  });
  EXPECT_GT(compared, 40);
}

TEST_P(GnnHist, GradientsEqualFiniteDifferencesOfThePlainNetwork) {
  const auto instances = random_instances(name, {6, 4});
  const auto model = make(3, 5);
  Parameters parameters = model->parameters();
  for (const auto& tensor : parameters.tensors()) {
    if (!tensor.name.starts_with("embedder.conv") || !tensor.name.ends_with("bias")) continue;
    for (float& bias : parameters[tensor.name]) bias = 0.3F;
  }
  model->set_parameters(parameters);

  const auto batch = model->record({}, Model::Record::kChoices);
  batch->restart(open_episodes(bind_instances(*problem, instances), {}));
  std::vector<float> weights;
  Scores scores;
  play_scripted(*problem, instances, [&](std::span<const Turn> turns, const auto&) {
    scores.resize(turns);
    batch->score(turns, scores);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      for (std::size_t k = 0; k < scores.row(i).size(); ++k) {
        weights.push_back(static_cast<float>(std::sin(1.3 * static_cast<double>(weights.size()))));
      }
    }
  });
  Parameters gradient = model->parameters().zeros();
  batch->backward(weights, gradient);

  PlainGnn plain(parameters);
  const auto loss = [&] {
    double sum = 0;
    std::size_t entry = 0;
    play_scripted(*problem, instances, [&](std::span<const Turn> turns, const auto& seen) {
      for (const Turn& turn : turns) {
        if (turn.state->offers().empty()) {
          ++entry;
          continue;
        }
        for (const double score : plain.scores(*turn.state, seen[turn.episode])) {
          sum += static_cast<double>(weights[entry++]) * score;
        }
      }
    });
    return sum;
  };
  for (const auto& tensor : parameters.tensors()) {
    double largest = 0;
    for (std::size_t i = 0; i < tensor.size; ++i) {
      double& value = plain.p[tensor.name][i];
      const double start = value;
      const double step = 1e-6;
      value = start + step;
      const double above = loss();
      value = start - step;
      const double slope = (above - loss()) / (2 * step);
      value = start;
      EXPECT_NEAR(gradient[tensor.name][i], slope, 1e-4 * (1 + std::abs(slope)))
          << tensor.name << " " << i;
      largest = std::max(largest, std::abs(slope));
    }
    EXPECT_GT(largest, 1e-3) << tensor.name << " has no gradient to compare";
  }
}

TEST_P(GnnHist, AnEpisodeAloneGetsTheSameScoresToTheBit) {
  const auto instances = random_instances(name, {14, 9, 20, 3, 11, 14, 8, 12, 16, 7, 10});
  const auto model = make(7, 11);
  const auto openings = open_episodes(bind_instances(*problem, instances), {});
  const auto together = model->begin(openings);
  std::vector<std::unique_ptr<Batch>> alone;
  for (const Opening& opening : openings) alone.push_back(model->begin({&opening, 1}));
  Scores all, one;
  play_scripted(*problem, instances, [&](std::span<const Turn> turns, const auto&) {
    all.resize(turns);
    together->score(turns, all);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Turn turn{turns[i].state, 0};
      one.resize({&turn, 1});
      alone[turns[i].episode]->score({&turn, 1}, one);
      EXPECT_TRUE(std::ranges::equal(one.row(0), all.row(i)));
    }
  });
}

TEST_P(GnnHist, DoesNotCareForTheOrderOfTheFixedNodes) {
  const auto model = make(7, 11);
  const std::vector<NodeId> order = {3, 0, 4, 2, 1};
  const auto renamed = [&](NodeId u) { return order[static_cast<std::size_t>(u)]; };
  Rng first(4, Stream::kInstance, 0), second(4, Stream::kInstance, 0);
  const Instance instances[] = {random_instance(name, first, 20),
                                random_instance(name, second, 20, order)};
  State a(*problem, instances[0].market()), b(*problem, instances[1].market());
  const Turn turns[] = {{&a, 0}, {&b, 1}};
  const auto batch = model->begin(open_episodes(bind_instances(*problem, instances), {}));
  Scores scores;
  int compared = 0;
  for (int t = 0; t < instances[0].num_arrivals(); ++t) {
    a.arrive(instances[0].arrival(t));
    b.arrive(instances[1].arrival(t));
    scores.resize(turns);
    batch->score(turns, scores);
    const auto offers = a.offers();
    ASSERT_EQ(offers.size(), b.offers().size());
    for (std::size_t k = 0; k < offers.size(); ++k, ++compared) {
      const auto same = std::ranges::find(b.offers(), renamed(offers[k].node), &Offer::node);
      ASSERT_NE(same, b.offers().end());
      const auto other = static_cast<std::size_t>(same - b.offers().begin());
      EXPECT_NEAR(scores.row(0)[k + 1], scores.row(1)[other + 1], 1e-5);
    }
    EXPECT_NEAR(scores.row(0)[0], scores.row(1)[0], 1e-5);
    const bool skip = offers.empty() || t % 3 == 0;
    const NodeId choice = skip ? kSkip : offers[static_cast<std::size_t>(t) % offers.size()].node;
    a.decide(choice);
    b.decide(skip ? kSkip : renamed(choice));
  }
  EXPECT_GT(compared, 10);
}

TEST_P(GnnHist, ACheckpointGivesTheSameModelBack) {
  const TempFolder folder;
  const auto model = make(7, 11);
  SafeTensorsWriter writer;
  write_model(writer, {spec(7, 11), {schema_of(name), 5}, {}}, *model);
  writer.write(folder.path() / "model");
  const TrainedModel loaded = load_model(folder.path() / "model");
  EXPECT_EQ(loaded.model->parameters(), model->parameters());
  const auto instances = random_instances(name, {14, 9, 20});
  const auto a = play(bind_instances(*problem, instances), *model, {});
  const auto b = play(bind_instances(*problem, instances), *loaded.model, {});
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].matching, b[i].matching);
}

INSTANTIATE_TEST_SUITE_P(Problems, GnnHist,
                         testing::Combine(testing::Values("e-obm", "osbm", "adwords",
                                                          "gen-assignment"),
                                          testing::Values(1, 2, 3)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param);
                           std::erase(name, '-');
                           return name + std::to_string(std::get<1>(test.param));
                         });

// ---- parity: parameters set by the formula of the golden files

class GnnGolden : public testing::TestWithParam<const char*> {};

TEST_P(GnnGolden, OutputsAgreeWithTheReference) {
  FORESIGHT_NEEDS_SHARED("golden");
  const GoldenEpisode episode(GetParam());
  Schema schema = schema_of(episode.problem->name());
  schema.topics.resize(static_cast<std::size_t>(episode.instance.market().num_topics));
  expect_golden_outputs(episode, "gnn-hist", *build("gnn-hist", schema), 0);
}

INSTANTIATE_TEST_SUITE_P(Episodes, GnnGolden, testing::ValuesIn(kGoldenEpisodes), golden_name);

// What costs nothing leaves no trace in what remains: the choice must be known from elsewhere.
TEST(GnnHistAdwords, SeesChoicesThatCostNothing) {
  InstanceBuilder builder(2);
  builder.set_capacities({1, 1});
  for (int t = 0; t < 8; ++t) {
    builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0, t % 2 == 0 ? 0.0F : 0.25F});
  }
  const std::vector<Instance> instances = {std::move(builder).build()};
  const auto problem = problems().make("adwords");
  for (const char* encoder : {"1", "2", "3"}) {
    const auto model = build(fmt::format("gnn-hist(embed=7,hidden=11,encoder={})", encoder),
                             {.problem = "adwords"});
    Rng rng(1, Stream::kInitialise, 0);
    model->set_parameters(model->initial_parameters(rng));
    const PlainGnn plain(model->parameters());
    const auto batch = model->begin(open_episodes(bind_instances(*problem, instances), {}));
    Scores scores;
    int free = 0;
    play_scripted(*problem, instances, [&](std::span<const Turn> turns, const auto& seen) {
      scores.resize(turns);
      batch->score(turns, scores);
      const State& state = *turns[0].state;
      free += state.last_choice() == 0;
      const Vector expected = plain.scores(state, seen[0]);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(scores.row(0)[k], expected[k], 1e-5 * (1 + std::abs(expected[k]))) << encoder;
      }
    });
    EXPECT_GT(free, 0);
  }
}

// ---- what it refuses

class GnnHistModel : public testing::TestWithParam<const char*> {};

TEST_P(GnnHistModel, RefusesInstancesWithoutTheAttributesItWasBuiltFor) {
  Rng rng(3, Stream::kInstance, 0);
  const auto problem = problems().make("osbm");
  const Instance instance = random_instance("osbm", rng, 3);
  Schema schema = kCoverageSchema;
  schema.topics.push_back("e");
  expect_error(ErrorCode::kData, {"5 topics", "4"}, [&] {
    play(bind_instances(*problem, {&instance, 1}), *build(GetParam(), schema), {});
  });
  schema = kCoverageSchema;
  schema.arrival_attributes.pop_back();
  expect_error(ErrorCode::kData, {"2 attributes", "3"}, [&] {
    play(bind_instances(*problem, {&instance, 1}), *build(GetParam(), schema), {});
  });
}

TEST_P(GnnHistModel, RefusesImitation) {
  const auto model = build(GetParam(), {.problem = "e-obm"});
  expect_error(ErrorCode::kUsage, {"imitation"},
               [&] { model->record({}, Model::Record::kOutputs); });
}

INSTANTIATE_TEST_SUITE_P(Encoders, GnnHistModel, testing::Values("gnn-hist", "gnn-hist(encoder=2)"),
                         [](const auto& test) {
                           return std::string(test.index == 0 ? "folded" : "deep");
                         });

}  // namespace
}  // namespace foresight
