#include "foresight/train/run.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/auto/auto.h"
#include "foresight/model/checkpoint.h"
#include "foresight/model/feed.h"
#include "foresight/nn/network.h"
#include "foresight/solve/solver.h"
#include "foresight/train/metrics.h"
#include "foresight/train/run_record.h"

namespace foresight {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

RunOptions small(const std::string& model, const std::filesystem::path& folder) {
  RunOptions options;
  options.model = model;
  options.train = "crowd(u=4,v=8)";
  options.instances = 300;
  options.validation_instances = 50;
  options.epochs = 3;
  options.seed = 7;
  options.folder = folder;
  return options;
}

std::int64_t updates_per_epoch(const RunOptions& options) {
  const auto trainer = trainers().make(trainer_for(options.model, options.trainer));
  constexpr double kArrivals = 16;  // so few that their number does not count
  trainer->fit_batch(options.instances, kArrivals);
  const auto batch = static_cast<std::uint64_t>(trainer->batch_size());
  return static_cast<std::int64_t>((options.instances + batch - 1) / batch);
}

/// Cancels after some updates, as Ctrl-C does.
class CancelAfter : public Progress {
 public:
  explicit CancelAfter(std::int64_t steps) : left_(steps) {}
  void begin(std::string_view what, std::int64_t, std::string_view) override {
    training_ = what == "training";
  }
  void advance(std::int64_t steps) override {
    if (training_) left_ -= steps;
  }
  bool cancelled() const override { return left_ <= 0; }

 private:
  std::atomic<bool> training_ = false;
  std::atomic<std::int64_t> left_;
};

TEST(Train, OptionsOutOfRangeAreRefusedBeforeAnythingIsWritten) {
  const TempFolder folder;
  const auto refused = [&](const std::string& message, auto change) {
    RunOptions options = small("inv-ff", folder.path() / "run");
    change(options);
    expect_error(ErrorCode::kUsage, {message}, [&] { train(options, no_progress()); });
    options.epochs = std::min(options.epochs, 0);
    if (options.instances == small("", "").instances) options.instances = 0;
    expect_error(ErrorCode::kUsage, {message}, [&] { train_auto(options, no_progress()); });
  };
  refused("train: epochs must be a whole number 0..1000000, got \"-1\"",
          [](RunOptions& options) { options.epochs = -1; });
  refused("train: validation_instances must be a whole number 0..1000000000, got \"1000000001\"",
          [](RunOptions& options) { options.validation_instances = 1'000'000'001; });
  refused("train: augment must be one of none|shuffle|resample, got \"mirror\"",
          [](RunOptions& options) { options.augment = "mirror"; });
  refused("train: instances must be a whole number 0..1000000000, got \"1000000001\"",
          [](RunOptions& options) { options.instances = 1'000'000'001; });
  refused("train: threads must be a whole number 0..4096, got \"-1\"",
          [](RunOptions& options) { options.threads = -1; });
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
}

TEST(Train, NoNumberOfInstancesMeansTheDefaultOne) {
  const TempFolder folder;
  RunOptions options = small("inv-ff", folder.path() / "run");
  options.train = "er(u=2,v=2)";
  options.epochs = 1;
  options.instances = options.validation_instances = 0;
  double value = 0;
  train(options, no_progress(), [&](const auto& metrics) {
    for (const auto& [name, number] : metrics) value = name == "value" ? number : value;
    return true;
  });
  EXPECT_GT(value, 0);
  EXPECT_EQ(read_run(options.folder).instances, 20'000U);
  EXPECT_EQ(read_run(options.folder).validation_instances, 1'000U);
}

TEST(Train, LargeInstancesAreFewer) {
  const TempFolder folder;
  RunOptions options = small("inv-ff(hidden=4)", folder.path() / "run");
  options.train = "er(u=4,v=20000,p=0.1)";
  options.epochs = 1;
  options.instances = 2;
  options.validation_instances = 0;
  train(options, no_progress());
  EXPECT_EQ(read_run(options.folder).validation_instances, 20U);
}

// Few past instances are played often before the model is judged again.
TEST(Train, AnEpochOnAFileHasAsManyEpisodesAsAskedFor) {
  const TempFolder folder;
  const std::string spec = "crowd(u=4,v=8)";
  RunOptions options = small("inv-ff(hidden=4)", folder.path() / "run");
  options.train_data = generate(*sources().make(spec), {spec, 1}, 10, 1, no_progress());
  options.validation = spec;
  options.instances = 45;
  for (const char* augment : {"none", "shuffle", "resample"}) {
    options.augment = augment;
    options.folder = folder.path() / augment;
    train(options, no_progress());
    EXPECT_EQ(read_run(options.folder).instances, 45U);
    EXPECT_EQ(read_run(options.folder).augment, augment);
  }
  EXPECT_NE(read_run(folder.path() / "shuffle").metrics, read_run(folder.path() / "none").metrics);
  EXPECT_NE(read_run(folder.path() / "shuffle").metrics,
            read_run(folder.path() / "resample").metrics);
}

TEST(Train, TheObserverCanEndARunThatResumeGoesOnWith) {
  const TempFolder folder;
  RunOptions options = small("inv-ff-hist", folder.path() / "whole");
  train(options, no_progress());
  options.folder = folder.path() / "ended";
  std::vector<double> epochs;
  const auto observer = [&](const std::vector<std::pair<std::string, double>>& metrics) {
    epochs.push_back(metrics.front().second);
    return epochs.size() < 2;
  };
  EXPECT_EQ(train(options, no_progress(), observer).epochs, 2);
  EXPECT_EQ(epochs, (std::vector<double>{1, 2}));
  options.resume = true;
  EXPECT_EQ(train(options, no_progress()).epochs, 3);
  EXPECT_TRUE(read(folder.path() / "ended" / "last.safetensors") ==
              read(folder.path() / "whole" / "last.safetensors"));
}

class EveryTrainedModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryTrainedModel, GivesTheSameBytesOnAnyNumberOfThreadsAndAfterAnInterruption) {
  const TempFolder folder;
  RunOptions options = small(GetParam(), folder.path() / "one");
  options.threads = 1;
  train(options, no_progress());
  options.folder = folder.path() / "two";
  options.threads = 2;
  train(options, no_progress());
  options.folder = folder.path() / "resumed";
  CancelAfter cancel(updates_per_epoch(options) + 1);
  expect_error(ErrorCode::kCancelled, {"epoch 2", "resume the run"},
               [&] { train(options, cancel); });
  options.resume = true;
  EXPECT_EQ(train(options, no_progress()).epochs, 3);
  for (const char* name : {"best.safetensors", "last.safetensors"}) {
    const std::string expected = read(folder.path() / "one" / name);
    EXPECT_FALSE(expected.empty());
    EXPECT_TRUE(read(folder.path() / "two" / name) == expected) << name << " with two threads";
    EXPECT_TRUE(read(folder.path() / "resumed" / name) == expected) << name << " after resuming";
  }
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : models().entries()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryTrainedModel, testing::ValuesIn(model_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class EveryBaseline : public testing::TestWithParam<std::string> {
 protected:
  RunOptions options(const std::filesystem::path& folder) const {
    RunOptions options = small("inv-ff-hist", folder);
    options.train = "er(u=4,v=16,p=0.4)";
    options.trainer = "reinforce(" + GetParam() + ")";
    return options;
  }
};

TEST_P(EveryBaseline, LearnsToBeatGreedy) {
  const TempFolder folder;
  RunOptions run = options(folder.path() / "run");
  run.instances = 1000;
  run.validation_instances = 200;
  run.epochs = 12;
  EXPECT_GT(train(run, no_progress()).best_ratio, 0.72) << "greedy reaches about 0.65 here";
}

TEST_P(EveryBaseline, ResumesToTheBit) {
  const TempFolder folder;
  RunOptions run = options(folder.path() / "whole");
  train(run, no_progress());
  run.folder = folder.path() / "resumed";
  CancelAfter cancel(updates_per_epoch(run) + 1);
  expect_error(ErrorCode::kCancelled, {"epoch 2"}, [&] { train(run, cancel); });
  run.resume = true;
  train(run, no_progress());
  EXPECT_TRUE(read(folder.path() / "whole" / "last.safetensors") ==
              read(folder.path() / "resumed" / "last.safetensors"));
}

INSTANTIATE_TEST_SUITE_P(Reinforce, EveryBaseline,
                         testing::Values("baseline=ema", "baseline=rollout", "baseline=critic",
                                         "baseline=none", "credit=to-go", "baseline=hindsight",
                                         "rollouts=4,baseline=others,batch=50", "standardize=1",
                                         "entropy_end=0,schedule=cosine", "tape=0.01",
                                         "tape=0.01,baseline=critic", "tape=0.01,standardize=1"),
                         [](const auto& test) {
                           std::string name;
                           for (const char c : test.param) {
                             if (std::isalnum(c)) name += c;
                           }
                           return name;
                         });

// The point of it all: a policy that beats greedy after a few seconds.
TEST(Train, InvFfHistLearnsToBeatGreedy) {
  const TempFolder folder;
  RunOptions options = small("inv-ff-hist", folder.path() / "run");
  options.train = "er(u=4,v=16,p=0.4)";
  options.instances = 4000;
  options.validation_instances = 500;
  options.epochs = 15;
  const RunResult result = train(options, no_progress());
  EXPECT_GT(result.best_ratio, 0.78) << "greedy reaches about 0.65 here";
}

TEST(Train, StandardisingNeedsAPerceptron) {
  const TempFolder folder;
  RunOptions options = small("gnn-hist", folder.path() / "run");
  options.trainer = "reinforce(standardize=1)";
  expect_error(ErrorCode::kUsage, {"standardize=1"}, [&] { train(options, no_progress()); });
}

// Without it, weights of a hundredth are learnt too slowly to be told from one another.
TEST(Train, StandardisedInputsMakeSmallWeightsLearnable) {
  const TempFolder folder;
  std::vector<double> ratios;
  for (const char* trainer : {"reinforce(standardize=0)", "reinforce(standardize=1)"}) {
    RunOptions options = small("inv-ff-hist", folder.path() / trainer);
    options.train = "ba(u=10,v=30)";
    options.trainer = trainer;
    options.instances = 1000;
    options.validation_instances = 500;
    options.epochs = 10;
    ratios.push_back(train(options, no_progress()).best_ratio);
  }
  EXPECT_GT(ratios[1], ratios[0]);
}

TEST(Train, LearnsFromFilesToo) {
  const TempFolder folder;
  const std::string spec = "crowd(u=4,v=8)";
  const auto source = sources().make(spec);
  generate(*source, {spec, 1}, 200, 1, no_progress()).save(folder.path() / "train");
  generate(*source, {spec, 2}, 50, 1, no_progress()).save(folder.path() / "val");
  std::set<std::string> trainers_seen;
  for (const auto& entry : models().entries()) {
    if (!trainers_seen.insert(Spec::parse(trainer_for(entry.name, "")).name).second) continue;
    RunOptions options = small(entry.name, folder.path() / entry.name);
    options.train = (folder.path() / "train").string();
    expect_error(ErrorCode::kUsage, {"needs other instances for validation"},
                 [&] { train(options, no_progress()); });
    options.validation = (folder.path() / "val").string();
    EXPECT_EQ(train(options, no_progress()).epochs, 3);
  }
}

TEST(Train, AFileNameThatIsNotUtf8DoesNotStopARunOrItsResumption) {
  const TempFolder folder;
  const std::string spec = "crowd(u=4,v=8)";
  RunOptions options = small("inv-ff", folder.path() / "run\xff");
  options.train = (folder.path() / "train\xff").string();
  options.validation = (folder.path() / "val\xff").string();
  options.command = "train " + options.train;
  options.epochs = 1;
  generate(*sources().make(spec), {spec, 1}, 100, 1, no_progress()).save(options.train);
  generate(*sources().make(spec), {spec, 2}, 50, 1, no_progress()).save(options.validation);
  EXPECT_EQ(train(options, no_progress()).epochs, 1);
  options.resume = true;
  options.epochs = 2;
  EXPECT_EQ(train(options, no_progress()).epochs, 2);
  EXPECT_EQ(read_run(options.folder).train, (folder.path() / "train\uFFFD").string());
}

TEST(Train, RefusesFilesThatLackWhatTheirProblemNeeds) {
  const TempFolder folder;
  const std::string spec = "crowd(u=4,v=8)";
  const Dataset data = generate(*sources().make(spec), {spec, 1}, 2, 1, no_progress());
  data.for_problem("adwords").save(folder.path() / "no-budgets");
  RunOptions options = small("inv-ff", folder.path() / "run");
  options.train = (folder.path() / "no-budgets").string();
  options.validation = "thick-z(u=4,v=8)";
  expect_error(ErrorCode::kData, {"instance 0", "budget"}, [&] { train(options, no_progress()); });
  options.train = options.validation;
  options.validation = (folder.path() / "no-budgets").string();
  expect_error(ErrorCode::kData, {"instance 0", "budget"}, [&] { train(options, no_progress()); });
}

TEST(Train, KeepsOneLineOfMetricsPerEpoch) {
  const TempFolder folder;
  RunOptions options = small("ff", folder.path() / "run");
  CancelAfter cancel(3);
  expect_error(ErrorCode::kCancelled, {}, [&] { train(options, cancel); });
  options.resume = true;
  train(options, no_progress());
  const std::string text = read(folder.path() / "run" / "metrics.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_TRUE(text.starts_with("epoch,")) << text;
}

TEST(Train, KeepsTheBestOfAllOrOfTheEndOfAnAnnealedRun) {
  for (const bool annealed : {false, true}) {
    const TempFolder folder;
    RunOptions options = small("ff-hist(hidden=8)", folder.path() / "run");
    options.epochs = 10;
    options.trainer = annealed ? "reinforce(schedule=cosine)" : "reinforce";
    std::vector<double> ratios;
    const RunResult result = train(options, no_progress(), [&](const auto& metrics) {
      for (const auto& [name, value] : metrics) {
        if (name == "validation_ratio") ratios.push_back(value);
      }
      return true;
    });
    const auto competing = std::span(ratios).subspan(annealed ? 8 : 0);
    const auto best = std::ranges::max_element(competing);
    EXPECT_EQ(result.best_ratio, *best);
    EXPECT_EQ(result.best_epoch, 1 + &*best - ratios.data());
  }
}

TEST(Train, EndsWhenPatienceRunsOut) {
  const TempFolder folder;
  RunOptions options = small("inv-ff(hidden=4)", folder.path() / "whole");
  options.instances = 20;
  options.trainer = "reinforce(batch=20)";
  options.epochs = 40;
  EXPECT_FALSE(train(options, no_progress()).out_of_patience);
  const auto ratios = read_run(options.folder).metrics["validation_ratio"];
  // The first epoch after which two others were no better.
  std::size_t best = 0, last = 0;
  while (last < ratios.size() && last - best < 2) {
    if (++last < ratios.size() && ratios[last] > ratios[best]) best = last;
  }
  ASSERT_LT(last + 1, ratios.size()) << "this run never pauses, so that nothing is shown";

  options.patience = 2;
  options.folder = folder.path() / "impatient";
  const RunResult result = train(options, no_progress());
  EXPECT_TRUE(result.out_of_patience);
  EXPECT_EQ(result.epochs, static_cast<int>(last) + 1);
  EXPECT_EQ(result.best_epoch, static_cast<int>(best) + 1);
  EXPECT_TRUE(read_run(options.folder).done());
  options.resume = true;
  EXPECT_EQ(train(options, no_progress()).epochs, result.epochs) << "it is done";
  options.patience = 0;
  EXPECT_EQ(train(options, no_progress()).epochs, 40) << "more patience goes on";
  EXPECT_EQ(read_run(options.folder).metrics, read_run(folder.path() / "whole").metrics);
}

TEST(Train, PatienceDoesNotGoWithAnAnnealedRun) {
  const TempFolder folder;
  RunOptions options = small("inv-ff", folder.path() / "run");
  options.patience = 3;
  options.trainer = "reinforce(schedule=cosine)";
  expect_error(ErrorCode::kUsage, {"patience=3", "schedule=cosine"},
               [&] { train(options, no_progress()); });
  EXPECT_FALSE(std::filesystem::exists(options.folder));
}

TEST(Train, RefusesToOverwriteOrToMixRuns) {
  const TempFolder folder;
  RunOptions options = small("inv-ff", folder.path() / "run");
  options.epochs = 1;
  train(options, no_progress());
  expect_error(ErrorCode::kUsage, {"holds a run already", "resume it"},
               [&] { train(options, no_progress()); });
  options.resume = true;
  options.seed = 8;
  expect_error(ErrorCode::kUsage, {"seed", "\"7\"", "\"8\""},
               [&] { train(options, no_progress()); });
}

/// A model whose gradient is not a number.
class BrokenModel : public Model {
 public:
  BrokenModel() { parameters_.add("weight", {1}); }
  const Parameters& parameters() const override { return parameters_; }
  void set_parameters(const Parameters& parameters) override { parameters_ = parameters; }
  Parameters initial_parameters(Rng&) const override { return parameters_; }
  std::vector<std::string> features() const override { return {}; }
  std::unique_ptr<Batch> open(std::span<const Opening>) const override {
    return std::make_unique<BrokenBatch>();
  }
  std::unique_ptr<RecordingBatch> open_recording(std::span<const Opening>, Record) const override {
    return std::make_unique<BrokenBatch>();
  }
  Network network() const override { return {}; }
  std::unique_ptr<Feed> feed(const Market&) const override { return nullptr; }

 private:
  struct BrokenBatch : RecordingBatch {
    void restart(std::span<const Opening>) override {}
    void forget_rows() override {}
    std::size_t rows() const override { return 0; }
    std::size_t bytes() const override { return 0; }
    std::size_t bytes_for(const State&) const override { return 0; }
    void score(std::span<const Turn> turns, Scores& scores) override {
      for (std::size_t i = 0; i < turns.size(); ++i) std::ranges::fill(scores.row(i), 0.0F);
    }
    void backward(std::span<const float>, Parameters& gradient) override {
      gradient.values()[0] = std::nanf("");
    }
  };
  Parameters parameters_;
};

TEST(Train, DivergenceStopsWithASentenceAndLeavesTheModelAsItWas) {
  BrokenModel model;
  const auto trainer = trainers().make("reinforce(lr=0.5)");
  trainer->begin(model);
  const Parameters before = model.parameters();
  const auto problem = problems().make("e-obm");
  const Instance instance = sources().make("er(u=3,v=5,p=0.5)")->draw(1, 0);
  expect_error(ErrorCode::kData, {"diverged", "learning rate", "0.5"}, [&] {
    trainer->update({bind_instances(*problem, {&instance, 1}), {}, 1, 0, 1});
  });
  EXPECT_EQ(model.parameters(), before);
}

TEST(Train, ImitationNeedsAModelWithAnOutputPerNode) {
  const TempFolder folder;
  RunOptions options = small("inv-ff", folder.path() / "run");
  options.trainer = "imitation";
  expect_error(ErrorCode::kUsage, {"imitation", "ff-supervised"},
               [&] { train(options, no_progress()); });
}

TEST(TrainerFor, FillsInWhatWasTunedForTheModel) {
  EXPECT_EQ(trainer_for("inv-ff-hist(hidden=50)", ""),
            "reinforce(lr=0.006,decay=0.97,beta=0.8,entropy=0.0006)");
  EXPECT_EQ(trainer_for("inv-ff-hist", "reinforce(lr=0.1)"),
            "reinforce(lr=0.1,decay=0.97,beta=0.8,entropy=0.0006)");
  EXPECT_EQ(trainer_for("ff-supervised", ""), "imitation(lr=0.0006,decay=0.99)");
  EXPECT_EQ(trainer_for("ff-hist", "imitation"), "imitation");
  EXPECT_EQ(trainer_with("ff-supervised", "imitation(lr=0.1)", {{"lr", "0.2"}, {"batch", "50"}}),
            "imitation(decay=0.99,lr=0.2,batch=50)");
  expect_error(ErrorCode::kUsage, {"imitation", "speed"}, [] {
    trainer_with("ff-supervised", "", {{"speed", "1"}});
  });
  expect_error(ErrorCode::kUsage, {"decay", "2"}, [] {
    trainer_with("ff-hist", "", {{"decay", "2"}});
  });
}

// Check values of RFC 3720, and a record laid out by hand.
TEST(Events, ChecksumsAndRecordsAreThoseOfTensorBoard) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  const TempFolder folder;
  { EventWriter(folder.path(), 12.0).add({{"ratio", 0.5}}, 3, 13.0); }
  const std::string bytes = read(folder.path() / "events.out.tfevents.12.foresight");
  // First record: 8 bytes of length, 4 of checksum, the version event, 4 of checksum.
  ASSERT_GT(bytes.size(), 12U);
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0]));
  EXPECT_EQ(bytes.substr(12, length).substr(length - 13), "brain.Event:2");
  const std::string second = bytes.substr(12 + length + 4 + 12);
  EXPECT_NE(second.find("ratio"), std::string::npos);
}

}  // namespace
}  // namespace foresight
