// Value models and temporal differences: they find the optimal online policy where it is known.
#include <cmath>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/model/checkpoint.h"
#include "foresight/policy/play.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

// One fixed node, n arrivals, all weights uniform: skip below the value of what is to come. With n
// left, v_n = E[max(w, v_{n-1})] = (1 + v_{n-1}^2) / 2.
double value_of_one_node(int arrivals) {
  double value = 0;
  for (int i = 0; i < arrivals; ++i) value = (1 + value * value) / 2;
  return value;
}

RunOptions run_on(const std::string& model, const std::string& source,
                  const std::filesystem::path& folder) {
  RunOptions options;
  options.model = model;
  options.train = source;
  options.instances = 4'000;
  options.validation_instances = 200;
  options.epochs = 10;
  options.folder = folder;
  return options;
}

TEST(Td, FindsTheValueOfWaiting) {
  const std::string spec = "er(u=1,v=6,p=1)";
  for (const auto& entry : models().entries()) {
    const std::string model = entry.name + "(hidden=20)";
    if (Spec::parse(trainer_for(model, "")).name != "td") continue;
    const TempFolder folder;
    RunOptions options = run_on(model, spec, folder.path() / "run");
    options.trainer = "td(batch=50,lr=0.01)";
    train(options, no_progress());
    const auto source = sources().make(spec);
    const auto trained = load_model(options.folder / "last.safetensors");
    const auto problem = problems().make("e-obm");
    std::vector<double> skip(6), count(6);
    double total = 0;
    constexpr int kEpisodes = 2'000;
    for (std::uint64_t i = 0; i < kEpisodes; ++i) {
      const Instance instance = source->draw(99, i);
      PlayOptions play_options;
      play_options.observer = [&](std::span<const Turn> turns, Scores& scores,
                                  std::span<const std::size_t>) {
        const auto t = static_cast<std::size_t>(turns[0].state->history().arrivals);
        if (scores.row(0).size() < 2) return;
        skip[t] += trained.model->temperature() * static_cast<double>(scores.row(0)[0]);
        ++count[t];
      };
      total += play(bind_instances(*problem, {&instance, 1}), *trained.model, play_options)
                   .front()
                   .value;
    }
    // What it believes, and what it reaches.
    EXPECT_NEAR(skip[0] / count[0], value_of_one_node(5), 0.03) << model;
    EXPECT_NEAR(skip[3] / count[3], value_of_one_node(2), 0.03) << model;
    EXPECT_NEAR(total / kEpisodes, value_of_one_node(6), 0.015) << model;
  }
}

TEST(Td, TrainsOnAdwords) {
  const TempFolder folder;
  RunOptions options = run_on("inv-value(hidden=20)", "thick-z(u=4,v=12)", folder.path() / "run");
  options.instances = 1'000;
  const RunResult result = train(options, no_progress());
  EXPECT_GT(result.best_ratio, 0.6);
}

TEST(Td, RefusesModelsThatAreNoValues) {
  const TempFolder folder;
  RunOptions options = run_on("inv-ff", "crowd(u=4,v=6)", folder.path() / "run");
  options.trainer = "td";
  expect_error(ErrorCode::kUsage, {"td trains", "value", "inv-value"},
               [&] { train(options, no_progress()); });
  options.model = "value";
  options.trainer = "imitation";
  expect_error(ErrorCode::kUsage, {"td"}, [&] { train(options, no_progress()); });
}

TEST(Reinforce, LeaveOneOutNeedsOthers) {
  const TempFolder folder;
  RunOptions options = run_on("inv-ff", "crowd(u=4,v=6)", folder.path() / "run");
  options.trainer = "reinforce(baseline=others)";
  expect_error(ErrorCode::kUsage, {"rollouts=8"}, [&] { train(options, no_progress()); });
}

TEST(Reinforce, TheHindsightBaselineServesEdgeWeightsOnly) {
  const TempFolder folder;
  RunOptions options = run_on("inv-ff", "thick-z(u=4,v=8)", folder.path() / "run");
  options.trainer = "reinforce(baseline=hindsight)";
  expect_error(ErrorCode::kUsage, {"matched once", "adwords"},
               [&] { train(options, no_progress()); });
}

}  // namespace
}  // namespace foresight
