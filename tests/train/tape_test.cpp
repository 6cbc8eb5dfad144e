// Training in pieces: whatever the size of the tape, the gradient is that of the whole batch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include "tests/played_sources.h"
#include <gtest/gtest.h>

#include "foresight/solve/solver.h"
#include "foresight/train/learner.h"

namespace foresight {
namespace {

struct Ground {
  std::string spec;
  std::shared_ptr<Problem> problem;
  Schema schema;
  std::vector<Instance> instances;
  std::vector<Label> labels;
};

/// Units, budgets, attributes, capacities and costs; also episodes of different lengths.
const std::vector<Ground>& grounds() {
  static const std::vector<Ground> all = [] {
    const TempFolder folder;
    std::vector<std::string> specs = {"crowd(u=4,v=6..12)", "thick-z(u=4,v=12)"};
    for (const auto& [name, spec] : played_sources(folder)) {
      if (name == "csv with attributes, all arrivals kept" || name == "csv with capacities" ||
          name == "csv with costs and attributes" || name == "csv with topics") {
        specs.push_back(spec);
      }
    }
    EXPECT_EQ(specs.size(), 6U);
    std::vector<Ground> made;
    for (const std::string& spec : specs) {
      const auto source = sources().make(spec);
      Ground ground{spec,
                    problems().make(source->schema().problem),
                    source->schema(),
                    draw(*source, 12, 3),
                    {}};
      const auto solver = make_solver(*ground.problem, {});
      for (const Instance& instance : ground.instances) {
        ground.labels.push_back(solver->solve(instance));
      }
      made.push_back(std::move(ground));
    }
    return made;
  }();
  return all;
}

struct Update {
  UpdateStats stats;
  Adam::State adam;  // after the first step, its mean is a tenth of the gradient
  Parameters parameters;
};

/// The first updates of a fresh model.
Update update(const Ground& ground, const std::string& model_spec, const std::string& trainer_spec,
              int threads = 1, int updates = 1) {
  const auto model = models().make(model_spec)->build({ground.schema, 4});
  Rng rng(1, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));
  const auto trainer = trainers().make(trainer_spec);
  trainer->begin(*model);
  Update result;
  for (int i = 0; i < updates; ++i) {
    result.stats = trainer->update({bind_instances(*ground.problem, ground.instances),
                                    ground.labels, 7, static_cast<std::uint64_t>(12 * i), threads});
  }
  result.adam = trainer->state().adam;
  result.parameters = model->parameters();
  return result;
}

/// Every trainer with the options that change how it learns from its tape.
std::vector<std::string> trainer_specs() {
  std::vector<std::string> specs;
  for (const auto& entry : trainers().entries()) {
    specs.push_back(entry.name + "(batch=12");
    specs.push_back(entry.name + "(batch=12,standardize=1");
  }
  for (const char* options :
       {"baseline=critic", "baseline=rollout", "baseline=hindsight", "baseline=none",
        "credit=to-go,entropy=0.3", "baseline=others,rollouts=3"}) {
    specs.push_back(std::string("reinforce(batch=12,") + options);
  }
  return specs;
}

std::vector<std::string> model_specs() {
  std::vector<std::string> specs = {"gnn-hist(hidden=6,embed=3,encoder=2)"};
  for (const auto& entry : models().entries()) specs.push_back(entry.name + "(hidden=6)");
  return specs;
}

class EveryModelInPieces : public testing::TestWithParam<std::string> {};

TEST_P(EveryModelInPieces, HasTheGradientOfTheWholeBatchWithEveryTrainer) {
  const std::string& model = GetParam();
  int compared = 0;
  for (const std::string& trainer : trainer_specs()) {
    for (const Ground& ground : grounds()) {
      SCOPED_TRACE(trainer + ") on " + ground.spec);
      Update whole;
      try {
        whole = update(ground, model, trainer + ")");
      } catch (const Error& error) {
        continue;  // they do not fit; conformance_test.cpp checks that it is said why
      }
      const double scale = norm(whole.adam.mean);
      EXPECT_GT(scale, 0);
      // Some pieces per shard, and a piece per decision.
      for (const char* tape : {",tape=0.02)", ",tape=1e-6)"}) {
        const Update pieces = update(ground, model, trainer + tape);
        EXPECT_GT(pieces.stats.pieces, whole.stats.pieces);
        ++compared;
        for (std::size_t i = 0; i < whole.adam.mean.values().size(); ++i) {
          ASSERT_NEAR(pieces.adam.mean.values()[i], whole.adam.mean.values()[i], 1e-5 * scale)
              << "parameter " << i;
        }
        EXPECT_EQ(pieces.stats.mean_value, whole.stats.mean_value);
        EXPECT_EQ(pieces.stats.decisions, whole.stats.decisions);
        EXPECT_NEAR(pieces.stats.loss, whole.stats.loss, 1e-9 * (1 + std::abs(whole.stats.loss)));
        EXPECT_NEAR(pieces.stats.entropy, whole.stats.entropy, 1e-9);
        EXPECT_NEAR(pieces.stats.gradient_norm, whole.stats.gradient_norm,
                    1e-5 * whole.stats.gradient_norm);
      }
    }
  }
  EXPECT_GE(compared, 2 * std::ssize(grounds()));
}

TEST_P(EveryModelInPieces, ThreadsChangeNoBit) {
  for (const Ground& ground : grounds()) {
    for (const auto& entry : trainers().entries()) {
      const std::string spec = entry.name + "(batch=12,tape=0.02)";
      Update one;
      try {
        one = update(ground, GetParam(), spec, 1, 3);
      } catch (const Error&) {
        continue;
      }
      const Update four = update(ground, GetParam(), spec, 4, 3);
      EXPECT_TRUE(four.parameters == one.parameters) << spec << " on " << ground.spec;
      EXPECT_TRUE(four.adam == one.adam) << spec << " on " << ground.spec;
      EXPECT_EQ(four.stats.loss, one.stats.loss);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryModelInPieces, testing::ValuesIn(model_specs()),
                         [](const auto& test) {
                           std::string name;
                           for (const char c : test.param) {
                             if (std::isalnum(c)) name += c;
                           }
                           return name;
                         });

// The shares of the tape: a batch of 12 episodes has two shards. When all is kept, there is one
// piece per shard; with half of that, each shard has two or three.
TEST(Tape, IsSharedByTheShardsAndUsedToTheFull) {
  const Ground& ground = grounds().front();
  const auto pieces = [&](double megabytes) {
    return update(ground, "inv-ff-hist(hidden=6)",
                  fmt::format("reinforce(batch=12,tape={})", megabytes))
        .stats.pieces;
  };
  double low = 1e-6, high = 100;  // the least tape that holds everything lies between
  EXPECT_EQ(pieces(high), 2);
  EXPECT_GT(pieces(low), 20);
  while (high > 1.01 * low) {
    const double middle = std::sqrt(low * high);
    (pieces(middle) == 2 ? high : low) = middle;
  }
  EXPECT_GT(high, 0.01);
  EXPECT_LT(high, 1);
  EXPECT_LE(pieces(high / 2), 6);
  EXPECT_GE(pieces(high / 2), 3);
  EXPECT_GE(pieces(high / 10), 11);
}

TEST(Tape, AlsoMeasuresInputsInPieces) {
  // Attributes of arrivals are standardised, so the scale must be that of all rows.
  const auto ground = std::ranges::find_if(
      grounds(), [](const Ground& g) { return !g.schema.arrival_attributes.empty(); });
  ASSERT_NE(ground, grounds().end());
  const auto scale = [&](const std::string& options) {
    const auto model = models().make("inv-ff-plus(hidden=6)")->build({ground->schema, 4});
    Rng rng(1, Stream::kInitialise, 0);
    model->set_parameters(model->initial_parameters(rng));
    const auto trainer = trainers().make("reinforce(batch=12" + options + ")");
    trainer->begin(*model);
    trainer->update({bind_instances(*ground->problem, ground->instances), {}, 7});
    return trainer->state().arrays;
  };
  const auto whole = scale("");
  EXPECT_EQ(whole.count("input.means"), 1U);
  EXPECT_EQ(scale(",tape=0.01"), whole);
}

// ---- batches that suit the data

TEST(FittingBatch, IsTheUsualOneForManyShortEpisodes) {
  EXPECT_EQ(fitting_batch(200, 20'000, 30, 1), 200);
  EXPECT_EQ(fitting_batch(200, 20'000, 200, 1), 200);
  EXPECT_EQ(fitting_batch(50, 400, 100, 1), 50);
  EXPECT_EQ(fitting_batch(25, 20'000, 100, 8), 25);
  EXPECT_EQ(fitting_batch(200, std::numeric_limits<std::uint64_t>::max(), 0, 1), 200);
}

TEST(FittingBatch, IsSmallerForLongEpisodes) {
  EXPECT_EQ(fitting_batch(200, 20'000, 400, 1), 100);
  EXPECT_EQ(fitting_batch(200, 20'000, 2'000, 1), 20);
  EXPECT_EQ(fitting_batch(25, 20'000, 2'000, 8), 2);
  EXPECT_EQ(fitting_batch(200, 20'000, 20'000, 1), 2);
  EXPECT_EQ(fitting_batch(200, 20'000, 1e9, 1), 2) << "an episode is compared with another";
  EXPECT_EQ(fitting_batch(25, 20'000, 1e9, 8), 1) << "an instance has several episodes";
}

TEST(FittingBatch, IsSmallerForFewInstances) {
  EXPECT_EQ(fitting_batch(200, 800, 30, 1), 100);
  EXPECT_EQ(fitting_batch(200, 100, 30, 1), 12);
  EXPECT_EQ(fitting_batch(25, 100, 30, 8), 12);
  EXPECT_EQ(fitting_batch(200, 10, 30, 1), 2);
  EXPECT_EQ(fitting_batch(200, 0, 30, 1), 2);
  for (std::uint64_t instances = 16; instances < 5'000; ++instances) {
    const auto batch = static_cast<std::uint64_t>(fitting_batch(200, instances, 30, 1));
    EXPECT_GE((instances + batch - 1) / batch, 8U);
  }
}

TEST(FittingBatch, ATrainerChoosesItUnlessItIsGiven) {
  const auto trainer = trainers().make("reinforce");
  EXPECT_EQ(trainer->batch_size(), 200);
  trainer->fit_batch(20'000, 2'000);
  EXPECT_EQ(trainer->batch_size(), 20);
  trainer->fit_batch(20'000, 30);
  EXPECT_EQ(trainer->batch_size(), 200);
  EXPECT_EQ(trainers().make("td")->batch_size(), 50);
  EXPECT_EQ(trainers().make("reinforce(rollouts=8)")->batch_size(), 25);
  EXPECT_EQ(trainers().make(trainer_for("inv-ff-plus", ""))->batch_size(), 25);
  for (const char* spec : {"reinforce(batch=200)", "td(batch=200)", "imitation(batch=200)"}) {
    const auto given = trainers().make(spec);
    given->fit_batch(20'000, 20'000);
    EXPECT_EQ(given->batch_size(), 200) << spec;
  }
}

// ---- why a run diverges

/// Three episodes with weights of up to 1e37, and a network whose parameters are multiplied by a
/// factor. A large one makes scores overflow, a small one lets only gradients overflow.
void expect_cause(const std::string& model_spec, const std::string& options, float factor,
                  std::initializer_list<std::string> pieces) {
  SCOPED_TRACE(model_spec + " " + options);
  std::vector<Instance> instances;
  for (int i = 0; i < 3; ++i) {
    InstanceBuilder builder(4);
    for (int t = 0; t < 6; ++t) {
      builder.arrive(std::vector<NodeId>{0, 1, 2, 3},
                     std::vector<float>{1e30F, 1e35F, 1e36F, 1e37F});
    }
    instances.push_back(std::move(builder).build());
  }
  const auto problem = problems().make("e-obm");
  const auto model = models().make(model_spec)->build({{.problem = "e-obm"}, 4});
  Rng rng(1, Stream::kInitialise, 0);
  Parameters parameters = model->initial_parameters(rng);
  for (float& value : parameters.values()) value *= factor;
  model->set_parameters(parameters);
  const auto trainer = trainers().make("reinforce(batch=3,lr=0.25,baseline=none" + options + ")");
  trainer->begin(*model);
  expect_error(ErrorCode::kData, pieces, [&] {
    trainer->update({bind_instances(*problem, instances), {}, 7});
  });
  EXPECT_TRUE(model->parameters() == parameters);
}

TEST(Divergence, NamesTheInputsThatAreTooLarge) {
  for (const char* tape : {"", ",tape=1e-6"}) {
    for (const char* model : {"inv-ff(hidden=6)", "inv-ff-hist(hidden=6)", "gnn-hist(hidden=6)",
                              "gnn-hist(hidden=6,embed=3,encoder=2)"}) {
      expect_cause(model, tape, 1e3F,
                   {"diverged: a score at arrival 0 is not a finite number",
                    "probably because of inputs up to 1e+37 (column \"gain\")", "larger unit",
                    "lower learning rate than 0.25"});
    }
    for (const char* model : {"inv-ff(hidden=6)", "gnn-hist(hidden=6)"}) {
      expect_cause(model, tape, 1e-15F,
                   {"diverged: the gradient is not a finite number",
                    "probably because of inputs up to 1e+37 (column \"gain\")", "larger unit",
                    "lower learning rate than 0.25"});
    }
    expect_cause("ff(hidden=6)", tape, 1e3F, {"a score", "1e+37 (column \"gain.3\")"});
  }
}

}  // namespace
}  // namespace foresight
