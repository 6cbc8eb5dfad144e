#include "foresight/auto/auto.h"

#include <algorithm>
#include <fstream>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/auto/candidates_internal.h"
#include "foresight/base/safetensors.h"
#include "foresight/model/resolve.h"
#include "foresight/solve/solver.h"
#include "foresight/train/seeds.h"

namespace foresight {
namespace {

RunOptions tiny(const std::string& source, const std::filesystem::path& folder) {
  RunOptions options;
  options.train = source;
  options.validation_instances = 40;
  options.minutes = 0.01;
  options.folder = folder;
  return options;
}

std::vector<std::string> names(const AutoResult& result) {
  std::vector<std::string> all;
  for (const PolicyResult& policy : result.evaluation.policies) all.push_back(policy.name);
  return all;
}

bool contains(const std::vector<std::string>& all, const std::string& name) {
  return std::ranges::find(all, name) != all.end();
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The models with a place in the search, by whether they need the same nodes in all instances.
std::vector<std::string> automatic(bool with_same_nodes) {
  std::vector<std::string> all;
  for (const auto& entry : models().entries()) {
    const auto plan = models().make(entry.name)->plan().automatic;
    if (plan && (with_same_nodes || !plan->same_nodes)) all.push_back(entry.name);
  }
  return all;
}

TEST(Auto, TriesEveryModelThatSuitsTheDataAndKeepsOnePolicy) {
  const TempFolder folder;
  const AutoResult result = train_auto(tiny("crowd(u=4,v=8)", folder.path()), no_progress());
  for (const std::string& model : automatic(true)) EXPECT_TRUE(contains(names(result), model));
  EXPECT_EQ(names(result).front(), "greedy");
  EXPECT_TRUE(contains(names(result), "greedy-t"));
  EXPECT_TRUE(contains(names(result), result.kept));
  EXPECT_TRUE(result.fresh);
  EXPECT_EQ(result.evaluation.num_instances, 40U);
  EXPECT_NE(result.advice.find(result.kept), std::string::npos);
  // The folder is the policy, and it can be named like any other.
  const BoundDataset data = bind_data(Dataset::load(folder.path() / "test.safetensors"));
  const NamedPolicy kept = resolve(folder.path().string(), data.problem(), data.schema());
  EXPECT_EQ(kept.trained.has_value(), !result.is_rule);
  const auto again =
      evaluate(data, std::vector{Contestant{"kept", kept.policy}}, {}, no_progress());
  const auto found =
      std::ranges::find(result.evaluation.policies, result.kept, &PolicyResult::name);
  EXPECT_EQ(again.policies[0].ratios, found->ratios);
}

TEST(Auto, TriesOnlyInvariantModelsWhereNodesVary) {
  const auto models_for = [](const std::string& spec) {
    const BoundSource source = bind_source(spec);
    std::vector<Instance> some;
    for (std::uint64_t i = 0; i < 10; ++i) some.push_back(source.draw(1, i));
    std::vector<std::string> all;
    for (const auto& candidate : learned_candidates(bind_instances(source.problem(), some))) {
      if (!contains(all, candidate.model)) all.push_back(candidate.model);
    }
    return all;
  };
  EXPECT_EQ(models_for("crowd(u=4,v=8)"), automatic(true));
  EXPECT_EQ(models_for("crowd(u=4,v=8,workers=vary)"), automatic(false));
  EXPECT_EQ(models_for("mix(first=er(u=4,v=8),second=er(u=6,v=9))"), automatic(false));
  EXPECT_GT(automatic(true).size(), automatic(false).size());
  EXPECT_GT(automatic(false).size(), 1U);
}

TEST(Auto, KeepsARuleWhereNothingCanBeLearned) {
  // One node, and every arrival gains the same: greedy is best, and nothing can be better.
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "graph");
  folder.write_file("graph/edges.csv", "node,type,weight\na,p,1\na,q,1\n");
  const std::string source =
      fmt::format("csv(path=\"{}\",u=1,v=3)", (folder.path() / "graph").string());
  const AutoResult result = train_auto(tiny(source, folder.path() / "run"), no_progress());
  EXPECT_TRUE(result.is_rule);
  EXPECT_EQ(result.kept, "greedy") << "the simplest of those that are equally good";
  EXPECT_NE(result.advice.find("nothing to learn"), std::string::npos) << result.advice;
  const NamedPolicy kept = resolve((folder.path() / "run").string());
  EXPECT_EQ(kept.rule, result.kept);
}

TEST(Auto, AModelMustBeAheadOfTheBestQuickRuleBeyondDoubtHoweverGoodASlowRuleIs) {
  // Two days to choose by: nobody is ahead of a rule beyond doubt, whichever rule came first.
  const TempFolder folder;
  const BoundSource source = bind_source("crowd(u=4,v=8)");
  RunOptions options = tiny("", folder.path() / "run");
  options.train_data = generate(source, 1, 12, 1, no_progress());
  options.validation_data = generate(source, 2, 2, 1, no_progress());
  const AutoResult result = train_auto(options, no_progress());
  EXPECT_TRUE(result.is_rule) << result.advice;
  EXPECT_TRUE(std::ranges::any_of(result.notes, [](const std::string& note) {
    return note.starts_with("instances to choose by: 2;");
  }));
}

TEST(Auto, EveryRoundSeesOtherInstances) {
  const TempFolder folder;
  const AutoResult result = train_auto(tiny("crowd(u=4,v=8)", folder.path()), no_progress());
  int several = 0;
  for (const auto& candidate : std::filesystem::directory_iterator(folder.path() / "candidates")) {
    if (!is_run_folder(candidate.path() / "2")) continue;
    ++several;
    EXPECT_NE(read_run(candidate.path() / "1").seed, read_run(candidate.path() / "2").seed);
  }
  EXPECT_GT(several, 0);
}

TEST(Auto, LeavesTheRunOfOneModelAlone) {
  const TempFolder folder;
  RunOptions options = tiny("crowd(u=4,v=6)", folder.path() / "run");
  options.minutes = 0;
  options.instances = 100;
  options.epochs = 1;
  options.model = "ff";
  train(options, no_progress());
  const std::string before = SafeTensors::open(options.folder / "best.safetensors")->digest();
  for (const bool resume : {false, true}) {
    RunOptions search = tiny("crowd(u=4,v=6)", options.folder);
    search.resume = resume;
    expect_error(ErrorCode::kUsage, {"holds a run of one model"},
                 [&] { train_auto(search, no_progress()); });
  }
  EXPECT_EQ(SafeTensors::open(options.folder / "best.safetensors")->digest(), before);
}

TEST(Auto, RefusesWhatItChoosesItselfAndOtherSettingsOnResume) {
  const TempFolder folder;
  const auto refused = [&](const std::string& word, auto change) {
    RunOptions options = tiny("crowd(u=3,v=4)", folder.path() / "run");
    change(options);
    expect_error(ErrorCode::kUsage, {word}, [&] { train_auto(options, no_progress()); });
  };
  refused("trainer", [](RunOptions& o) { o.trainer = "reinforce"; });
  refused("epochs", [](RunOptions& o) { o.epochs = 3; });
  refused("instances", [](RunOptions& o) { o.instances = 3; });
  refused("patience", [](RunOptions& o) { o.patience = 3; });
  refused("draws fresh ones", [](RunOptions& o) { o.augment = "shuffle"; });
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
  train_auto(tiny("crowd(u=3,v=4)", folder.path() / "run"), no_progress());
  refused("holds a search already", [](RunOptions&) {});
  refused("seed was 1, and now is 2", [](RunOptions& o) {
    o.resume = true;
    o.seed = 2;
  });
  refused("minutes", [](RunOptions& o) {
    o.resume = true;
    o.minutes = 1;
  });
}

TEST(Auto, ADamagedRunIsTrainedAgainToTheSameBytes) {
  const TempFolder folder;
  RunOptions options = tiny("crowd(u=4,v=8,workers=vary)", folder.path() / "run");
  const AutoResult expected = train_auto(options, no_progress());
  const std::string best = text_of(options.folder / "best.safetensors");
  options.resume = true;
  for (const auto& candidate : std::filesystem::directory_iterator(options.folder / "candidates")) {
    std::filesystem::resize_file(candidate.path() / "1" / "last.safetensors", 500);
  }
  const AutoResult found = train_auto(options, no_progress());
  EXPECT_EQ(found.kept, expected.kept);
  EXPECT_EQ(names(found), names(expected));
  EXPECT_EQ(text_of(options.folder / "best.safetensors"), best);
  EXPECT_TRUE(std::ranges::any_of(found.notes, [](const std::string& note) {
    return note.find("damaged") != std::string::npos;
  }));
}

TEST(Auto, ASearchAndARunHaveFoldersOfTheirOwn) {
  const TempFolder folder;
  const RunOptions search = tiny("crowd(u=3,v=4)", folder.path() / "run");
  train_auto(search, no_progress());
  RunOptions other = search;
  other.folder = search.folder / "candidates";
  for (const bool resume : {false, true}) {
    other.resume = resume;
    expect_error(ErrorCode::kUsage, {"inside it"}, [&] { train_auto(other, no_progress()); });
  }
  RunOptions run = search;
  run.model = "ff";
  run.resume = true;
  expect_error(ErrorCode::kUsage, {"holds a search"}, [&] { train(run, no_progress()); });
  expect_error(ErrorCode::kUsage, {"holds a search"}, [&] { train_seeds(run, 2, no_progress()); });
  RunOptions quoted = search;
  quoted.folder = folder.path() / "a\"b";
  expect_error(ErrorCode::kUsage, {"quotation"}, [&] { train_auto(quoted, no_progress()); });
}

TEST(Auto, DoesNotChooseByWhatItLearnedFrom) {
  const TempFolder folder;
  RunOptions options = tiny("", folder.path() / "run");
  options.train_data = options.validation_data =
      generate(bind_source("crowd(u=3,v=4)"), 1, 5, 1, no_progress());
  expect_error(ErrorCode::kData, {"holds the training instances"},
               [&] { train_auto(options, no_progress()); });
}

/// Cancels when so much work is done.
class CancelAfter : public Progress {
 public:
  explicit CancelAfter(int jobs) : left_(jobs) {}
  void begin(std::string_view, std::int64_t, std::string_view) override { --left_; }
  bool cancelled() const override { return left_ <= 0; }

 private:
  int left_;
};

TEST(Auto, GoesOnWhereItWasInterruptedToTheSameBytes) {
  const TempFolder folder;
  const RunOptions whole = tiny("crowd(u=3,v=5)", folder.path() / "whole");
  const AutoResult expected = train_auto(whole, no_progress());
  RunOptions options = tiny("crowd(u=3,v=5)", folder.path() / "parts");
  int interruptions = 0;
  for (const int jobs : {6, 14, 20}) {
    CancelAfter progress(jobs);
    try {
      train_auto(options, progress);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCancelled) << error.what();
      ++interruptions;
    }
    options.resume = true;
  }
  EXPECT_GT(interruptions, 1);
  options.threads = 1;
  const AutoResult found = train_auto(options, no_progress());
  EXPECT_EQ(found.kept, expected.kept);
  EXPECT_EQ(names(found), names(expected));
  for (std::size_t i = 0; i < found.evaluation.policies.size(); ++i) {
    EXPECT_EQ(found.evaluation.policies[i].ratios, expected.evaluation.policies[i].ratios);
  }
  EXPECT_EQ(text_of(options.folder / "best.safetensors"),
            text_of(whole.folder / "best.safetensors"));
}

TEST(Auto, LearnsFromRecordedDaysAndSaysOnWhatItWasJudged) {
  const TempFolder folder;
  const BoundSource source = bind_source("crowd(u=4,v=6)");
  RunOptions options = tiny("", folder.path() / "run");
  options.train_data = generate(source, 1, 12, 1, no_progress());
  options.validation_data = generate(source, 2, 5, 1, no_progress());
  const AutoResult result = train_auto(options, no_progress());
  EXPECT_FALSE(result.fresh);
  EXPECT_EQ(result.evaluation.num_instances, 5U);
}

TEST(Auto, CutsRecordedDaysByTimeIfNothingElseIsGiven) {
  const TempFolder folder;
  const BoundDataset days = generate(bind_source("crowd(u=4,v=6)"), 1, 11, 1, no_progress());
  RunOptions options = tiny("", folder.path() / "run");
  options.train_data = days;
  const AutoResult result = train_auto(options, no_progress());
  EXPECT_FALSE(result.fresh);
  const Dataset train = Dataset::load(options.folder / "train.safetensors");
  const Dataset last = Dataset::load(options.folder / "validation.safetensors");
  ASSERT_EQ(train.size(), 9U);
  ASSERT_EQ(last.size(), 2U);
  for (std::size_t i = 0; i < days.size(); ++i) {
    EXPECT_EQ(i < 9 ? train.instance(i) : last.instance(i - 9), days.instance(i));
  }
  options.folder = folder.path() / "one";
  options.train_data = generate(bind_source("crowd(u=4,v=6)"), 1, 1, 1, no_progress());
  expect_error(ErrorCode::kData, {"one instance is not enough"},
               [&] { train_auto(options, no_progress()); });
  EXPECT_FALSE(std::filesystem::exists(options.folder));
}

TEST(Auto, WhatWasFoundCanBeReadAgain) {
  const TempFolder folder;
  const RunOptions options = tiny("crowd(u=3,v=5)", folder.path() / "run");
  expect_error(ErrorCode::kUsage, {"run", "holds no search"}, [&] { read_auto(options.folder); });
  CancelAfter soon(6);
  expect_error(ErrorCode::kCancelled, {}, [&] { train_auto(options, soon); });
  expect_error(ErrorCode::kUsage, {"run", "is not done; resume it"},
               [&] { read_auto(options.folder); });
  RunOptions again = options;
  again.resume = true;
  const AutoResult found = train_auto(again, no_progress());
  const AutoResult read = read_auto(options.folder);
  EXPECT_EQ(read.kept, found.kept);
  EXPECT_EQ(read.is_rule, found.is_rule);
  EXPECT_EQ(read.fresh, found.fresh);
  EXPECT_EQ(read.advice, found.advice);
  EXPECT_EQ(read.notes, found.notes);
  ASSERT_EQ(read.tried.size(), found.tried.size());
  for (std::size_t i = 0; i < read.tried.size(); ++i) {
    EXPECT_EQ(read.tried[i].name, found.tried[i].name);
    EXPECT_EQ(read.tried[i].policy, found.tried[i].policy);
    EXPECT_EQ(read.tried[i].lead, found.tried[i].lead);
  }
  const auto value = std::ranges::find(read.tried, "value", &AutoResult::Tried::name);
  ASSERT_NE(value, read.tried.end());
  EXPECT_TRUE(is_run_folder(options.folder / value->policy)) << value->policy;
  EXPECT_EQ(names(read), names(found));
  EXPECT_EQ(read.kept_result().ratios, found.kept_result().ratios);
}

}  // namespace
}  // namespace foresight
