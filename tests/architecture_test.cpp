// The flow of the architecture: a folder includes only what stands to its left in
//   base -> data -> problem -> {solve, features, nn} -> policy -> rules -> model
//     -> {train, eval, export} -> report -> reproduce -> cli
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "foresight/problem/problem.h"

namespace foresight {
namespace {

const std::map<std::string, int> kStage = {
    {"base", 0}, {"data", 1},   {"problem", 2}, {"solve", 3},     {"features", 3},
    {"nn", 3},   {"policy", 4}, {"rules", 5},   {"model", 6},     {"train", 7},
    {"eval", 7}, {"export", 7}, {"report", 8},  {"reproduce", 9}, {"cli", 10}};

TEST(Architecture, FoldersIncludeOnlyWhatStandsToTheirLeft) {
  const std::filesystem::path root = std::filesystem::path(FORESIGHT_SOURCE_DIR) / "foresight";
  const std::string include = "#include \"foresight/";
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    // A folder within a folder belongs to it: model/gnn to model.
    const std::string folder = *std::filesystem::relative(entry.path(), root).begin();
    ASSERT_TRUE(kStage.contains(folder)) << entry.path() << " is in a folder without a stage";
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with(include)) continue;
      const std::string rest = line.substr(include.size());
      const std::string other = rest.substr(0, rest.find('/'));
      ++seen;
      const bool nn_stays_low = folder != "nn" || other == "base" || other == "nn";
      EXPECT_TRUE(nn_stays_low && (other == folder || kStage.at(other) < kStage.at(folder)))
          << entry.path() << " includes from " << other;
    }
  }
  EXPECT_GT(seen, 50) << "the check found too few includes to mean anything";
}

// A problem is the only authority on itself: others ask for its traits. The sources say which problem
// they are made for, and the paper has a table of that title.
TEST(Architecture, NobodyAsksForTheNameOfAProblem) {
  const std::filesystem::path root = std::filesystem::path(FORESIGHT_SOURCE_DIR) / "foresight";
  const std::set<std::string> may_know = {"data", "problem"};
  std::vector<std::string> words = {"Formulation"};
  for (const auto& entry : problems().entries()) {
    words.push_back('"' + entry.name + '"');
    words.push_back('"' + entry.name + '(');
  }
  int seen = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root)) {
    if (!file.is_regular_file()) continue;
    const auto name = std::filesystem::relative(file.path(), root);
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      if (name == "reproduce/paper.cpp" && line.find("Target target{\"") != std::string::npos) {
        continue;
      }
      for (const std::string& word : words) {
        if (line.find(word) == std::string::npos) continue;
        ++seen;
        EXPECT_TRUE(may_know.contains(*name.begin())) << name << ": " << line;
      }
    }
  }
  EXPECT_GT(seen, 5) << "the check found too few names to mean anything";
}

}  // namespace
}  // namespace foresight
