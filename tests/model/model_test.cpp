// The learned models: parity with the reference's networks, exact gradients, and what each
// promises.
#include "foresight/model/model.h"

#include <cmath>
#include <functional>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include "tests/model/golden_outputs.h"
#include "tests/played_sources.h"
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/model/feed.h"
#include "foresight/model/resolve.h"
#include "foresight/nn/adam.h"
#include "foresight/policy/play.h"

namespace foresight {
namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : models().entries()) names.push_back(entry.name);
  return names;
}

std::string test_name(const std::string& name) {
  std::string result = name;
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

std::shared_ptr<Model> build(const std::string& spec, const Schema& schema, NodeId num_fixed,
                             std::uint64_t seed = 1) {
  auto model = models().make(spec)->build({schema, num_fixed});
  Rng rng(seed, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));
  return model;
}

// ---- parity: parameters set by the formula of the golden files

class GoldenOutputs : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(GoldenOutputs, AgreeWithTheReference) {
  FORESIGHT_NEEDS_SHARED("golden");
  const auto [file, name] = GetParam();
  const GoldenEpisode episode(file);
  const auto model = models().make(name)->build(
      {{.problem = episode.problem->name()}, episode.instance.market().num_fixed});
  expect_golden_outputs(episode, name, *model, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Models, GoldenOutputs,
    testing::Combine(testing::ValuesIn(kGoldenEpisodes),
                     testing::Values("ff", "ff-hist", "inv-ff", "inv-ff-hist")),
    [](const auto& test) {
      const std::string file = std::get<0>(test.param);
      return test_name(file.substr(0, file.find('.')) + "-" + std::get<1>(test.param));
    });

// ---- every model, on every problem

const TempFolder& folder() {
  static const TempFolder made;
  return made;
}

/// Plain data, budgets, attributes of both sides, capacities, and costs, with absent nodes.
const std::vector<std::string>& kinds_of_data() {
  static const std::vector<std::string> specs = [] {
    std::vector<std::string> made = {"er(u=4,v=8,p=0.5)", "thick-z(u=4,v=8)"};
    for (const auto& [name, spec] : played_sources(folder())) {
      if (name == "csv with attributes, all arrivals kept" || name == "csv with capacities" ||
          name == "csv with costs and attributes") {
        made.push_back(spec);
      }
    }
    EXPECT_EQ(made.size(), 5U);
    return made;
  }();
  return specs;
}

class EveryModel : public testing::TestWithParam<std::string> {};

// The gradient of a weighted sum of all scores of a fixed sequence of decisions, against finite
// differences. Decisions are scripted, so that the inputs do not depend on the parameters.
TEST_P(EveryModel, GradientsEqualFiniteDifferences) {
  for (const std::string& spec : kinds_of_data()) {
    const auto source = sources().make(spec);
    const auto problem = problems().make(source->schema().problem);
    const auto instances = draw(*source, 3, 21);
    // Values are not divided by a small temperature: what is rounded would be, too.
    const std::string options =
        GetParam().ends_with("value") ? "(hidden=7,temperature=1)" : "(hidden=7)";
    const auto model = build(GetParam() + options, source->schema(), 4);
    // Far from their kinks, ReLUs are linear, so that finite differences are exact: hidden units
    // are wide open or shut.
    Parameters start = model->parameters();
    for (const auto& tensor : start.tensors()) {
      if (tensor.shape.front() != 7) continue;
      const auto values = start[tensor.name];
      if (tensor.shape.size() == 2) {
        for (float& value : values) value *= 0.1F;
      } else {
        for (std::size_t i = 0; i < 7; ++i) values[i] += i % 3 == 0 ? -9.0F : 9.0F;
      }
    }
    model->set_parameters(start);

    std::vector<float> weights;
    const auto evaluate = [&](RecordingBatch& batch) {
      double sum = 0;
      std::size_t entry = 0;
      std::vector<State> states;
      for (const Instance& instance : instances) states.emplace_back(*problem, instance.market());
      Scores scores;
      for (int t = 0; t < instances[0].num_arrivals(); ++t) {
        std::vector<Turn> turns;
        for (std::size_t i = 0; i < instances.size(); ++i) {
          states[i].arrive(instances[i].arrival(t));
          turns.push_back({&states[i], i});
        }
        scores.resize(turns);
        batch.score(turns, scores);
        for (std::size_t i = 0; i < turns.size(); ++i) {
          for (const float score : scores.row(i)) {
            if (entry == weights.size()) {
              const bool choice = scores.row(i).size() > 1;
              weights.push_back(
                  choice ? static_cast<float>(std::sin(1.3 * static_cast<double>(entry) + 1)) : 0);
            }
            sum += static_cast<double>(score) * static_cast<double>(weights[entry++]);
          }
          const auto offers = states[i].offers();
          states[i].decide(
              offers.empty() || (t + static_cast<int>(i)) % 3 == 0 ? kSkip : offers.front().node);
        }
      }
      return sum;
    };
    const auto openings = open_episodes(bind_instances(*problem, instances), {});
    const auto batch = model->record(openings, Model::Record::kChoices);
    evaluate(*batch);
    Parameters gradient = model->parameters().zeros();
    batch->backward(weights, gradient);

    int checked = 0;
    for (std::size_t i = 0; i < start.values().size(); i += 3) {
      const auto at = [&](float shift) {
        Parameters moved = start;
        moved.values()[i] += shift;
        model->set_parameters(moved);
        return evaluate(*model->record(openings, Model::Record::kChoices));
      };
      const float step = 2e-2F;
      const double slope = (at(step) - at(-step)) / (2 * static_cast<double>(step));
      EXPECT_NEAR(gradient.values()[i], slope, 2e-3 * (1 + std::abs(slope)))
          << GetParam() << " " << spec << " parameter " << i;
      ++checked;
    }
    EXPECT_GT(checked, 10);
    model->set_parameters(start);
  }
}

/// A batch that does something before each of its steps, and counts the entries it scored.
class Watched : public Batch {
 public:
  Watched(RecordingBatch& batch, std::function<void(std::span<const Turn>)> before)
      : batch_(batch), before_(std::move(before)) {}

  void score(std::span<const Turn> turns, Scores& scores) override {
    before_(turns);
    batch_.score(turns, scores);
    for (std::size_t i = 0; i < turns.size(); ++i) entries += scores.row(i).size();
  }
  std::size_t entries = 0;

 private:
  RecordingBatch& batch_;
  std::function<void(std::span<const Turn>)> before_;
};

float gradient_of_entry(std::size_t entry) {
  return static_cast<float>(std::sin(1.3 * static_cast<double>(entry) + 1));
}

TEST_P(EveryModel, GradientsOfPiecesAddUpToTheGradientOfTheWhole) {
  std::vector<std::string> specs = {GetParam() + "(hidden=7)"};
  if (GetParam() == "gnn-hist") specs.push_back("gnn-hist(hidden=7,embed=4,encoder=2)");
  for (const std::string& data : kinds_of_data()) {
    const auto source = sources().make(data);
    const auto problem = problems().make(source->schema().problem);
    const auto instances = draw(*source, 5, 21);
    const auto bound = bind_instances(*problem, instances);
    for (const std::string& spec : specs) {
      const auto model = build(spec, source->schema(), 4);
      const auto batch = model->record({}, Model::Record::kChoices);
      // The gradients depend on the number of the entry in the whole rollout.
      const auto gradient = [&](int steps_per_piece) {
        Parameters sum = model->parameters().zeros();
        int step = 0;
        std::size_t done = 0;
        std::vector<float> gradients;
        const auto take = [&](std::size_t entries) {
          gradients.clear();
          for (; done < entries; ++done) gradients.push_back(gradient_of_entry(done));
          batch->backward(gradients, sum);
          batch->forget_rows();
          EXPECT_EQ(batch->bytes(), 0U);
        };
        const PlayOptions options{.decode = Decode::kSample, .seed = 5};
        batch->restart(open_episodes(bound, options));
        std::size_t* entries = nullptr;
        Watched watched(*batch, [&](std::span<const Turn>) {
          if (step++ % steps_per_piece == 0 && step > 1) take(*entries);
        });
        entries = &watched.entries;
        play(bound, watched, options);
        take(watched.entries);
        return sum;
      };
      const Parameters whole = gradient(1000);
      const double scale = norm(whole);
      EXPECT_GT(scale, 0);
      for (const int steps : {1, 3}) {
        const Parameters pieces = gradient(steps);
        for (std::size_t i = 0; i < whole.values().size(); ++i) {
          ASSERT_NEAR(pieces.values()[i], whole.values()[i], 1e-5 * scale)
              << spec << " on " << data << ", parameter " << i;
        }
      }
    }
  }
}

// The tape of a training run has a fixed size, so a model must know what its rows take.
TEST_P(EveryModel, ATapeTakesWhatWasAnnouncedAndNotMuchLess) {
  for (const std::string& data : kinds_of_data()) {
    const auto source = sources().make(data);
    const auto problem = problems().make(source->schema().problem);
    const auto instances = draw(*source, 5, 21);
    const auto bound = bind_instances(*problem, instances);
    const auto model = build(GetParam() + "(hidden=7)", source->schema(), 4);
    const auto batch = model->record({}, Model::Record::kChoices);
    batch->restart(open_episodes(bound, {}));
    std::size_t announced = 0;
    Watched watched(*batch, [&](std::span<const Turn> turns) {
      EXPECT_LE(batch->bytes(), announced);
      for (const Turn& turn : turns) announced += batch->bytes_for(*turn.state);
    });
    play(bound, watched, {.decode = Decode::kSample});
    EXPECT_LE(batch->bytes(), announced);
    // Only inv-value does not know exactly: nodes of which nothing is left need no rows.
    if (GetParam() != "inv-value") {
      EXPECT_EQ(batch->bytes(), announced) << data;
    } else {
      EXPECT_GE(6 * batch->bytes(), announced) << data;
    }
    EXPECT_GT(batch->bytes(), watched.entries * sizeof(float));
  }
}

TEST_P(EveryModel, KnowsItsLargestInput) {
  for (const std::string& data : kinds_of_data()) {
    const auto source = sources().make(data);
    const auto problem = problems().make(source->schema().problem);
    const Instance instance = source->draw(21, 0);
    const auto bound = bind_instances(*problem, {&instance, 1});
    const auto model = build(GetParam() + "(hidden=7)", source->schema(), 4);
    const auto batch = model->record({}, Model::Record::kChoices);
    batch->restart(open_episodes(bound, {}));
    EXPECT_FALSE(batch->largest_input()) << "nothing is recorded yet";
    play(bound, *batch, {});
    const auto largest = batch->largest_input();
    ASSERT_TRUE(largest);
    EXPECT_GE(std::abs(largest->value), 1) << data;
    EXPECT_LE(std::abs(largest->value), 30) << data << " " << largest->column;
  }
}

TEST_P(EveryModel, ABatchGivesTheSameScoresAsAnEpisodeAlone) {
  for (const std::string& spec : kinds_of_data()) {
    const auto source = sources().make(spec);
    const auto problem = problems().make(source->schema().problem);
    const auto instances = draw(*source, 30, 21);
    const auto model = build(GetParam(), source->schema(), 4);
    for (const Decode decode : {Decode::kArgmax, Decode::kSample}) {
      const auto all =
          play(bind_instances(*problem, instances), *model, {.decode = decode, .seed = 5});
      for (std::size_t i = 0; i < instances.size(); ++i) {
        const auto alone = play(bind_instances(*problem, {&instances[i], 1}), *model,
                                {.decode = decode, .seed = 5, .first_index = i});
        ASSERT_EQ(alone[0].matching, all[i].matching) << spec << " instance " << i;
      }
    }
  }
}

TEST_P(EveryModel, ACheckpointGivesTheSameModelBack) {
  const TempFolder folder;
  for (const std::string& spec : kinds_of_data()) {
    const auto source = sources().make(spec);
    const auto problem = problems().make(source->schema().problem);
    const auto model = build(GetParam(), source->schema(), 4);
    SafeTensorsWriter writer;
    write_model(writer, {GetParam(), {source->schema(), 4}, {{"seed", "1"}}}, *model);
    writer.write(folder.path() / "model");
    const TrainedModel loaded = load_model(folder.path() / "model");
    EXPECT_EQ(loaded.model->parameters(), model->parameters());
    EXPECT_EQ(loaded.model->features(), model->features());
    EXPECT_EQ(loaded.info.provenance.at("seed"), "1");
    const auto instances = draw(*source, 10, 21);
    const auto a = play(bind_instances(*problem, instances), *model, {});
    const auto b = play(bind_instances(*problem, instances), *loaded.model, {});
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].matching, b[i].matching);

    Schema other = source->schema();
    other.problem = "osbm";
    expect_error(ErrorCode::kData, {"model", source->schema().problem, "osbm"}, [&] {
      resolve((folder.path() / "model").string(), *problems().make(other.problem), other);
    });
  }
}

TEST_P(EveryModel, ACheckpointThatClaimsMoreThanItHoldsIsRefusedBeforeMemoryIsTaken) {
  const TempFolder folder;
  const auto path = folder.path() / "model";
  const Schema schema = sources().make(kinds_of_data()[0])->schema();
  SafeTensorsWriter writer;
  const std::string claimed = GetParam() + "(hidden=10000,layers=20)";
  const auto model = build(GetParam(), schema, 4);  // the writer refers to its parameters
  write_model(writer, {claimed, {schema, 4}, {}}, *model);
  writer.write(path);
  expect_error(ErrorCode::kData, {path.string(), "parameters", "given"}, [&] { load_model(path); });
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryModel, testing::ValuesIn(model_names()),
                         [](const auto& test) { return test_name(test.param); });

TEST(Checkpoint, OfOtherFeaturesIsRefusedWithTheirNames) {
  const TempFolder folder;
  const auto path = folder.path() / "model";
  const Schema now = {
      .problem = "e-obm", .fixed_attributes = {"skill"}, .arrival_attributes = {"hour", "pay"}};
  Schema before = now;
  before.arrival_attributes.clear();
  for (const char* name : {"inv-ff-plus", "inv-value", "value"}) {
    const auto old_model = build(name, before, 4);
    SafeTensorsWriter writer;
    write_model(writer, {name, {now, 4}, {}}, *old_model);
    writer.write(path);
    expect_error(ErrorCode::kData,
                 {path.string(), "was trained on other features than", name,
                  "in this program; it does not know [arrival.hour, arrival.pay]; train it again"},
                 [&] { load_model(path); });
  }
}

TEST(Checkpoint, NumbersOfFixedNodesThatCannotBeAreRefused) {
  const TempFolder folder;
  const auto path = folder.path() / "model";
  const auto expect_refusal = [&](const std::string& num_fixed, const std::string& why) {
    SafeTensorsWriter writer;
    const auto model = build("ff", {.problem = "e-obm"}, 4);
    write_model(writer, {"ff", {{.problem = "e-obm"}, 4}, {}}, *model);
    writer.set_meta("context", R"({"problem": "e-obm", "fixed_attributes": [], "topics": [],
                                   "arrival_attributes": [], "num_fixed": )" +
                                   num_fixed + "}");
    writer.write(path);
    expect_error(ErrorCode::kData, {path.string(), why}, [&] { load_model(path); });
  };
  expect_refusal("2147483647", "parameters for 2147483647 fixed nodes");
  expect_refusal("2147483648", "num_fixed: should be an integer from");
  expect_refusal("1e300", "num_fixed: should be an integer");
  expect_refusal("-1", "num_fixed: is -1");
  expect_refusal("[]", "num_fixed: should be an integer, but is a list");
}

// ---- what the models promise

// A bid of 0 is on offer even if nothing is left of its node.
TEST(InvValue, WhatIsLeftOfAnEmptyNodeIsWorthNothingWhateverElseIsInTheBatch) {
  InstanceBuilder builder(1);
  builder.set_capacities({1});
  for (const float bid : {1.0F, 0.0F}) {
    builder.arrive(std::vector<NodeId>{0}, std::vector<float>{bid});
  }
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("adwords");
  const auto model = build("inv-value", {.problem = "adwords"}, 1);
  State states[] = {State(*problem, instance.market()), State(*problem, instance.market())};
  for (const NodeId first : {NodeId{0}, kSkip}) {
    State& state = states[first == kSkip ? 1 : 0];
    state.arrive(instance.arrival(0));
    state.decide(first);
    state.arrive(instance.arrival(1));
  }
  const std::vector<Opening> openings(
      2, {problem.get(), instance.market(), Rng(1, Stream::kPolicy, 0)});
  const std::vector<Turn> turns = {{&states[0], 0}, {&states[1], 1}};
  Scores scores;
  scores.resize(turns);
  model->begin(openings)->score(turns, scores);
  EXPECT_EQ(scores.row(0)[0], 0);
  EXPECT_EQ(scores.row(0)[1], 0);
  EXPECT_NE(scores.row(1)[0], 0);
}

/// Models whose parameters depend on the number of fixed nodes have a place for each of them.
bool has_a_place_per_node(const std::string& name) {
  return !(build(name, {.problem = "e-obm"}, 4)->parameters().values().size() ==
           build(name, {.problem = "e-obm"}, 5)->parameters().values().size());
}

std::vector<std::string> models_that(bool have_a_place_per_node) {
  std::vector<std::string> names;
  for (const std::string& name : model_names()) {
    if (has_a_place_per_node(name) == have_a_place_per_node) names.push_back(name);
  }
  return names;
}

class InvariantModel : public testing::TestWithParam<std::string> {};

/// The same instance with its fixed nodes renamed: old node u becomes order[u].
Instance permute(const Instance& instance, const std::vector<std::int32_t>& order) {
  const Market& market = instance.market();
  InstanceBuilder builder(market.num_fixed);
  const std::size_t width = market.attributes.width;
  std::vector<float> capacities(market.capacities.size()), attributes(order.size() * width);
  for (std::size_t u = 0; u < order.size(); ++u) {
    const auto to = static_cast<std::size_t>(order[u]);
    if (!capacities.empty()) capacities[to] = market.capacities[u];
    for (std::size_t k = 0; k < width; ++k) attributes[to * width + k] = market.attributes[u][k];
  }
  if (!capacities.empty()) builder.set_capacities(std::move(capacities));
  builder.set_attributes(std::move(attributes), width);
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    Arrival arrival = instance.arrival(t);
    std::map<NodeId, std::size_t> edges;
    for (std::size_t e = 0; e < arrival.nodes.size(); ++e) {
      edges[order[static_cast<std::size_t>(arrival.nodes[e])]] = e;
    }
    std::vector<NodeId> nodes;
    std::vector<float> weights, costs;
    for (const auto& [node, e] : edges) {
      nodes.push_back(node);
      weights.push_back(arrival.weights[e]);
      if (!arrival.costs.empty()) costs.push_back(arrival.costs[e]);
    }
    arrival.nodes = nodes;
    arrival.weights = weights;
    arrival.costs = costs;
    builder.arrive(arrival);
  }
  return std::move(builder).build();
}

TEST_P(InvariantModel, DoesNotCareForTheOrderOfTheFixedNodes) {
  std::vector<std::string> specs = {"er(u=8,v=20,p=0.4)"};
  specs.insert(specs.end(), kinds_of_data().begin() + 2, kinds_of_data().end());
  int matched = 0;
  for (const std::string& spec : specs) {
    SCOPED_TRACE(spec);
    const auto source = sources().make(spec);
    const auto problem = problems().make(source->schema().problem);
    const NodeId fixed = source->draw(1, 0).market().num_fixed;
    const auto model = build(GetParam(), source->schema(), fixed);
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Instance instance = source->draw(1, i);
      const auto order = Rng(2, Stream::kInstance, i).sample(fixed, fixed);
      const Instance permuted = permute(instance, order);
      const auto a = play(bind_instances(*problem, {&instance, 1}), *model, {})[0];
      const auto b = play(bind_instances(*problem, {&permuted, 1}), *model, {})[0];
      for (std::size_t t = 0; t < a.matching.size(); ++t) {
        const NodeId u = a.matching[t];
        EXPECT_EQ(b.matching[t], u == kSkip ? kSkip : order[static_cast<std::size_t>(u)]);
        matched += u != kSkip;
      }
    }
  }
  EXPECT_GT(matched, 0);
}

TEST_P(InvariantModel, ServesAnySize) {
  const auto model = build(GetParam(), {.problem = "e-obm"}, 4);
  const auto problem = problems().make("e-obm");
  for (const char* spec : {"er(u=1,v=3,p=0.9)", "er(u=50,v=20,p=0.2)"}) {
    const Instance instance = sources().make(spec)->draw(1, 0);
    EXPECT_EQ(std::ssize(play(bind_instances(*problem, {&instance, 1}), *model, {})[0].matching),
              instance.num_arrivals());
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, InvariantModel, testing::ValuesIn(models_that(false)),
                         [](const auto& test) { return test_name(test.param); });

class FlatModel : public testing::TestWithParam<std::string> {};

TEST_P(FlatModel, RefusesAnotherNumberOfFixedNodes) {
  const auto problem = problems().make("e-obm");
  const Instance instance = sources().make("er(u=5,v=5)")->draw(1, 0);
  const auto model = build(GetParam(), {.problem = "e-obm"}, 4);
  const std::string who = "model " + GetParam() + " was built for 4 fixed nodes";
  expect_error(ErrorCode::kData, {who, "5", "inv-"}, [&] {
    play(bind_instances(*problem, {&instance, 1}), *model, {});
  });
  expect_error(ErrorCode::kData, {who, "5", "inv-"}, [&] { model->feed(instance.market()); });
}

INSTANTIATE_TEST_SUITE_P(Registered, FlatModel, testing::ValuesIn(models_that(true)),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace foresight
