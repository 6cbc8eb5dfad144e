// Going on with a run: only if it was asked for alike on the same data, and only if what it left
// behind is whole.
#include <fstream>
#include <functional>
#include <set>
#include <utility>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/model/checkpoint.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

class Resumed : public testing::Test {
 protected:
  Resumed() {
    options_.model = "inv-ff(hidden=4)";
    options_.train = "crowd(u=4,v=6)";
    options_.instances = 200;
    options_.validation_instances = 20;
    options_.epochs = 2;
    options_.folder = folder_.path() / "run";
  }

  /// The file of instances with this seed.
  std::string write_data(const std::string& name, std::uint64_t seed) const {
    const auto path = folder_.path() / name;
    generate(bind_source("crowd(u=4,v=6)"), seed, 60, 1, no_progress()).save(path);
    return path.string();
  }

  std::string read_file_of_run(const char* name) const {
    std::ifstream file(options_.folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  template <typename Change>
  void expect_refused(std::initializer_list<std::string> pieces, Change&& change) const {
    RunOptions changed = options_;
    changed.resume = true;
    changed.epochs = 4;
    change(changed);
    const std::string before = read_file_of_run("last.safetensors");
    expect_error(ErrorCode::kUsage, {"cannot be resumed with other settings"},
                 [&] { train(changed, no_progress()); });
    expect_error(ErrorCode::kUsage, pieces, [&] { train(changed, no_progress()); });
    EXPECT_TRUE(read_file_of_run("last.safetensors") == before);
  }

  TempFolder folder_;
  RunOptions options_;
};

TEST_F(Resumed, AnythingElseThatIsAskedForIsRefused) {
  train(options_, no_progress());
  expect_refused({"instances", "\"200\"", "\"400\""}, [](RunOptions& o) { o.instances = 400; });
  expect_refused({"validation_instances", "\"20\"", "\"30\""},
                 [](RunOptions& o) { o.validation_instances = 30; });
  expect_refused({"seed"}, [](RunOptions& o) { o.seed = 2; });
  expect_refused({"model", "hidden=4", "hidden=5"},
                 [](RunOptions& o) { o.model = "inv-ff(hidden=5)"; });
  expect_refused({"trainer"}, [](RunOptions& o) { o.trainer = "reinforce(lr=0.5)"; });
  expect_refused({"train", "v=6", "v=7"}, [](RunOptions& o) { o.train = "crowd(u=4,v=7)"; });
  expect_refused({"validation", "v=6", "v=7"},
                 [](RunOptions& o) { o.validation = "crowd(u=4,v=7)"; });
}

TEST_F(Resumed, ASpecInOtherWordsThatMeansTheSameIsAccepted) {
  train(options_, no_progress());
  options_.resume = true;
  options_.epochs = 3;
  options_.train = "crowd(v=6,u=4,workers=fixed)";
  options_.validation = "crowd(people=532,u=4,v=6)";
  options_.model = "inv-ff(layers=2,hidden=4)";
  EXPECT_EQ(train(options_, no_progress()).epochs, 3);
}

TEST_F(Resumed, AFileMayBeMovedButNotReplaced) {
  options_.train = write_data("train", 1);
  options_.validation = write_data("validation", 2);
  train(options_, no_progress());
  expect_refused({"train", "has changed"},
                 [&](RunOptions& o) { o.train = write_data("other", 3); });
  expect_refused({"validation", "has changed"},
                 [&](RunOptions& o) { o.validation = write_data("other", 3); });
  write_data("train", 3);
  expect_refused({"train", "has changed"}, [](RunOptions&) {});
  options_.train = write_data("moved", 1);
  options_.resume = true;
  options_.epochs = 3;
  EXPECT_EQ(train(options_, no_progress()).epochs, 3);
}

// Before epochs on files had a size of their own, an epoch was a pass. Such a run goes on with as
// many instances as it had; without the number it is refused, because others fit now.
TEST_F(Resumed, ARunOfOnePassPerEpochNeedsTheNumberOfInstances) {
  options_.train = write_data("train", 1);
  options_.validation = write_data("validation", 2);
  options_.instances = 60;
  train(options_, no_progress());
  expect_refused({"instances", "\"60\"", "\"540\""}, [](RunOptions& o) { o.instances = 0; });
  expect_refused({"augment", "\"none\"", "\"shuffle\""},
                 [](RunOptions& o) { o.augment = "shuffle"; });
  options_.resume = true;
  options_.epochs = 3;
  EXPECT_EQ(train(options_, no_progress()).epochs, 3);
}

TEST_F(Resumed, ARunOnReorderedArrivalsIsThatOfAWholeOne) {
  options_.train = write_data("train", 1);
  options_.validation = write_data("validation", 2);
  options_.augment = "shuffle";
  options_.epochs = 3;
  train(options_, no_progress());
  const std::string whole = read_file_of_run("last.safetensors");
  options_.folder = folder_.path() / "resumed";
  options_.resume = true;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    train(options_, no_progress(),
          [&](const MetricsRow& row) { return row.front().second < epoch; });
  }
  EXPECT_TRUE(read_file_of_run("last.safetensors") == whole);
}

TEST_F(Resumed, FilesBehindASourceMayNotChange) {
  std::filesystem::create_directory(folder_.path() / "graph");
  const auto write_graph = [&](const char* weight) {
    folder_.write_file("graph/edges.csv", fmt::format("u,v,weight\na,p,0.5\nb,p,{}\n", weight));
  };
  write_graph("0.25");
  options_.train = fmt::format("csv(path=\"{}\",u=2,v=6)", (folder_.path() / "graph").string());
  train(options_, no_progress());
  write_graph("0.75");
  expect_refused({"train", "has changed"}, [](RunOptions&) {});
}

/// Ends a run after some epochs, without a word to the trainer.
EpochObserver after(int epochs) {
  return [epochs](const MetricsRow& row) { return row.front().second < epochs; };
}

TEST_F(Resumed, MetricsOfAnAnnealedRunAreThoseOfAWholeOne) {
  options_.trainer = "reinforce(schedule=cosine)";
  options_.epochs = 6;
  train(options_, no_progress());
  const std::string whole = read_file_of_run("metrics.csv");
  options_.folder = folder_.path() / "resumed";
  options_.resume = true;
  for (int epoch = 1; epoch <= 6; ++epoch) train(options_, no_progress(), after(epoch));
  EXPECT_EQ(read_file_of_run("metrics.csv"), whole);
  expect_refused({"epochs", "\"6\"", "\"4\""}, [](RunOptions&) {});
}

// Every array of every trainer, longer, shorter and missing: an array that was too long was written
// over the end of memory.
TEST_F(Resumed, ArraysOfATrainerThatDoNotFitAreRefused) {
  const std::pair<const char*, const char*> runs[] = {
      {"inv-ff(hidden=4)", "reinforce(baseline=rollout)"},
      {"inv-ff(hidden=4)", "reinforce(baseline=critic,standardize=1)"},
      {"inv-value(hidden=4)", "td"},
      {"ff-supervised(hidden=4)", "imitation"}};
  std::set<std::string> trainers_seen;
  for (const auto& [model, trainer] : runs) {
    trainers_seen.insert(Spec::parse(trainer).name);
    options_.model = model;
    options_.trainer = trainer;
    options_.epochs = 3;
    options_.resume = false;
    options_.folder = folder_.path() / fmt::format("{}-{}", model, trainer);
    train(options_, no_progress(), after(1));
    options_.resume = true;
    const auto last = options_.folder / "last.safetensors";
    const auto whole = SafeTensors::open(last);
    int tried = 0;
    for (const auto& [name, tensor] : whole->tensors()) {
      if (!name.starts_with("trainer.")) continue;
      for (const std::ptrdiff_t change : {1, 1000, -1}) {
        SafeTensorsWriter writer;
        for (const auto& [key, value] : whole->metadata()) writer.set_meta(key, value);
        for (const auto& [other, kept] : whole->tensors()) {
          const bool changed = other == name;
          const auto copy = [&]<typename T>(T) {
            const auto values = whole->array<T>(other);
            std::vector<T> all(values.begin(), values.end());
            if (changed) all.resize(static_cast<std::size_t>(std::ssize(all) + change));
            writer.add_owned<T>(other, changed ? std::vector{all.size()} : kept.shape, all);
          };
          if (kept.dtype == DType::kF32) copy(float());
          if (kept.dtype == DType::kF64) copy(double());
          if (kept.dtype == DType::kI64) copy(std::int64_t());
        }
        writer.write(last);
        SCOPED_TRACE(fmt::format("{} of {}, {} entries more", name, trainer, change));
        expect_error(ErrorCode::kData, {}, [&] { train(options_, no_progress()); });
        ++tried;
      }
    }
    EXPECT_GT(tried, 6);
  }
  for (const auto& entry : trainers().entries()) EXPECT_TRUE(trainers_seen.contains(entry.name));
}

/// Another process that writes the folder between two looks at it.
class Meanwhile : public Progress {
 public:
  explicit Meanwhile(std::function<void()> work) : work_(std::move(work)) {}
  void begin(std::string_view what, std::int64_t, std::string_view) override {
    if (work_ && what.starts_with("drawing")) std::exchange(work_, nullptr)();
  }

 private:
  std::function<void()> work_;
};

TEST_F(Resumed, ARunThatAppearsMeanwhileIsNotOverwritten) {
  RunOptions faster = options_;
  faster.seed = 9;
  Meanwhile progress([&] { train(faster, no_progress()); });
  expect_error(ErrorCode::kUsage, {"holds a run already"}, [&] { train(options_, progress); });
  EXPECT_EQ(read_run(options_.folder).seed, 9U);
}

TEST_F(Resumed, WhatAnotherProcessAddedMeanwhileIsGoneOnFrom) {
  options_.epochs = 5;
  train(options_, no_progress());
  const std::string metrics = read_file_of_run("metrics.csv");
  const std::string last = read_file_of_run("last.safetensors");
  options_.folder = folder_.path() / "shared";
  train(options_, no_progress(), after(1));
  options_.resume = true;
  Meanwhile progress([&] { train(options_, no_progress(), after(4)); });
  EXPECT_EQ(train(options_, progress).epochs, 5);
  EXPECT_EQ(read_file_of_run("metrics.csv"), metrics);
  EXPECT_TRUE(read_file_of_run("last.safetensors") == last);
}

TEST_F(Resumed, FilesOfASourceMayMoveButNotChange) {
  const auto write = [&](const std::string& name, const std::string& rows) {
    std::filesystem::create_directories(folder_.path() / name);
    folder_.write_file(name + "/edges.csv", "u,v,weight\n" + rows);
    return fmt::format("csv(path={},u=2,v=4)", (folder_.path() / name).string());
  };
  options_.train = write("here", "a,p,1\nb,p,0.5\nb,q,1\n");
  options_.validation.clear();
  options_.epochs = 1;
  train(options_, no_progress());
  options_.resume = true;
  options_.epochs = 2;
  options_.train = write("there", "a,p,1\nb,p,0.5\nb,q,1\n");
  EXPECT_EQ(train(options_, no_progress()).epochs, 2);
  options_.train = write("changed", "a,p,1\nb,p,0.5\nb,q,0.9\n");
  expect_error(ErrorCode::kUsage, {"content of train", "changed"},
               [&] { train(options_, no_progress()); });
  options_.train = write("there", "a,p,1\nb,p,0.5\nb,q,1\n");
  options_.train.replace(options_.train.find("v=4"), 3, "v=5");
  expect_error(ErrorCode::kUsage, {"train was"}, [&] { train(options_, no_progress()); });
}

TEST_F(Resumed, AMixOfOtherSourcesIsOtherData) {
  options_.train = "mix(first=\"er(u=4,v=6)\",second=\"er(u=4,v=6,p=0.5)\")";
  options_.validation.clear();
  options_.epochs = 1;
  train(options_, no_progress());
  options_.resume = true;
  options_.epochs = 2;
  options_.train = "mix(first=\"er(u=4,v=6)\",second=\"er(u=4,v=6,p=0.9)\")";
  expect_error(ErrorCode::kUsage, {"train was", "p=0.9"}, [&] { train(options_, no_progress()); });
}

TEST_F(Resumed, CopiesForPeopleAreNotNeeded) {
  options_.epochs = 1;
  train(options_, no_progress());
  for (const char* copy : {"config.json", "timing.csv", "metrics.csv"}) {
    std::ofstream(options_.folder / copy) << "";
  }
  options_.resume = true;
  options_.epochs = 2;
  EXPECT_EQ(train(options_, no_progress()).epochs, 2);
  EXPECT_EQ(read_run(options_.folder).epochs_done(), 2);
}

}  // namespace
}  // namespace foresight
