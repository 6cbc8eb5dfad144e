// The flow of the architecture: a folder includes only what stands to its left in
//   base -> data -> problem -> {solve, features, nn} -> policy -> rules -> model
//     -> {train, eval, export} -> auto -> report -> reproduce -> cli
// And its public face: the headers that foresight.h lists, which need no others.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "foresight/problem/problem.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = FORESIGHT_SOURCE_DIR;

const std::map<std::string, int> kStage = {
    {"base", 0},   {"data", 1},   {"problem", 2},    {"solve", 3}, {"features", 3}, {"nn", 3},
    {"policy", 4}, {"rules", 5},  {"model", 6},      {"train", 7}, {"eval", 7},     {"export", 7},
    {"auto", 8},   {"report", 9}, {"reproduce", 10}, {"cli", 11}};

/// What stands behind each #include, with its quotes or brackets.
std::vector<std::string> includes_of(const fs::path& path) {
  std::vector<std::string> found;
  std::ifstream file(path);
  const std::string include = "#include ";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(include)) found.push_back(line.substr(include.size()));
  }
  return found;
}

/// As other projects include them: foresight/base/error.h, ...
std::set<std::string> public_headers() {
  std::set<std::string> headers;
  for (const std::string& include : includes_of(kRoot / "foresight/foresight.h")) {
    headers.insert(include.substr(1, include.size() - 2));
  }
  return headers;
}

bool is_ours(const std::string& include) {
  return include.substr(1).starts_with("foresight/");
}

TEST(Architecture, FoldersIncludeOnlyWhatStandsToTheirLeft) {
  const fs::path root = kRoot / "foresight";
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().parent_path() == root) continue;
    // A folder within a folder belongs to it: model/gnn to model.
    const std::string folder = *fs::relative(entry.path(), root).begin();
    ASSERT_TRUE(kStage.contains(folder)) << entry.path() << " is in a folder without a stage";
    for (const std::string& include : includes_of(entry.path())) {
      if (!is_ours(include)) continue;
      const std::string rest = include.substr(include.find('/') + 1);
      const std::string other = rest.substr(0, rest.find('/'));
      ++seen;
      const bool nn_stays_low = folder != "nn" || other == "base" || other == "nn";
      EXPECT_TRUE(nn_stays_low && (other == folder || kStage.at(other) < kStage.at(folder)))
          << entry.path() << " includes from " << other;
    }
  }
  EXPECT_GT(seen, 50) << "the check found too few includes to mean anything";
}

TEST(Architecture, PublicHeadersIncludeOnlyPublicOnesTheStandardLibraryAndFmt) {
  const std::set<std::string> headers = public_headers();
  EXPECT_GT(headers.size(), 20U);
  for (const std::string& header : headers) {
    fs::path file = kRoot / header;
    if (!fs::exists(file)) file += ".in";
    ASSERT_TRUE(fs::exists(file)) << "foresight.h lists " << header << ", which is not there";
    for (const std::string& include : includes_of(file)) {
      const bool standard = include.starts_with('<') && include.find_first_of("./") == include.npos;
      const bool fits = is_ours(include) ? headers.contains(include.substr(1, include.size() - 2))
                                         : standard || include.starts_with("<fmt/");
      EXPECT_TRUE(fits) << header << " includes " << include << ", which is not public";
    }
  }
}

TEST(Architecture, ThePythonPackageAndTheExamplesUseOnlyPublicHeaders) {
  std::set<std::string> headers = public_headers();
  headers.insert("foresight/foresight.h");
  int seen = 0;
  for (const char* folder : {"python/bindings", "examples"}) {
    for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
      for (const std::string& include : includes_of(entry.path())) {
        if (!is_ours(include)) continue;
        ++seen;
        EXPECT_TRUE(headers.contains(include.substr(1, include.size() - 2)))
            << entry.path() << " includes " << include << ", which is internal";
      }
    }
  }
  EXPECT_GT(seen, 10) << "the check found too few includes to mean anything";
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
