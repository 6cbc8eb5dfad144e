#include "foresight/report/report.h"

#include <algorithm>

#include "tests/expect_error.h"
#include "tests/named_market.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/auto/auto.h"
#include "foresight/model/checkpoint.h"
#include "foresight/solve/solver.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

const char* kHostile = "</script><script>hacked=1</script>\"'&|=\n\xe2\x80\xa8 \xff";

/// Results of three policies on ten instances, the last one as if it were learned on other data.
std::string evaluation(const std::string& source, const std::string& trained_on) {
  const BoundDataset data =
      solve(generate(bind_source(source), 1, 10, 1, no_progress()), {}, no_progress());
  std::vector<Contestant> contestants;
  for (const char* name : {"greedy", "random", "greedy-t(threshold=0.3)"}) {
    contestants.push_back(make_contestant(name, data));
  }
  contestants[2].model = "inv-ff";
  contestants[2].trained_on = trained_on;
  Evaluation result = evaluate(data, contestants, {.episodes = 1}, no_progress());
  result.command = "foresight evaluate " + source;
  return to_json(result);
}

/// The data in a page, as the page's script reads it.
nlohmann::json data_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = html.find(open) + open.size();
  EXPECT_NE(begin, std::string::npos + open.size());
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

class ReportTest : public testing::Test {
 protected:
  TempFolder folder;
};

TEST_F(ReportTest, ASearchComesWithItsAdvice) {
  RunOptions options;
  options.train = "crowd(u=3,v=4)";
  options.validation_instances = 10;
  options.minutes = 0.001;
  options.folder = folder.path() / "search";
  const AutoResult found = train_auto(options, no_progress());
  Report report("");
  report.add(options.folder);
  const auto remarks = data_of(to_html(report))["evaluations"][0]["remarks"];
  ASSERT_FALSE(remarks.empty());
  EXPECT_EQ(remarks[0], found.advice);
  EXPECT_NE(to_markdown(report).find("Use " + found.kept), std::string::npos);
}

TEST_F(ReportTest, ThePageHoldsWhatTheResultsSay) {
  Report report("A title");
  report.add(folder.write_file("a.json", evaluation("crowd(u=5,v=10)", "crowd(u=5,v=10)")));
  const auto json = data_of(to_html(report));
  EXPECT_EQ(json["format"], "foresight-report");
  EXPECT_EQ(json["title"], "A title");
  EXPECT_EQ(json["made"]["commands"][0], "foresight evaluate crowd(u=5,v=10)");
  EXPECT_GT(json["made"]["machine"]["cores"], 0);
  const auto& result = json["evaluations"][0];
  EXPECT_EQ(result["name"], "crowd(u=5,v=10)");
  EXPECT_EQ(result["instances"], 10);
  ASSERT_EQ(result["policies"].size(), 3U);
  const auto original = evaluation_from_json(evaluation("crowd(u=5,v=10)", ""), "file");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& policy = result["policies"][i];
    std::vector<double> ratios = original.policies[i].ratios;
    std::ranges::sort(ratios);
    EXPECT_NEAR(policy["mean"], original.policies[i].ratio.mean, 1e-12);
    EXPECT_EQ(policy["min"], ratios.front());
    EXPECT_EQ(policy["median"], quantile(ratios, 0.5));
    EXPECT_GE(policy["whisker_low"], policy["min"]);
    EXPECT_LE(policy["whisker_low"], policy["q1"]);
    EXPECT_GE(policy["whisker_high"], policy["q3"]);
    int counted = 0;
    for (const int count : policy["histogram"]["counts"]) counted += count;
    EXPECT_EQ(counted, 10);
    EXPECT_TRUE(policy["against"][i].is_null());
    EXPECT_EQ(policy["ratios"].get<std::string>().size(), 56U);  // 10 numbers of 4 bytes
    EXPECT_EQ(policy["agreement_optimum"].size(), 10U);
  }
  EXPECT_EQ(result["policies"][2]["name"], "greedy-t");
  EXPECT_EQ(result["policies"][2]["detail"], "greedy-t(threshold=0.3)");
  const auto& pair = result["policies"][0]["against"][1];
  const PairedComparison expected =
      compare_paired(original.policies[0].ratios, original.policies[1].ratios);
  EXPECT_NEAR(pair["mean"], expected.mean_difference, 1e-12);
  EXPECT_NEAR(pair["p"], expected.wilcoxon_p, 1e-12);
  const auto& episode = json["episodes"][0];
  EXPECT_EQ(episode["arrivals"].size(), 10U);
  EXPECT_EQ(episode["plays"][0]["policy"], "greedy-t");  // with probabilities, so first
  EXPECT_TRUE(json["transfers"].empty());
  EXPECT_TRUE(json["runs"].empty());
}

TEST_F(ReportTest, AnEpisodeInThePageHasNamesCapacitiesAndCosts) {
  const BoundDataset data = named_market();
  const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
  Report report("");
  report.add(folder.write_file(
      "a.json", to_json(evaluate(data, contestants, {.episodes = 1}, no_progress()))));
  const auto episode = data_of(to_html(report))["episodes"][0];
  EXPECT_EQ(episode["fixed_names"][1], "Boris, \"Bo\"");
  EXPECT_EQ(episode["takes"], "cost");
  EXPECT_EQ(episode["capacities"], (std::vector<float>{8, 2.5F, 3, 0}));
  EXPECT_EQ(episode["arrivals"][2]["name"], "roof");
  EXPECT_EQ(episode["arrivals"][2]["costs"], (std::vector<float>{6, 2.5F}));
  EXPECT_EQ(episode["plays"][0]["costs"], (std::vector<float>{3, 1, 0, 0}));
}

TEST_F(ReportTest, RatiosAreLittleEndianFloatsInBase64) {
  auto json = nlohmann::json::parse(evaluation("crowd(u=5,v=10)", ""));
  for (auto& policy : json["policies"]) {
    policy["ratios"] = std::vector<double>(10, 0.5);
    policy["ratios"][9] = 1.0;
  }
  Report report("");
  report.add(folder.write_file("a.json", json.dump()));
  // 0.5f is 00 00 00 3f, 1.0f is 00 00 80 3f.
  EXPECT_EQ(data_of(to_html(report))["evaluations"][0]["policies"][0]["ratios"],
            "AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AACAPw==");
}

TEST_F(ReportTest, TrainingRunsShowTheirCurves) {
  RunOptions options;
  options.model = "inv-ff(hidden=4)";
  options.train = "crowd(u=4,v=6)";
  options.instances = 200;
  options.validation_instances = 20;
  options.epochs = 3;
  options.folder = folder.path() / "my run";
  options.command = "foresight train";
  train(options, no_progress());
  Report report("");
  report.add(options.folder);
  report.add(options.folder);  // once is enough
  const auto json = data_of(to_html(report));
  ASSERT_EQ(json["runs"].size(), 1U);
  const auto& run = json["runs"][0];
  EXPECT_EQ(run["name"], "my run");
  EXPECT_EQ(run["epochs"], 3);
  EXPECT_NEAR(run["decisions"], 3 * 200 * 6, 5);
  for (const char* column : {"epoch", "reward", "ratio", "entropy", "learning_rate"}) {
    EXPECT_EQ(run["columns"][column].size(), 3U) << column;
  }
  const std::size_t best = run["best_epoch"].get<std::size_t>() - 1;
  EXPECT_EQ(run["best_ratio"], run["columns"]["ratio"][best]);
}

// There used to be four definitions of it.
TEST_F(ReportTest, TheBestEpochIsTheSameInRecordPageCheckpointAndMetrics) {
  const std::pair<const char*, const char*> runs[] = {
      {"ff-hist(hidden=8)", "reinforce"},
      {"ff-hist(hidden=8)", "reinforce(schedule=cosine)"},
      {"value(hidden=8)", "td"},
      {"inv-value(hidden=8)", "td(schedule=decay)"}};
  for (const auto& [model, trainer] : runs) {
    SCOPED_TRACE(fmt::format("{} by {}", model, trainer));
    RunOptions options;
    options.model = model;
    options.trainer = trainer;
    options.train = "crowd(u=4,v=8)";
    options.instances = 200;
    options.validation_instances = 50;
    options.epochs = 10;
    options.folder = folder.path() / fmt::format("{}-{}", model, trainer);
    const RunResult result = train(options, no_progress());
    const RunRecord record = read_run(options.folder);
    EXPECT_EQ(record.best_epoch, result.best_epoch);
    EXPECT_EQ(record.best_ratio, result.best_ratio);
    EXPECT_EQ(record.metrics["best_ratio"].back(), record.best_ratio);
    EXPECT_EQ(record.metrics["validation_ratio"][static_cast<std::size_t>(record.best_epoch - 1)],
              record.best_ratio);
    EXPECT_EQ(load_model(options.folder).info.provenance.at("epoch"),
              fmt::to_string(record.best_epoch));
    Report report("");
    report.add(options.folder);
    const auto json = data_of(to_html(report));
    EXPECT_EQ(json["runs"][0]["best_epoch"], record.best_epoch);
    EXPECT_EQ(json["runs"][0]["best_ratio"], record.best_ratio);
  }
}

TEST_F(ReportTest, ModelsTestedOnOtherDataMakeATransferMap) {
  Report report("");
  report.add(folder.write_file("a.json", evaluation("crowd(u=5,v=10)", "crowd(u=5,v=10)")));
  report.add(folder.write_file("b.json", evaluation("crowd(u=8,v=16)", "crowd(u=5,v=10)")));
  report.add(folder.write_file("c.json", evaluation("crowd(u=8,v=16)", "crowd(u=8,v=16)")));
  const auto json = data_of(to_html(report));
  ASSERT_EQ(json["transfers"].size(), 1U);
  const auto& transfer = json["transfers"][0];
  EXPECT_EQ(transfer["name"], "inv-ff");
  EXPECT_EQ(transfer["trained_on"], (std::vector<std::string>{"5x10", "8x16"}));
  EXPECT_EQ(transfer["tested_on"].size(), 3U);
  EXPECT_TRUE(transfer["mean"][0][0].is_number());
  EXPECT_TRUE(transfer["mean"][1][0].is_null());
  EXPECT_EQ(transfer["mean"][1][2], json["evaluations"][2]["policies"][2]["mean"]);
  EXPECT_EQ(transfer["reference"]["name"], "greedy");
  EXPECT_EQ(json["evaluations"][2]["name"], "crowd(u=8,v=16) #2");
}

TEST_F(ReportTest, HostileTextStaysText) {
  auto hostile = nlohmann::json::parse(evaluation("crowd(u=5,v=10)", ""));
  const std::string text = std::string(kHostile).substr(0, std::string(kHostile).size() - 1);
  hostile["policies"][0]["name"] = text;
  hostile["data"]["source"] = text;
  hostile["command"] = text;
  Report report(kHostile);
  report.add(folder.write_file("a.json", hostile.dump()));
  report.add(ReportTable{text, {text}, {{text}}, text});
  const std::string html = to_html(report);
  EXPECT_EQ(html.find("hacked=1</script>"), std::string::npos);
  const auto json = data_of(html);
  EXPECT_EQ(json["evaluations"][0]["policies"][0]["detail"].is_null(),
            json["evaluations"][0]["policies"][0]["name"] == text);
  EXPECT_EQ(json["made"]["commands"][0], text);
  EXPECT_EQ(json["tables"][0]["rows"][0][0], text);
  // A field that looks like a formula must not become one in a spreadsheet.
  hostile["policies"][0]["name"] = "=cmd()";
  Report formula("");
  formula.add(folder.write_file("b.json", hostile.dump()));
  EXPECT_NE(to_csv(formula).find("'=cmd"), std::string::npos);
  EXPECT_EQ(to_csv(formula).find(",=cmd"), std::string::npos);
  EXPECT_NE(to_markdown(report).find("\\<script>"), std::string::npos);
}

TEST_F(ReportTest, FiftyThousandInstancesStaySmall) {
  auto json = nlohmann::json::parse(evaluation("crowd(u=5,v=10)", ""));
  constexpr std::size_t kMany = 50'000;
  Rng rng(1, Stream::kPolicy, 0);
  for (auto& policy : json["policies"]) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < kMany; ++i) ratios.push_back(rng.uniform());
    policy["ratios"] = ratios;
    policy["agreement_optimum"] = policy["agreement_greedy"] = std::vector<double>(20'000, 0.5);
  }
  json["data"]["instances"] = kMany;
  for (int i = 0; i < 3; ++i) json["policies"].push_back(json["policies"][0]);
  Report report("");
  report.add(folder.write_file("a.json", json.dump()));
  const std::string html = to_html(report);
  EXPECT_LT(html.size(), 5'000'000U);
  const auto data = data_of(html);
  const auto& result = data["evaluations"][0];
  EXPECT_EQ(result["instances"], kMany);
  EXPECT_LE(result["policies"][0]["agreement_greedy"].size(), 500U);
  EXPECT_EQ(result["agreement_stride"], 40);
  EXPECT_LE(result["policies"][0]["outliers"].size(), 100U);
}

TEST_F(ReportTest, OneInstanceHasNoSpreadAndNoCrash) {
  auto json = nlohmann::json::parse(evaluation("crowd(u=5,v=10)", ""));
  for (auto& policy : json["policies"]) policy["ratios"] = {0.5};
  json["data"]["instances"] = 1;
  Report report("");
  report.add(folder.write_file("a.json", json.dump()));
  const auto data = data_of(to_html(report));
  EXPECT_TRUE(data["evaluations"][0]["policies"][0]["std"].is_null());
  EXPECT_NE(to_markdown(report).find("| 0.5000 | - |"), std::string::npos);
}

TEST_F(ReportTest, CsvAndMarkdownHaveALinePerPolicy) {
  Report report("Two sets");
  report.add(folder.write_file("a.json", evaluation("crowd(u=5,v=10)", "")));
  report.add(folder.write_file("b.json", evaluation("crowd(u=8,v=16)", "")));
  report.add(ReportTable{"Beside the paper", {"policy", "paper"}, {{"a|b", "0.9"}}, "A note."});
  const std::string csv = to_csv(report);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 7);
  EXPECT_NE(csv.find("\n\"crowd(u=8,v=16)\",greedy,greedy,10,"), std::string::npos) << csv;
  const std::string markdown = to_markdown(report);
  EXPECT_TRUE(markdown.starts_with("# Two sets\n"));
  EXPECT_NE(markdown.find("## crowd(u=8,v=16)"), std::string::npos);
  EXPECT_NE(markdown.find("| a\\|b | 0.9 |"), std::string::npos);
  EXPECT_NE(markdown.find("A note."), std::string::npos);
}

TEST_F(ReportTest, WhatIsNoResultIsRefused) {
  Report report("");
  expect_error(ErrorCode::kData, {"x.json", "is not an evaluation"},
               [&] { report.add(folder.write_file("x.json", "{}")); });
  expect_error(ErrorCode::kData, {"does not hold a training run"},
               [&] { report.add(folder.path()); });
  expect_error(ErrorCode::kIo, {"missing.json"},
               [&] { report.add(folder.path() / "missing.json"); });
}

}  // namespace
}  // namespace foresight
