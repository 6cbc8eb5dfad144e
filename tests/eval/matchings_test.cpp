#include "foresight/eval/matchings.h"

#include <map>

#include "tests/expect_error.h"
#include "tests/named_market.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/csv.h"

namespace foresight {
namespace {

/// The lines of the file, without its header, each as its fields.
std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& path) {
  CsvReader csv(path);
  EXPECT_EQ(csv.columns(),
            (std::vector<std::string>{"instance", "policy", "arrival", "arrival_name", "node",
                                      "node_name", "weight", "cost", "gain"}));
  std::vector<std::vector<std::string>> rows;
  while (csv.next()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < csv.num_columns(); ++i) row.emplace_back(csv.text(i));
  }
  return rows;
}

TEST(Matchings, SayByNameWhoGotWhatOfEveryPolicyAndOfTheOptimum) {
  const TempFolder folder;
  const BoundDataset data = named_market();
  const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
  const Evaluation evaluation = evaluate(data, contestants, {.matchings = true}, no_progress());
  write_matchings(data, evaluation, folder.path() / "m.csv");
  using Row = std::vector<std::string>;
  const std::vector<Row> expected = {
      {"0", "optimum", "0", "boiler\nat 5th", "1", "Boris, \"Bo\"", "90", "2", "90"},
      {"0", "optimum", "1", "", "2", "", "10", "1", "10"},
      {"0", "optimum", "2", "roof", "0", "Ana", "300", "6", "300"},
      {"0", "optimum", "3", "door", "", "", "", "", "0"},
      {"0", "greedy", "0", "boiler\nat 5th", "0", "Ana", "100", "3", "100"},
      {"0", "greedy", "1", "", "1", "Boris, \"Bo\"", "40", "1", "40"},
      {"0", "greedy", "2", "roof", "", "", "", "", "0"},
      {"0", "greedy", "3", "door", "", "", "", "", "0"}};
  EXPECT_EQ(rows_of(folder.path() / "m.csv"), expected);
}

TEST(Matchings, GainsAreThoseOfTheMomentAndAddUpToTheValue) {
  const TempFolder folder;
  for (const char* spec : {"crowd(u=5,v=9)", "thick-z(u=4,v=8)"}) {
    const BoundDataset data =
        solve(generate(bind_source(spec), 1, 3, 1, no_progress()), {}, no_progress());
    const std::vector<Contestant> contestants = {make_contestant("random", data),
                                                 make_contestant("greedy", data)};
    const Evaluation evaluation = evaluate(data, contestants, {.matchings = true}, no_progress());
    write_matchings(data, evaluation, folder.path() / "m.csv");
    std::map<std::string, double> totals;
    for (const auto& row : rows_of(folder.path() / "m.csv")) {
      totals[row[1]] += std::stod(row[8]) / 3;
    }
    EXPECT_NEAR(totals["random"], evaluation.policies[0].mean_value, 1e-4) << spec;
    EXPECT_NEAR(totals["greedy"], evaluation.policies[1].mean_value, 1e-4) << spec;
    EXPECT_GE(totals["optimum"], totals["greedy"]) << spec;
  }
}

TEST(Matchings, AreKeptOnlyWhereAskedFor) {
  const TempFolder folder;
  const BoundDataset data = named_market();
  const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
  const Evaluation evaluation = evaluate(data, contestants, {}, no_progress());
  EXPECT_TRUE(evaluation.policies[0].matchings.empty());
  expect_error(ErrorCode::kUsage, {"matchings of greedy were not kept"},
               [&] { write_matchings(data, evaluation, folder.path() / "m.csv"); });
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "m.csv"));
}

}  // namespace
}  // namespace foresight
