// gnn-hist: parity with the reference's network, and equality of the folded, incremental encoder
// with a plain one that embeds the whole graph again at every step.
#include <cmath>

#include "tests/expect_error.h"
#include "tests/golden_episode.h"
#include <gtest/gtest.h>

#include "foresight/policy/model.h"
#include "foresight/policy/play.h"

namespace foresight {
namespace {

const Schema kCoverageSchema = {.problem = "osbm",
                                .arrival_attributes = {"gender", "age", "occupation"},
                                .topics = {"a", "b", "c", "d"}};

std::unique_ptr<Model> build(const std::string& spec, const Schema& schema) {
  return models().make(spec)->build({schema, 0});
}

// ---- the network as the paper describes it, in double precision and without shortcuts

using Vector = std::vector<double>;

Vector operator+(Vector a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Vector operator*(double factor, Vector a) {
  for (double& x : a) x *= factor;
  return a;
}

Vector concatenate(const std::vector<Vector>& parts) {
  Vector all;
  for (const Vector& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct PlainGnn {
  explicit PlainGnn(const Parameters& parameters) {
    for (const auto& tensor : parameters.tensors()) {
      const auto values = parameters[tensor.name];
      p[tensor.name] = Vector(values.begin(), values.end());
    }
    embed = p["initial_stepcontext"].size();
  }

  /// weight x, the weight having a row per output.
  Vector product(const std::string& name, const Vector& x) const {
    const Vector& weight = p.at(name);
    Vector y(weight.size() / x.size());
    for (std::size_t i = 0; i < weight.size(); ++i) y[i / x.size()] += weight[i] * x[i % x.size()];
    return y;
  }
  Vector linear(const std::string& name, const Vector& x) const {
    return product(name + ".weight", x) + p.at(name + ".bias");
  }
  /// x^T W(w)
  Vector message(const Vector& x, double w) const {
    const Vector& weight = p.at("embedder.l1.weight");
    const Vector& bias = p.at("embedder.l1.bias");
    Vector y(embed);
    for (std::size_t i = 0; i < embed * embed; ++i) {
      y[i % embed] += x[i / embed] * (w * weight[i] + bias[i]);
    }
    return y;
  }
  Vector convolve(const Vector& x, const Vector& messages, std::size_t neighbours) const {
    return product("embedder.conv1.lin.weight", x) + p.at("embedder.conv1.bias") +
           1.0 / static_cast<double>(std::max<std::size_t>(neighbours, 1)) * messages;
  }

  struct Seen {
    std::vector<Offer> edges;
    std::vector<float> attributes;
    NodeId choice = kSkip;
  };

  /// Scores of skip and the offers; `seen` ends with the current arrival.
  Vector scores(const State& state, const std::vector<Seen>& seen) const {
    const Market& market = state.market();
    const bool budgets = !market.budgets.empty();
    const bool attributes = p.contains("embedder.node_embed_v.weight");
    const auto fixed = static_cast<std::size_t>(market.num_fixed);
    const auto topics = static_cast<std::size_t>(market.num_topics);
    std::vector<Vector> inputs(fixed + 1, Vector(topics + 1));  // skip, then the fixed nodes
    inputs[0].back() = attributes ? 0 : -1;
    for (std::size_t u = 0; u < fixed; ++u) {
      const auto node = static_cast<NodeId>(u);
      for (const auto topic : market.topics_of(node)) {
        inputs[u + 1][static_cast<std::size_t>(topic)] = 1;
      }
      if (budgets) inputs[u + 1].back() = state.remaining(node);
    }
    for (const Seen& past : seen) {
      if (!budgets && past.choice != kSkip) {
        inputs[static_cast<std::size_t>(past.choice) + 1].back() = 1;
      }
    }
    std::vector<Vector> x;
    for (const Vector& input : inputs) x.push_back(linear("embedder.node_embed_u", input));

    std::vector<Vector> to_fixed(fixed + 1, Vector(embed));
    std::vector<std::size_t> degree(fixed + 1);
    std::vector<Vector> arrivals;
    for (const Seen& arrival : seen) {
      Vector input(arrival.attributes.begin(), arrival.attributes.end());
      if (!attributes) {
        input.assign(topics + 1, 0);
        input.back() = budgets ? -2 : 2;
      }
      const Vector own =
          linear(attributes ? "embedder.node_embed_v" : "embedder.node_embed_u", input);
      Vector messages(embed);
      auto edges = arrival.edges;
      edges.push_back({kSkip, 0, 0});
      for (const Offer& edge : edges) {
        const auto u = static_cast<std::size_t>(edge.node + 1);
        messages = messages + message(x[u], static_cast<double>(edge.gain));
        to_fixed[u] = to_fixed[u] + message(own, static_cast<double>(edge.gain));
        ++degree[u];
      }
      arrivals.push_back(convolve(own, messages, edges.size()));
    }
    std::vector<Vector> e;
    Vector mean(embed);
    for (std::size_t u = 0; u <= fixed; ++u) {
      e.push_back(convolve(x[u], to_fixed[u], degree[u]));
      mean = mean + 1 / static_cast<double>(fixed + 1) * e.back();
    }
    const std::size_t decided = seen.size() - 1;
    Vector solution = decided == 0 ? p.at("initial_stepcontext") : Vector(embed);
    for (std::size_t s = 0; s < decided; ++s) {
      const auto u = static_cast<std::size_t>(seen[s].choice + 1);
      solution = solution + 1 / static_cast<double>(decided) *
                                linear("step_context_transf", concatenate({e[u], arrivals[s]}));
    }
    const double scale = budgets ? state.total_capacity() : static_cast<double>(fixed);
    Vector result;
    std::vector<Offer> candidates = {{kSkip, 0, 0}};
    candidates.insert(candidates.end(), state.offers().begin(), state.offers().end());
    for (const Offer& offer : candidates) {
      Vector h = concatenate(
          {{static_cast<double>(offer.gain), static_cast<double>(decided) / market.horizon,
            state.value() / scale, offer.node == kSkip ? 1.0 : 0.0, 0.0},
           arrivals.back(),
           e[static_cast<std::size_t>(offer.node + 1)],
           solution,
           mean});
      for (int layer = 0; p.contains("ff." + std::to_string(layer) + ".weight"); layer += 2) {
        if (layer > 0) {
          for (double& value : h) value = std::max(value, 0.0);
        }
        h = linear("ff." + std::to_string(layer), h);
      }
      result.push_back(h[0]);
    }
    return result;
  }

  std::map<std::string, Vector> p;
  std::size_t embed;
};

// ---- random episodes

Instance random_instance(const std::string& problem, Rng& rng, int arrivals) {
  constexpr NodeId kFixed = 5;
  InstanceBuilder builder(kFixed);
  if (problem == "adwords") builder.set_budgets({1.0F, 0.5F, 2.0F, 0.7F, 1.3F});
  if (problem == "osbm") builder.set_topics(4, {{0, 2}, {1}, {}, {0, 1, 3}, {2}});
  std::vector<std::vector<float>> preferences(3), attributes(3);
  for (std::size_t user = 0; user < 3; ++user) {
    for (int i = 0; i < 4; ++i) preferences[user].push_back(static_cast<float>(rng.uniform()));
    for (int i = 0; i < 3; ++i) attributes[user].push_back(static_cast<float>(rng.uniform()));
  }
  for (int t = 0; t < arrivals; ++t) {
    std::vector<NodeId> nodes;
    std::vector<float> weights;
    for (NodeId u = 0; u < kFixed; ++u) {
      if (rng.uniform() < 0.5) continue;
      nodes.push_back(u);
      weights.push_back(static_cast<float>(rng.uniform()));
    }
    if (problem == "osbm") {
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

class GnnHist : public testing::TestWithParam<const char*> {};

TEST_P(GnnHist, ScoresEqualThoseOfAPlainEmbeddingOfTheWholeGraph) {
  const auto problem = problems().make(GetParam());
  const auto instances = random_instances(GetParam(), {14, 9, 20});
  const auto model = build("gnn-hist(embed=7,hidden=11)", schema_of(GetParam()));
  Rng rng(1, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));
  const PlainGnn plain(model->parameters());
  const auto batch = model->begin(open_episodes(instances, {}));
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
  const auto problem = problems().make(GetParam());
  const auto instances = random_instances(GetParam(), {6, 4});
  const auto model = build("gnn-hist(embed=3,hidden=5)", schema_of(GetParam()));
  Rng rng(5, Stream::kInitialise, 0);
  Parameters parameters = model->initial_parameters(rng);
  for (float& bias : parameters["embedder.conv1.bias"]) bias = 0.3F;
  model->set_parameters(parameters);

  const auto batch = model->record({}, Model::Record::kChoices);
  batch->restart(open_episodes(instances, {}));
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

INSTANTIATE_TEST_SUITE_P(Problems, GnnHist, testing::Values("e-obm", "osbm", "adwords"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// ---- parity: parameters set by the formula of the golden files

class GnnGolden : public testing::TestWithParam<const char*> {};

TEST_P(GnnGolden, OutputsAgreeWithTheReference) {
  FORESIGHT_NEEDS_SHARED("golden");
  const GoldenEpisode episode(GetParam());
  Schema schema = schema_of(episode.problem->name());
  schema.topics.resize(static_cast<std::size_t>(episode.instance.market().num_topics));
  const auto model = build("gnn-hist", schema);
  Parameters parameters = model->parameters();
  double k = 0;
  for (const auto& tensor : episode.json["parameters"]["gnn-hist"]) {
    const auto name = tensor[0].get<std::string>();
    const auto found = std::ranges::find(parameters.tensors(), name, &Parameters::Tensor::name);
    ASSERT_NE(found, parameters.tensors().end()) << name;
    EXPECT_EQ(found->shape, tensor[1].get<std::vector<std::size_t>>()) << name;
    const auto values = parameters[name];
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(0.3 * std::sin(0.7 * static_cast<double>(i) + k));
    }
    ++k;
  }
  ASSERT_EQ(static_cast<std::size_t>(k), parameters.tensors().size());
  model->set_parameters(parameters);

  const auto batch = model->begin(open_episodes({&episode.instance, 1}, {}));
  Scores scores;
  episode.replay([&](const State& state, const nlohmann::json&, int t) {
    const Turn turn{&state, 0};
    scores.resize({&turn, 1});
    batch->score({&turn, 1}, scores);
    if (state.offers().empty()) return;
    const auto& expected = episode.json["outputs"]["gnn-hist"][static_cast<std::size_t>(t)];
    const auto row = scores.row(0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto node = i == 0 ? 0 : static_cast<std::size_t>(state.offers()[i - 1].node) + 1;
      const double wanted = expected[node].get<double>();
      EXPECT_NEAR(row[i], wanted, 1e-5 * std::abs(wanted)) << "step " << t << " node " << node;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Episodes, GnnGolden, testing::ValuesIn(kGoldenEpisodes), golden_name);

// ---- what it refuses

TEST(GnnHistModel, RefusesInstancesWithoutTheAttributesItWasBuiltFor) {
  Rng rng(3, Stream::kInstance, 0);
  const auto problem = problems().make("osbm");
  const Instance instance = random_instance("osbm", rng, 3);
  Schema schema = kCoverageSchema;
  schema.topics.push_back("e");
  expect_error(ErrorCode::kData, {"5 topics", "4"}, [&] {
    play(*problem, {&instance, 1}, *build("gnn-hist", schema), {});
  });
  schema = kCoverageSchema;
  schema.arrival_attributes.pop_back();
  expect_error(ErrorCode::kData, {"2 attributes", "3"}, [&] {
    play(*problem, {&instance, 1}, *build("gnn-hist", schema), {});
  });
}

TEST(GnnHistModel, RefusesMoreThanOneEncoderLayer) {
  expect_error(ErrorCode::kUsage, {"encoder", "2"}, [] { models().make("gnn-hist(encoder=2)"); });
}

TEST(GnnHistModel, RefusesImitation) {
  const auto model = build("gnn-hist", {.problem = "e-obm"});
  expect_error(ErrorCode::kUsage, {"imitation"},
               [&] { model->record({}, Model::Record::kOutputs); });
}

}  // namespace
}  // namespace foresight
