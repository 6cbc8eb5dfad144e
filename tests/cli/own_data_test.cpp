// Logs as a person brings them: looked at, cut into parts, put together again.
#include "tests/cli/program.h"
#include <nlohmann/json.hpp>

#include "foresight/data/dataset.h"

namespace foresight {
namespace {

class OwnData : public ProgramTest {
 protected:
  /// Ten days of two jobs each.
  void write_log() {
    std::string text = "instance,arrival,u,weight\n";
    for (int day = 0; day < 10; ++day) {
      text += fmt::format("{0},a,ada,{1}\n{0},a,bob,2\n{0},b,,\n", day, day == 9 ? 900 : 1);
    }
    folder_.write_file("log.csv", text);
  }

  Dataset load(const std::string& name) const { return Dataset::load(path(name)); }
};

TEST_F(OwnData, ALogIsCutByTimeIntoFiles) {
  write_log();
  expect("split 'recorded(path=log.csv)' -o parts --parts train=6,val=2,test=rest", 0,
         {"wrote parts/train.fst: 6 e-obm instances (0..5), 12 arrivals", "wrote parts/test.fst",
          "(8..9)"});
  expect("generate 'recorded(path=log.csv)' -o all.fst", 0, {});
  const Dataset all = load("all.fst"), test = load("parts/test.fst");
  EXPECT_EQ(load("parts/train.fst").size(), 6U);
  EXPECT_EQ(load("parts/val.fst").size(), 2U);
  ASSERT_EQ(test.size(), 2U);
  EXPECT_EQ(test.instance(1), all.instance(9));
  EXPECT_EQ(test.provenance().source, all.provenance().source);
  expect("evaluate parts/test.fst --policy greedy", 0, {"mean ratio"});
}

TEST_F(OwnData, PartsPutTogetherAreTheWhole) {
  expect("generate 'er(u=4,v=6)' -n 20 -o data --label", 0, {});
  expect("split data -o parts --parts a=30%,b=70%", 0, {"labelled"});
  expect("merge parts/a.fst parts/b.fst -o both", 0, {"20 e-obm instances", "labelled"});
  EXPECT_EQ(load("both"), load("data"));
  expect("split data -o mixed --parts a=30%,b=70% --shuffle --seed 7", 0, {"drawn at random"});
  EXPECT_EQ(load("mixed/a.fst").size(), 6U);
  EXPECT_FALSE(load("mixed/a.fst") == load("parts/a.fst"));
  write_log();
  expect("merge parts/a.fst 'recorded(path=log.csv)' -o more", 0,
         {"without optima, because recorded(path=log.csv) has none"});
}

TEST_F(OwnData, WhatCannotBeSplitOrMergedIsRefused) {
  expect("generate 'crowd(u=4,v=6)' -n 10 -o data", 0, {});
  expect("generate 'thick-z(u=4,v=8)' -n 5 -o bids", 0, {});
  expect_sentence("split data -o parts --parts train=4,test=5", 2, {"9 of 10 instances", "rest"});
  expect_sentence("split 'er(u=3,v=5)' -o parts --parts a=100%", 2, {"has no end", "generate"});
  expect("split data -o parts --parts a=100% --seed 3", 2, {"--seed requires --shuffle"});
  expect("split data -o parts", 2, {"--parts"});
  expect_sentence("split nowhere -o parts --parts a=100%", 2, {"nowhere"});
  EXPECT_FALSE(exists("parts"));
  expect_sentence("merge data bids -o both", 1, {"data and bids cannot be joined", "adwords"});
  EXPECT_FALSE(exists("both"));
  std::filesystem::create_directory(path("parts"));
  std::filesystem::copy_file(path("data"), path("parts/train.fst"));
  const std::string before = read("parts/train.fst");
  expect_sentence("split parts/train.fst -o parts --parts train=5,test=5", 2,
                  {"parts/train.fst", "one of the files that are read"});
  expect_sentence("merge data parts/train.fst -o data", 2, {"one of the files that are read"});
  EXPECT_EQ(read("parts/train.fst"), before);
  EXPECT_FALSE(exists("parts/test.fst"));
}

TEST_F(OwnData, InspectTellsWhatIsInALogBeforeAnythingIsTrained) {
  write_log();
  expect("inspect log.csv --json found.json", 0,
         {"recorded instances", "instances           10", "fixed nodes         2",
          "2 per instance; 20 in all", "weights             1 to 900", "median 2,",
          "arrivals without edges: 10", "no capacities: each fixed node is matched at most once",
          "more than a hundred times the median", "Next: ",
          "split \"recorded(path=log.csv)\" -o data --parts train=70%,val=15%,test=rest"});
  const auto json = nlohmann::json::parse(read("found.json"));
  EXPECT_EQ(json["instances"], 10);
  EXPECT_EQ(json["weights"]["max"], 900);
  EXPECT_EQ(json["arrivals_without_edges"], 10);
  EXPECT_EQ(json["capacities"], nullptr);
  EXPECT_FALSE(json["labelled"]);
  EXPECT_GE(json["notes"].size(), 3U);
  folder_.write_file("people.csv", "id,capacity,skill\nada,2,1\nbob,0,5\ncy,1,3\n");
  expect("inspect log.csv --fixed people.csv", 0,
         {"capacities", "1 to 2", "3 per instance, for 2 arrivals", "10 of 30 fixed nodes",
          "skill (1 to 5)", "though present: 10", "fixed=people.csv"});
}

TEST_F(OwnData, TheNextCommandOfInspectWorks) {
  write_log();
  std::filesystem::create_directory(path("shop"));
  folder_.write_file("shop/edges.csv", "u,v,weight\na,x,1\nb,x,2\nb,y,1\n");
  for (const char* what : {"log.csv", "shop", "'crowd(u=4,v=6)'"}) {
    const std::string output = run(std::string("inspect ") + what).output;
    const auto at = output.find("Next: ");
    ASSERT_NE(at, std::string::npos) << output;
    std::string command = output.substr(at + 6);
    command = command.substr(command.find(' ') + 1);
    if (command.starts_with("train")) command = "generate" + command.substr(18) + " -n 5 -o some";
    command.erase(std::remove(command.begin(), command.end(), '\n'), command.end());
    expect(command, 0, {"wrote"});
  }
}

TEST_F(OwnData, InspectShowsABaseGraphByItsTypes) {
  std::filesystem::create_directory(path("shop"));
  folder_.write_file("shop/edges.csv", "u,v,weight,cost\na,x,1,2\nb,x,2,3\n");
  folder_.write_file("shop/fixed.csv", "id,capacity\na,5\nb,7\n");
  folder_.write_file("shop/arrivals.csv", "id,hour\nx,8\ny,9\n");
  expect("inspect shop --json found.json", 0,
         {"base graph shop", "gen-assignment", "arrival types       2", "hour (8 to 9)",
          "arrival types without edges: 1", "total capacity      12", "2 to 3"});
  const auto json = nlohmann::json::parse(read("found.json"));
  EXPECT_EQ(json["arrival_types"]["max"], 2);
  EXPECT_EQ(json["costs"]["max"], 3);
}

TEST_F(OwnData, InspectGivesTheSameFiguresOfADatasetAndItsCsv) {
  write_log();
  expect("generate 'recorded(path=log.csv)' -o log.fst", 0, {});
  expect("inspect log.csv --json a.json", 0, {});
  expect("inspect log.fst --json b.json", 0, {"optima", "solve", "digest"});
  auto a = nlohmann::json::parse(read("a.json")), b = nlohmann::json::parse(read("b.json"));
  for (const char* other : {"kind", "next", "file", "digest"}) a.erase(other), b.erase(other);
  EXPECT_EQ(a, b);
  expect("solve log.fst", 0, {});
  expect("inspect log.fst --json b.json", 0, {"10 proven"});
  b = nlohmann::json::parse(read("b.json"));
  EXPECT_EQ(b["proven"], 10);
}

TEST_F(OwnData, InspectRefusesWhatItCannotRead) {
  write_log();
  folder_.write_file("wrong.csv", "day,job\n1,2\n");
  expect_sentence("inspect wrong.csv", 1, {"wrong.csv", "unknown column \"day\"", "instance"});
  expect_sentence("inspect log.csv --json log.csv", 2, {"one of the files that are read"});
  expect("generate er -n 3 -o data", 0, {});
  expect_sentence("inspect data --fixed log.csv", 2, {"--fixed goes with a CSV file"});
  expect("train inv-ff --train 'er(u=4,v=8)' --instances 50 --epochs 1 -o run", 0, {});
  expect("inspect run --json run.json", 0, {});
  EXPECT_EQ(nlohmann::json::parse(read("run.json"))["kind"], "model");
}

}  // namespace
}  // namespace foresight
