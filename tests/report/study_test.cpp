// Studies of foresight-tune: read in full or refused with the field that is wrong, and shown.
#include "foresight/report/study.h"

#include <cmath>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/report/report.h"

namespace foresight {
namespace {

using nlohmann::json;

json trial(int number, const char* state, json value, double lr, const char* baseline) {
  return {{"number", number},
          {"state", state},
          {"value", std::move(value)},
          {"epochs", 5},
          {"seconds", 0.5},
          {"trainer", fmt::format("reinforce(lr={})", lr)},
          {"values", {lr, baseline}}};
}

json study() {
  return {{"format", "foresight-study"},
          {"version", 1},
          {"name", "night"},
          {"model", "ff-hist"},
          {"train", "gmission(path=/data,u=10,v=30)"},
          {"command", "foresight-tune ff-hist"},
          {"epochs", 5},
          {"parameters",
           {{{"name", "lr"}, {"kind", "log"}, {"low", 1e-4}, {"high", 0.1}, {"importance", 0.75}},
            {{"name", "baseline"}, {"kind", "choice"}, {"choices", {"mean", "critic"}}}}},
          {"trials",
           {trial(2, "complete", 0.9, 0.01, "critic"), trial(0, "pruned", 0.95, 0.02, "mean"),
            trial(1, "complete", 0.8, 0.003, "mean"), trial(3, "failed", nullptr, 0.1, "mean"),
            trial(4, "complete", 0.85, 0.004, "mean")}}};
}

TEST(Study, TrialsComeByNumberAndOnlyCompleteOnesCanBeBest) {
  const Study read = study_from_json(study().dump(), "study.json");
  ASSERT_EQ(read.trials.size(), 5U);
  std::vector<double> best;
  for (const Study::Trial& each : read.trials) best.push_back(each.best_so_far);
  EXPECT_TRUE(std::isnan(best[0]));
  EXPECT_EQ(std::vector(best.begin() + 1, best.end()), (std::vector{0.8, 0.9, 0.9, 0.9}));
  const auto top = read.best(2);
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0]->number, 2);
  EXPECT_EQ(top[1]->number, 4);
  EXPECT_EQ(Study::text(read.parameters[0], top[0]->values[0]), "0.01");
  EXPECT_EQ(Study::text(read.parameters[1], top[0]->values[1]), "critic");
  EXPECT_EQ(read.best(100).size(), 3U);
}

TEST(Study, WhatIsWrongIsNamed) {
  const auto refuse = [](const char* pointer, json value,
                         std::initializer_list<std::string> pieces) {
    json changed = study();
    changed[json::json_pointer(pointer)] = std::move(value);
    expect_error(ErrorCode::kData, {"study.json"},
                 [&] { study_from_json(changed.dump(), "study.json"); });
    expect_error(ErrorCode::kData, pieces, [&] { study_from_json(changed.dump(), "study.json"); });
  };
  refuse("/version", 2, {"version", "2", "version 1"});
  refuse("/epochs", -1, {"epochs"});
  refuse("/epochs", 1e12, {"epochs"});
  refuse("/parameters/0/kind", "odd", {"parameters[0].kind", "\"odd\"", "linear, log"});
  refuse("/parameters/0/low", 0, {"parameters[0]", "range", "low = 0"});
  refuse("/parameters/0/low", 7, {"parameters[0]", "low = 7", "high = 0.1"});
  refuse("/parameters/0/high", nullptr, {"parameters[0].high", "is null"});
  refuse("/parameters/1/choices", json::array(), {"parameters[1].choices", "empty"});
  refuse("/trials/1/state", "asleep", {"trials[1].state", "asleep", "pruned"});
  refuse("/trials/0/value", nullptr, {"trials[0].value", "complete"});
  refuse("/trials/0/value", "good", {"trials[0].value", "number"});
  refuse("/trials/3/values", {0.1}, {"trials[3].values", "1 entries, expected 2"});
  refuse("/trials/3/values/1", "none", {"trials[3].values[1]", "\"none\"", "baseline"});
  refuse("/trials/3/number", -1, {"trials[3].number"});
  refuse("/trials", "many", {"trials", "list"});
  json without = study();
  without.erase("model");
  expect_error(ErrorCode::kData, {"study.json", "\"model\""},
               [&] { study_from_json(without.dump(), "study.json"); });
  expect_error(ErrorCode::kData, {"study.json", "not valid JSON"},
               [&] { study_from_json("{", "study.json"); });
}

TEST(Study, AReportTakesItByItsFileOrByItsFolderOnce) {
  const TempFolder folder;
  const auto file = folder.write_file("study.json", study().dump());
  const auto copy = folder.write_file("copy", study().dump());
  Report report("");
  for (const auto& path : {folder.path(), file, folder.path(), copy, copy}) report.add(path);
  ASSERT_EQ(report.studies().size(), 2U);
  EXPECT_EQ(report.studies()[0].name, "night");
  EXPECT_EQ(report.studies()[1].name, "night #2");
  EXPECT_EQ(report.inputs()[0].summary, "5 trials of ff-hist on gmission(path=/data,u=10,v=30)");
}

TEST(Study, TheBestTrialsAreInTheTables) {
  const TempFolder folder;
  json hostile = study();
  hostile["name"] = "=a|b";
  hostile["trials"][0]["trainer"] = "@x(\"y\",z)";
  Report report("");
  report.add(folder.write_file("study.json", hostile.dump()));
  const std::string markdown = to_markdown(report);
  EXPECT_NE(markdown.find("## Study =a\\|b"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("| 2 | 0.9000 | 5 | 0.01 | critic |"), std::string::npos) << markdown;
  EXPECT_EQ(markdown.find("0.9500"), std::string::npos) << "a pruned trial is not among the best";
  const std::string csv = to_csv(report);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4) << csv;
  EXPECT_NE(csv.find("\"'=a|b, trial 2\",\"'@x(\"\"y\"\",z)\",,0.9,"), std::string::npos) << csv;
  const std::string header = csv.substr(0, csv.find('\n'));
  const std::string last = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
  // The source has two commas of its own, within quotes, and the name of the trial one.
  EXPECT_EQ(std::ranges::count(last, ','), std::ranges::count(header, ',') + 3) << csv;
}

TEST(Study, ThePageIsGivenTrialsAndTheBestSoFar) {
  const TempFolder folder;
  json hostile = study();
  hostile["parameters"][0]["name"] = "</script><script>hacked=1</script>";
  Report report("");
  report.add(folder.write_file("study.json", hostile.dump()));
  const std::string html = to_html(report);
  EXPECT_EQ(html.find("hacked=1</script>"), std::string::npos);
  const std::string open = "id=\"data\">";
  const std::size_t begin = html.find(open) + open.size();
  const json data = json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  const json& shown = data["studies"][0];
  EXPECT_EQ(shown["name"], "night");
  EXPECT_EQ(shown["train"], "gmission(u=10,v=30)");
  EXPECT_EQ(shown["best"], 2);
  EXPECT_EQ(shown["complete"], 3);
  EXPECT_EQ(shown["pruned"], 1);
  EXPECT_EQ(shown["parameters"][0]["importance"], 0.75);
  EXPECT_EQ(shown["parameters"][0]["log"], true);
  EXPECT_EQ(shown["parameters"][1]["choices"][1], "critic");
  EXPECT_EQ(shown["trials"][2]["values"], json({0.01, 1}));
  EXPECT_TRUE(shown["trials"][0]["best"].is_null());
  EXPECT_EQ(shown["trials"][4]["best"], 0.9);
  EXPECT_TRUE(shown["trials"][3]["value"].is_null());
  EXPECT_EQ(data["made"]["commands"][0], "foresight-tune ff-hist");
}

TEST(Study, WithoutATrialThereIsNothingToBeBest) {
  const TempFolder folder;
  json none = study();
  none["trials"] = json::array();
  Report report("");
  report.add(folder.write_file("study.json", none.dump()));
  EXPECT_NE(to_markdown(report).find("The best of 0 trials"), std::string::npos);
  EXPECT_NE(to_html(report).find("foresight-report"), std::string::npos);
}

}  // namespace
}  // namespace foresight
