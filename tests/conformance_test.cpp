// Everything there is, with everything there is: each policy and each model, on each source. A pair
// either fits, and then plays by the rules, the same way for the same seed and never above the
// optimum; or it is refused by an error that names who refuses, and the problem, the columns or the
// size that it cannot serve.
#include <algorithm>
#include <set>

#include "tests/played_sources.h"
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/model/resolve.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"
#include "foresight/train/trainer.h"

namespace foresight {
namespace {

/// A source with three instances to play and a file of others to learn from.
struct Ground {
  std::string name, spec, past;
  BoundDataset data;
  std::vector<Instance> instances;
};

const TempFolder& folder() {
  static const TempFolder made;
  return made;
}

const std::vector<Ground>& grounds() {
  static const std::vector<Ground> all = [] {
    std::vector<Ground> result;
    for (const auto& [name, spec] : played_sources(folder())) {
      const BoundSource source = bind_source(spec);
      const auto past = (folder().path() / fmt::format("{}.past", result.size())).string();
      generate(source, 8, 6, 1, no_progress()).save(past);
      BoundDataset data = solve(generate(source, 7, 3, 1, no_progress()), {}, no_progress());
      std::vector<Instance> instances;
      for (std::size_t i = 0; i < data.size(); ++i) instances.push_back(data.instance(i));
      result.push_back({name, spec, past, std::move(data), std::move(instances)});
    }
    return result;
  }();
  return all;
}

/// All instances, of whose number of arrivals the policy is told this.
std::vector<Rollout> play_on(const Ground& ground, const Policy& policy, const Horizon& horizon) {
  std::vector<Instance> instances;
  for (const Instance& instance : ground.instances) instances.push_back(instance.told(horizon));
  return play(bind_instances(ground.data.problem(), instances), policy, {.seed = 5});
}

void expect_fair_play(const Ground& ground, const Policy& policy, const Horizon& horizon) {
  const auto rollouts = play_on(ground, policy, horizon);
  const auto again = play_on(ground, policy, horizon);
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    const Instance& instance = ground.instances[i];
    // Replayed by the rules, which refuse what is not on offer.
    State state(ground.data.problem(), instance.market());
    ASSERT_EQ(std::ssize(rollouts[i].matching), instance.num_arrivals());
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      state.arrive(instance.arrival(t));
      ASSERT_NO_THROW(state.decide(rollouts[i].matching[static_cast<std::size_t>(t)]));
    }
    EXPECT_EQ(state.value(), rollouts[i].value);
    EXPECT_LE(rollouts[i].value, ground.data.label(i).bound + 1e-5);
    EXPECT_EQ(rollouts[i].matching, again[i].matching) << "with the same seed";
  }
}

/// Does the error say who refuses, and why?
void expect_reasons(const Error& error, const std::string& who, const Ground& ground) {
  const std::string text = error.what();
  EXPECT_NE(error.code(), ErrorCode::kCancelled);
  // A policy that follows a model leaves it to the model to say what is wrong.
  EXPECT_TRUE(text.find(who) != std::string::npos || text.starts_with("model "))
      << text << "\ndoes not name " << who;
  const auto names_one_of = [&](const std::vector<std::string>& pieces) {
    return std::ranges::any_of(
        pieces, [&](const auto& piece) { return text.find(piece) != std::string::npos; });
  };
  EXPECT_TRUE(names_one_of({ground.data.problem().name(), "attributes [", "topics [", "fixed node",
                            "the law of the arrivals", "capacities", "needs the source", "weight"}))
      << text << "\ndoes not say what it cannot serve";
}

/// Whatever a policy is told of the number of arrivals, it plays by the rules. Only the optimal
/// policy may ask for the number.
void expect_fair_play(const Ground& ground, const Policy& policy) {
  expect_fair_play(ground, policy, Horizon());
  expect_fair_play(ground, policy, Horizon::expected(7.5, 3));
  try {
    expect_fair_play(ground, policy, Horizon::unknown());
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("must know the number of arrivals"), std::string::npos)
        << error.what();
    EXPECT_FALSE(policy.known_source().empty());
  }
}

/// A model that has learned nothing, in a file.
std::string write_fresh_model(const std::string& spec, const Ground& ground) {
  const ModelContext context{ground.data.schema(), ground.instances[0].market().num_fixed};
  const auto model = models().make(spec)->build(context);
  Rng rng(1, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));
  const auto file = folder().path() / "model";
  SafeTensorsWriter writer;
  write_model(writer, {spec, context, {}}, *model);
  writer.write(file);
  return file.string();
}

bool has_option(const auto& registry, const std::string& name, const std::string& option) {
  const auto all = registry.options(registry.find(name));
  return std::ranges::find(all, option, &OptionInfo::name) != all.end();
}

/// The largest gain of any edge, for policies that must be told.
double largest_weight(const Ground& ground) {
  double largest = 0;
  for (const Instance& instance : ground.instances) {
    for (const float weight : instance.view().weights) {
      largest = std::max<double>(largest, weight);
    }
  }
  return largest;
}

/// How a policy learns about `ground` before it plays; empty where it does not.
std::string informed_spec(const std::string& policy, const Ground& ground) {
  const auto with = [&](const char* option, const std::string& value) {
    return Spec{policy, {{option, value}}}.to_string();
  };
  if (has_option(policies(), policy, "train")) return with("train", ground.past);
  if (has_option(policies(), policy, "source")) return with("source", ground.spec);
  if (has_option(policies(), policy, "policy")) {
    return Spec{policy,
                {{"policy", write_fresh_model("inv-ff-plus(hidden=4)", ground)},
                 {"wmax", fmt::to_string(largest_weight(ground))}}}
        .to_string();
  }
  return {};
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<std::string> names_of(const auto& registry) {
  std::vector<std::string> names;
  for (const auto& entry : registry.entries()) names.push_back(entry.name);
  return names;
}

TEST(Sources, OfEveryKindArePlayed) {
  std::set<std::string> problems_played, sources_played;
  bool attributes = false, arrival_attributes = false, topics = false;
  for (const Ground& ground : grounds()) {
    const Schema& schema = ground.data.schema();
    sources_played.insert(Spec::parse(ground.spec).name);
    problems_played.insert(ground.data.problem().name());
    attributes |= !schema.fixed_attributes.empty();
    arrival_attributes |= !schema.arrival_attributes.empty();
    topics |= !schema.topics.empty();
  }
  for (const std::string& name : names_of(sources())) EXPECT_TRUE(sources_played.contains(name));
  for (const std::string& name : names_of(problems())) EXPECT_TRUE(problems_played.contains(name));
  EXPECT_TRUE(attributes && arrival_attributes && topics);
}

// ---------------------------------------------------------------- policies

class EveryPolicyOnEverySource : public testing::TestWithParam<std::string> {
 protected:
  /// Plays everywhere, having learned about `from`, and counts where it could.
  void try_everywhere(const std::string& spec, const Ground& from) {
    SCOPED_TRACE(spec);
    std::shared_ptr<const Policy> policy;
    try {
      policy = policies().make(spec);
    } catch (const Error& error) {
      return expect_reasons(error, GetParam(), from);
    }
    for (const Ground& ground : grounds()) {
      SCOPED_TRACE(ground.name);
      try {
        expect_fair_play(ground, *fit(policy, ground.data.problem(), ground.data.schema()));
        ++played_;
      } catch (const Error& error) {
        expect_reasons(error, GetParam(), ground);
      }
    }
  }

  int played_ = 0;
};

/// What is made from its name alone needs no number in the unit of the weights. Any other policy says
/// what to give.
TEST_P(EveryPolicyOnEverySource, PlaysWithoutOptionsOrSaysWhatToGive) {
  try {
    policies().make(GetParam());
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(text.find(GetParam()), std::string::npos) << text;
    EXPECT_TRUE(text.find(": give ") != std::string::npos ||
                text.find("needs the source") != std::string::npos)
        << text;
    return;
  }
  try_everywhere(GetParam(), grounds().front());
  EXPECT_GT(played_, 0) << "it plays nowhere";
}

TEST_P(EveryPolicyOnEverySource, PlaysByTheRulesOrSaysWhyNot) {
  if (informed_spec(GetParam(), grounds().front()).empty()) GTEST_SKIP() << "it learns nothing";
  for (const Ground& ground : grounds()) {
    try_everywhere(informed_spec(GetParam(), ground), ground);
  }
  EXPECT_GT(played_, 0) << "it plays nowhere";
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPolicyOnEverySource,
                         testing::ValuesIn(names_of(policies())), test_name);

// ---------------------------------------------------------------- models

class EveryModelOnEverySource : public testing::TestWithParam<std::string> {
 protected:
  std::string spec_ = GetParam() + "(hidden=4)";
};

TEST_P(EveryModelOnEverySource, PlaysByTheRulesOrSaysWhyNot) {
  for (const Ground& from : grounds()) {
    SCOPED_TRACE("built for " + from.name);
    const std::string file = write_fresh_model(spec_, from);
    for (const Ground& ground : grounds()) {
      SCOPED_TRACE(ground.name);
      try {
        const NamedPolicy named = resolve(file, ground.data.problem(), ground.data.schema());
        expect_fair_play(ground, *named.policy);
      } catch (const Error& error) {
        expect_reasons(error, "model " + GetParam(), ground);
        // Only the number of fixed nodes can keep a model from what it was built for.
        if (&ground == &from) {
          EXPECT_NE(std::string(error.what()).find("fixed nodes"), std::string::npos);
        }
      }
    }
  }
}

TEST_P(EveryModelOnEverySource, LearnsFromItOrSaysWhyNot) {
  for (const Ground& ground : grounds()) {
    SCOPED_TRACE(ground.name);
    const auto model =
        models().make(spec_)->build({ground.data.schema(), ground.instances[0].market().num_fixed});
    Rng rng(1, Stream::kInitialise, 0);
    model->set_parameters(model->initial_parameters(rng));
    const auto trainer = trainers().make(trainer_for(spec_, ""));
    std::vector<Label> labels;
    for (std::size_t i = 0; i < ground.data.size(); ++i) labels.push_back(ground.data.label(i));
    const Parameters before = model->parameters();
    try {
      trainer->begin(*model);
      trainer->update({bind_instances(ground.data.problem(), ground.instances), labels, 1, 0, 1});
      EXPECT_FALSE(model->parameters() == before) << "it learned nothing";
      expect_fair_play(ground, *model);
    } catch (const Error& error) {
      expect_reasons(error, "model " + GetParam(), ground);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryModelOnEverySource, testing::ValuesIn(names_of(models())),
                         test_name);

}  // namespace
}  // namespace foresight
