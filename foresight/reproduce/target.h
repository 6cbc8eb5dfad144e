// The tables and figures of the paper ("Deep Policies for Online Bipartite Matching: A
// Reinforcement Learning Approach", Alomrani, Moravej, Khalil, 2022) as experiments, with the
// claims it makes about them. A claim is a comparison that our own results confirm or not.
//
//   for (const Target& target : paper_targets("data", "quick")) reproduce(target, lab, report);
#pragma once

#include <string>
#include <vector>

#include "foresight/report/report.h"
#include "foresight/reproduce/experiment.h"

namespace foresight {

/// "On `test`, `better` has a higher mean ratio than `worse`", or with `equal` the same within a
/// hundredth.
struct Claim {
  std::string text;
  std::string test;
  std::string better, worse;  // short names of policies
  bool equal = false;
  /// The test for `worse`, if it is another one (e.g. with permuted nodes).
  std::string other_test = {};
};

/// A number that the paper prints.
struct PublishedRatio {
  std::string test, policy;
  double mean;
};

struct Target {
  std::string name;
  std::string title;  // what it is in the paper
  std::vector<Contest> tests;
  std::vector<Claim> claims = {};
  std::vector<PublishedRatio> published = {};
  bool curves = false;  // show how the models were trained
};

/// All targets. The scale "smoke" has only the smallest graphs of each, "quick" only the sparsest
/// and the densest ER graphs, "full" everything. The base graphs of gMission and MovieLens are in
/// `data`/gmission and `data`/movielens. Targets whose base graph is missing have no tests.
std::vector<Target> paper_targets(const std::filesystem::path& data, const std::string& scale);

/// Runs what is not finished yet, and adds everything to the report.
void reproduce(const Target& target, Laboratory& laboratory, Report& report);

}  // namespace foresight
