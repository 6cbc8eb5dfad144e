#include "foresight/rules/optimal_online.h"

#include <algorithm>
#include <cmath>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include "tests/shared_data.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/cli/command.h"
#include "foresight/model/resolve.h"
#include "foresight/policy/play.h"
#include "foresight/solve/assignment.h"

namespace foresight {
namespace {

std::shared_ptr<Policy> optimal(const std::string& source) {
  return policies().make(fmt::format("optimal-online(source=\"{}\")", source));
}

std::vector<double> values(const Source& source, std::span<const Instance> instances,
                           const Policy& policy) {
  std::vector<double> result;
  const auto problem = problems().make(source.schema().problem);
  for (const Rollout& rollout : play(bind_instances(*problem, instances), policy, {.seed = 5})) {
    result.push_back(rollout.value);
  }
  return result;
}

/// How many standard errors the mean of these is above 0.
double z_score(const std::vector<double>& sample) {
  Moments moments;
  for (const double x : sample) moments.add(x);
  return moments.mean() / std::sqrt(moments.variance() / moments.count());
}

/// All that can decide without having been told of a source or a past.
std::vector<std::string> rules_without_a_past() {
  std::vector<std::string> names = {"greedy-t(threshold=0.4)"};
  for (const auto& entry : policies().entries()) {
    try {
      policies().make(entry.name);
      names.push_back(entry.name);
    } catch (const Error&) {  // optimal-online itself
    }
  }
  return names;
}

/// Two advertisers whose bids are a third and a half of their budgets.
void write_auction(const TempFolder& folder) {
  folder.write_file("fixed.csv", "id,budget\na,3\nb,1\n");
  folder.write_file("edges.csv", "u,v,weight\na,x,1\na,y,1\nb,y,0.5\nb,z,0.5\n");
  folder.write_file("arrivals.csv", "id,frequency\nx,1\ny,2\nz,3\n");
}

TEST(OptimalOnline, EarnsOnAverageWhatItsTableExpectsAndNoPolicyEarnsMore) {
  const TempFolder folder;
  write_auction(folder);
  for (const std::string& spec :
       {std::string("crowd(u=5,v=12)"), std::string("crowd(u=5,v=12,workers=permute)"),
        std::string("crowd(u=5,v=12,workers=vary)"), std::string("er(u=5,v=12,p=0.3)"),
        std::string("er(u=5,v=7,p=0.3,weight=one)"),
        fmt::format("csv(path={},u=2,v=7)", folder.path().string())}) {
    const bool vary = spec.find("vary") != std::string::npos;
    const auto source = sources().make(spec);
    const auto instances = draw(*source, vary ? 300 : 2000, 5);
    const auto best = values(*source, instances, *optimal(spec));
    std::vector<double> surprise;
    double expected = 0;
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (vary || i == 0) {
        expected = solve_online(bind_source(spec), instances[i].market()).table.expected();
      }
      surprise.push_back(best[i] - expected);
    }
    EXPECT_LT(std::abs(z_score(surprise)), 3.5) << spec;
    for (const std::string& name : rules_without_a_past()) {
      auto more = values(*source, instances, *policies().make(name));
      for (std::size_t i = 0; i < more.size(); ++i) more[i] -= best[i];
      if (std::ranges::all_of(more, [](double x) { return x == 0; })) continue;
      EXPECT_LT(z_score(more), 3.5) << spec << " " << name;
    }
  }
}

TEST(OptimalOnline, DoesNotDependOnTheBatchOrTheThreads) {
  for (const char* spec :
       {"crowd(u=5,v=12,workers=permute)", "crowd(u=5,v=12,workers=vary)", "er(u=5,v=12,p=0.3)"}) {
    const auto source = sources().make(spec);
    const auto instances = draw(*source, 60, 5);
    const auto problem = problems().make("e-obm");
    const auto all = play(bind_instances(*problem, instances), *optimal(spec), {.seed = 5});
    for (const int threads : {1, 2, 7}) {
      const auto many = play_many(
          *problem, instances.size(), [&](std::size_t i) { return instances[i]; }, *optimal(spec),
          {.seed = 5}, threads, no_progress());
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(many[i].matching, all[i].matching) << spec << " " << i;
      }
    }
  }
}

TEST(OptimalOnline, StopsInTheMiddleOfATableWhenInterrupted) {
  class Interrupted : public Progress {
    bool cancelled() const override { return true; }
  } interrupted;
  for (const char* spec : {"crowd(u=5,v=12)", "er(u=5,v=12,p=0.3)"}) {
    const auto instances = draw(*sources().make(spec), 3, 5);
    const auto problem = problems().make("e-obm");
    const auto openings =
        open_episodes(bind_instances(*problem, instances), {.progress = &interrupted});
    const auto policy = optimal(spec);
    expect_error(ErrorCode::kCancelled, {"interrupted"}, [&] { policy->begin(openings); });
    // Nothing half done is left behind.
    EXPECT_NO_THROW(values(*sources().make(spec), instances, *policy));
  }
}

TEST(OptimalOnline, IsKeptInAFileThatDecidesTheSame) {
  const TempFolder folder;
  write_auction(folder);
  const std::string file = folder.path() / "best.safetensors";
  for (const std::string& spec :
       {std::string("crowd(u=5,v=12,workers=permute)"), std::string("er(u=5,v=12,p=0.3)"),
        fmt::format("csv(path={},u=2,v=7)", folder.path().string())}) {
    const auto source = sources().make(spec);
    const auto instances = draw(*source, 100, 5);
    const OnlineSolution solution = solve_online(bind_source(spec), instances[0].market());
    save(solution, file);
    const OnlineSolution again = read_online_solution(*SafeTensors::open(file));
    EXPECT_EQ(again.source, solution.source);
    EXPECT_EQ(again.table.values, solution.table.values);
    const auto stored = resolve(file).policy;
    EXPECT_EQ(values(*source, instances, *stored), values(*source, instances, *optimal(spec)));
  }
}

TEST(OptimalOnline, AFileServesFewerArrivalsButNoMoreNorOtherNodesOrProblems) {
  const TempFolder folder;
  const std::string file = folder.path() / "best";
  const auto source = sources().make("crowd(u=5,v=12)");
  save(solve_online(bind_source("crowd(u=5,v=12)"), source->draw(1, 0).market()), file);
  const auto stored = resolve(file).policy;
  const auto play_on = [&](const std::string& spec) {
    const auto other = sources().make(spec);
    const auto instances = draw(*other, 20, 5);
    return values(*other, instances, *stored);
  };
  const auto shorter = sources().make("crowd(u=5,v=8)");
  EXPECT_EQ(play_on("crowd(u=5,v=8)"),
            values(*shorter, draw(*shorter, 20, 5), *optimal("crowd(u=5,v=8)")));
  expect_error(ErrorCode::kData, {"12 arrivals", "13"}, [&] { play_on("crowd(u=5,v=13)"); });
  expect_error(ErrorCode::kData, {"other fixed nodes"}, [&] { play_on("crowd(u=5,v=12,draw=2)"); });
  expect_error(ErrorCode::kData, {"other fixed nodes"}, [&] { play_on("er(u=5,v=12)"); });
  expect_error(ErrorCode::kData, {"other capacities", "1 matches", "2"},
               [&] { play_on("crowd(u=5,v=12,capacity=2)"); });
  expect_error(ErrorCode::kData, {"\"e-obm\"", "\"adwords\""},
               [&] { resolve(file, *problems().make("adwords"), {.problem = "adwords"}); });
}

TEST(OptimalOnline, BrokenAndForeignFilesAreRefused) {
  const TempFolder folder;
  const std::string file = folder.path() / "best";
  const auto source = sources().make("er(u=5,v=12)");
  OnlineSolution solution = solve_online(bind_source("er(u=5,v=12)"), source->draw(1, 0).market());
  save(solution, file);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 4);
  expect_error(ErrorCode::kData, {file}, [&] { resolve(file); });

  solution.table.states.slots[2] = 7;
  save(solution, file);
  expect_error(ErrorCode::kData, {file, "\"slots\""}, [&] { resolve(file); });
  solution.table.states.slots[2] = 1;
  solution.ids = {1, 2, 3, 4, 1};  // node 1 would be counted twice, beyond the last state
  save(solution, file);
  expect_error(ErrorCode::kData, {file, "\"ids\""}, [&] { resolve(file); });
  solution.table.states.strides.pop_back();
  expect_error(ErrorCode::kUsage, {"strides"}, [&] { save(solution, file); });

  SafeTensorsWriter writer;
  writer.set_meta("format", "moon");
  writer.write(file);
  expect_error(ErrorCode::kData, {file}, [&] { resolve(file); });
  expect_error(ErrorCode::kData, {file}, [&] { read_online_solution(*SafeTensors::open(file)); });
}

TEST(OptimalOnline, MarketsOfAnotherSourceAreRefused) {
  const auto play_on = [](const std::string& known, const std::string& spec) {
    const auto source = sources().make(spec);
    values(*source, draw(*source, 1, 5), *optimal(known));
  };
  for (const char* other : {"crowd(u=5,v=12,draw=2)", "crowd(u=5,v=12,city=2)",
                            "crowd(u=5,v=12,workers=vary)", "er(u=5,v=12)"}) {
    expect_error(ErrorCode::kData, {"5 fixed nodes", "crowd", "u=5"},
                 [&] { play_on("crowd(u=5,v=12)", other); });
  }
  expect_error(ErrorCode::kData, {"6 fixed nodes", "u=5"},
               [&] { play_on("crowd(u=5,v=12)", "crowd(u=6,v=12)"); });
  expect_error(ErrorCode::kData, {"\"er\"", "base graph"},
               [&] { play_on("er(u=5,v=12)", "crowd(u=5,v=12)"); });
  expect_error(ErrorCode::kData, {"odd"},
               [&] { play_on("crowd(u=5,workers=vary,pool=odd)", "crowd(u=5,workers=vary)"); });
}

TEST(OptimalOnline, SourcesWithoutALawAreToldFromThoseWithOne) {
  for (const char* source : {"thick-z(u=5,v=10)", "ba(u=5,v=10)"}) {
    expect_error(ErrorCode::kUsage, {source, "er, crowd, gmission"}, [&] { optimal(source); });
  }
  expect_error(ErrorCode::kUsage, {"optimal-online(source="},
               [] { policies().make("optimal-online"); });
}

TEST(OptimalOnline, TablesThatTakeTooMuchMemoryAreRefused) {
  const auto source = sources().make("crowd(u=30,v=12)");
  const auto instances = draw(*source, 1, 5);
  expect_error(ErrorCode::kUsage, {"30 fixed nodes", "1.074e+09 states", "1024 MiB"},
               [&] { values(*source, instances, *optimal("crowd(u=30,v=12)")); });
}

TEST(OptimalOnline, ReachesOnGMissionWhatTheReferenceMeasured) {
  FORESIGHT_NEEDS_SHARED("data/gmission");
  const std::string spec =
      fmt::format("gmission(path={},u=10,v=30)", (*shared_folder() / "data/gmission").string());
  const auto source = sources().make(spec);
  const auto instances = draw(*source, 500, 5);
  const auto best = values(*source, instances, *optimal(spec));
  AssignmentSolver solver;
  double ratio = 0;
  for (std::size_t i = 0; i < best.size(); ++i) ratio += best[i] / solver.solve(instances[i]).value;
  EXPECT_NEAR(ratio / 500, 0.898, 0.012);
}

TEST(Ceiling, TellsTheExpectedValueAndWritesThePolicy) {
  const TempFolder folder;
  const std::string file = folder.path() / "best.safetensors";
  const auto run = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"foresight", "ceiling"});
    testing::internal::CaptureStdout();
    const int code = run_program(static_cast<int>(arguments.size()), arguments.data());
    return std::pair(code, testing::internal::GetCapturedStdout());
  };
  const auto [code, text] = run({"crowd(u=5,v=12)", "-o", file.c_str()});
  EXPECT_EQ(code, 0);
  const auto source = sources().make("crowd(u=5,v=12)");
  const double expected = read_online_solution(*SafeTensors::open(file)).table.expected();
  EXPECT_NE(text.find(fmt::format("{:.6f}", expected)), std::string::npos) << text;
  EXPECT_NE(text.find("fluid bound"), std::string::npos) << text;
  EXPECT_EQ(run({"crowd(u=5,v=12,workers=vary)", "-o", file.c_str()}).first, 2);
  EXPECT_NE(run({"crowd(u=5,v=12,workers=vary)"}).second.find("mean of 100 markets"),
            std::string::npos);
  EXPECT_NE(run({"crowd(u=40,v=12)"}).second.find("not computable"), std::string::npos);
  EXPECT_EQ(run({"er(u=500,v=500,p=0.1)"}).first, 0);
  const auto [unknown, told] = run({"triangular(u=5,v=10)"});
  EXPECT_EQ(unknown, 0);
  EXPECT_NE(told.find("hindsight"), std::string::npos) << told;
  EXPECT_NE(told.find("not computable"), std::string::npos) << told;
  EXPECT_EQ(run({"triangular(u=5,v=10)", "-o", file.c_str()}).first, 2);
  EXPECT_EQ(run({"er(u=5,v=10,p=2)"}).first, 2);
}

}  // namespace
}  // namespace foresight
