// Free of units: if everything that is counted in money is multiplied by a power of two, every policy
// makes the same decisions, every model learns the same parameters, and every optimum is the same
// matching. With other factors numbers are rounded differently, so results differ by noise only.
#include <algorithm>
#include <cmath>

#include "tests/played_sources.h"
#include <gtest/gtest.h>

#include "foresight/model/resolve.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"
#include "foresight/train/run.h"

namespace foresight::another_unit {
namespace {

constexpr float kFactor = 1024;

/// The same instances in another unit: weights and preferences, and with them what they use up.
/// Numbers of matches have no unit.
BoundDataset in_other_unit(const BoundDataset& data, float factor) {
  struct Storage {
    BoundDataset original;
    std::vector<std::vector<float>> scaled;
  };
  const auto storage = std::make_shared<Storage>(Storage{data, {}});
  std::vector<DatasetArray> arrays;
  for (DatasetArray array : data.arrays()) {
    if (array.name.starts_with("label")) continue;
    const bool money = array.name == "edge.weight" || array.name == "arrival.preferences" ||
                       array.name == "edge.cost" ||
                       (array.name == "fixed.capacity" && !data.problem().traits().units());
    if (money) {
      const auto given = std::get<std::span<const float>>(array.values);
      std::vector<float> values(given.begin(), given.end());
      for (float& value : values) value *= factor;
      array.values = std::span<const float>(values);  // a moved vector keeps its memory
      storage->scaled.push_back(std::move(values));
    }
    arrays.push_back(array);
  }
  return bind_data(Dataset::wrap(data.schema(), data.provenance(), arrays, storage));
}

/// A source's instances, once as they are and once in the other unit.
struct Ground {
  std::string name;
  struct Side {
    BoundDataset past, test;  // with optima
    std::string past_file;
  } plain, other;
};

const TempFolder& folder() {
  static const TempFolder made;
  return made;
}

const std::vector<Ground>& grounds() {
  static const std::vector<Ground> all = [] {
    std::vector<Ground> result;
    const auto side = [&](const BoundDataset& past, const BoundDataset& test, float factor) {
      const auto file =
          (folder().path() / fmt::format("{}-{}.past", result.size(), factor)).string();
      const auto labelled = [&](const BoundDataset& data) {
        return solve(in_other_unit(data, factor), {}, no_progress());
      };
      Ground::Side made{labelled(past), labelled(test), file};
      made.past.save(file);
      return made;
    };
    for (const auto& [name, spec] : played_sources(folder())) {
      const BoundSource source = bind_source(spec);
      const BoundDataset past = generate(source, 8, 6, 1, no_progress());
      const BoundDataset test = generate(source, 7, 6, 1, no_progress());
      result.push_back({name, side(past, test, 1), side(past, test, kFactor)});
    }
    return result;
  }();
  return all;
}

void expect_same_decisions(const Ground& ground, const Policy& plain, const Policy& other) {
  const auto play_on = [](const BoundDataset& data, const Policy& policy) {
    return play(data, *fit(policy.shared_from_this(), data.problem(), data.schema()), {.seed = 3},
                1, no_progress());
  };
  const auto rollouts = play_on(ground.plain.test, plain);
  const auto others = play_on(ground.other.test, other);
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    EXPECT_EQ(others[i].matching, rollouts[i].matching) << "instance " << i;
    EXPECT_EQ(others[i].value, static_cast<double>(kFactor) * rollouts[i].value);
  }
}

std::vector<std::string> names_of(const auto& registry) {
  std::vector<std::string> names;
  for (const auto& entry : registry.entries()) names.push_back(entry.name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name;
  for (const char c : test.param) name += std::isalnum(c) ? c : '_';
  return name;
}

TEST(AnotherUnit, HasTheSameOptima) {
  for (const Ground& ground : grounds()) {
    SCOPED_TRACE(ground.name);
    for (std::size_t i = 0; i < ground.plain.test.size(); ++i) {
      const Label plain = ground.plain.test.label(i), other = ground.other.test.label(i);
      EXPECT_EQ(other.matching, plain.matching);
      EXPECT_EQ(other.value, static_cast<double>(kFactor) * plain.value);
      EXPECT_EQ(other.bound, static_cast<double>(kFactor) * plain.bound);
    }
  }
}

// ---------------------------------------------------------------- policies

class EveryPolicyInAnotherUnit : public testing::TestWithParam<std::string> {
 protected:
  /// How the policy is made from what it learns from; it is never told a number in money.
  static std::string spec(const std::string& name, const std::string& past) {
    const auto options = policies().options(policies().find(name));
    const auto has = [&](const char* option) {
      return std::ranges::find(options, option, &OptionInfo::name) != options.end();
    };
    if (has("train")) return Spec{name, {{"train", past}}}.to_string();
    if (!has("policy")) return name;
    return Spec{name, {{"policy", Spec{"greedy-t", {{"train", past}}}.to_string()}}}.to_string();
  }
};

TEST_P(EveryPolicyInAnotherUnit, DecidesTheSame) {
  if (GetParam() == "optimal-online") return;  // it learns from a source: see the next test
  int compared = 0;
  for (const Ground& ground : grounds()) {
    SCOPED_TRACE(ground.name);
    std::shared_ptr<const Policy> plain, other;
    try {
      plain = fit(policies().make(spec(GetParam(), ground.plain.past_file)),
                  ground.plain.test.problem(), ground.plain.test.schema());
    } catch (const Error& error) {
      // What does not fit in one unit does not fit in the other.
      EXPECT_THROW(fit(policies().make(spec(GetParam(), ground.other.past_file)),
                       ground.other.test.problem(), ground.other.test.schema()),
                   Error);
      continue;
    }
    other = policies().make(spec(GetParam(), ground.other.past_file));
    try {
      expect_same_decisions(ground, *plain, *other);
      ++compared;
    } catch (const Error&) {
      // It may be defined for other problems only; conformance_test.cpp checks that it says so.
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPolicyInAnotherUnit,
                         testing::ValuesIn(names_of(policies())), test_name);

TEST(AnotherUnit, HasTheSameOptimalOnlinePolicy) {
  const auto source = [](const std::string& name, double factor) {
    std::string edges = "node,type,weight\n";
    for (int u = 0; u < 4; ++u) {
      for (int v = 0; v < 6; ++v) {
        if ((u + v) % 3 == 0) continue;
        edges += fmt::format("{},{},{}\n", u, v, factor * (1 + (3 * u + 5 * v) % 7) / 8);
      }
    }
    return fmt::format("csv(path={},u=4,v=10)",
                       write_folder(folder(), name, {{"edges.csv", edges}}));
  };
  const std::string plain = source("plain-graph", 1), other = source("other-graph", kFactor);
  const auto test = [](const std::string& spec) {
    return generate(bind_source(spec), 3, 40, 1, no_progress());
  };
  const auto matchings = [&](const std::string& spec) {
    const auto policy = policies().make(Spec{"optimal-online", {{"source", spec}}}.to_string());
    std::vector<std::vector<NodeId>> all;
    for (const Rollout& rollout : play(test(spec), *policy, {}, 1, no_progress())) {
      all.push_back(rollout.matching);
    }
    return all;
  };
  EXPECT_EQ(matchings(other), matchings(plain));
}

// ---------------------------------------------------------------- models

/// Every model with its trainer, and trainers with all that depends on how large gains are.
std::vector<std::string> learners() {
  std::vector<std::string> all;
  for (const std::string& model : names_of(models())) all.push_back(model);
  for (const char* options :
       {"baseline=critic", "baseline=rollout", "baseline=hindsight", "baseline=none,entropy=0.2",
        "credit=to-go,tape=0.01", "baseline=others,rollouts=3,normalize=1", "standardize=1",
        "schedule=cosine,entropy_end=0"}) {
    all.push_back(fmt::format("inv-ff-hist with reinforce({})", options));
  }
  all.push_back("gnn-hist with reinforce(baseline=others,rollouts=2,normalize=1,standardize=0)");
  return all;
}

class EveryLearnerInAnotherUnit : public testing::TestWithParam<std::string> {
 protected:
  RunRecord learn(const Ground::Side& side, const std::filesystem::path& run) const {
    const std::size_t word = GetParam().find(" with ");
    RunOptions options;
    options.model = GetParam().substr(0, word) + "(hidden=6)";
    if (word != std::string::npos) options.trainer = GetParam().substr(word + 6);
    options.train_data = side.past;
    options.validation_data = side.test;
    options.instances = 24;
    options.epochs = 3;
    options.setback = 0.001;  // so that models also go back
    options.threads = 1;
    options.folder = run;
    train(options, no_progress());
    return read_run(run);
  }
};

TEST_P(EveryLearnerInAnotherUnit, LearnsTheSame) {
  const TempFolder runs;
  int compared = 0;
  for (const Ground& ground : grounds()) {
    SCOPED_TRACE(ground.name);
    const auto plain_run = runs.path() / fmt::format("{}-plain", compared);
    const auto other_run = runs.path() / fmt::format("{}-other", compared);
    RunRecord plain;
    try {
      plain = learn(ground.plain, plain_run);
    } catch (const Error& error) {
      EXPECT_THROW(learn(ground.other, other_run), Error) << error.what();
      continue;
    }
    const RunRecord other = learn(ground.other, other_run);
    ++compared;
    EXPECT_EQ(other.best_digest, plain.best_digest) << "the parameters";
    EXPECT_EQ(other.best_ratio, plain.best_ratio);
    EXPECT_EQ(other.rival_p, plain.rival_p);
    for (const char* column : {"loss", "entropy", "gradient_norm", "validation_ratio", "setback"}) {
      EXPECT_EQ(other.metrics[column], plain.metrics[column]) << column;
    }
    expect_same_decisions(ground, *resolve(plain_run.string()).policy,
                          *resolve(other_run.string()).policy);
  }
  EXPECT_GT(compared, 3);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryLearnerInAnotherUnit, testing::ValuesIn(learners()),
                         test_name);

}  // namespace
}  // namespace foresight::another_unit
