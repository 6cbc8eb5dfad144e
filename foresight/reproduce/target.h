// The paper's tables and figures as experiments ("Deep Policies for Online Bipartite Matching: A
// Reinforcement Learning Approach", Alomrani, Moravej, Khalil, 2022), with the claims it makes of
// them. A claim is a comparison that our own results confirm or do not.
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
  /// The test for `worse`, where it is another one (permuted nodes, say).
  std::string other_test = {};
};

/// A number the paper prints.
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

/// All targets: with the smallest graphs of each at the scale "smoke", with the sparsest and the
/// densest ER graphs at "quick", whole at "full". The base graphs of gMission and MovieLens are in
/// `data`/gmission and `data`/movielens; targets that need one that is not there have no tests.
std::vector<Target> paper_targets(const std::filesystem::path& data, const std::string& scale);

/// Runs what is not done yet, and adds everything to the report.
void reproduce(const Target& target, Laboratory& laboratory, Report& report);

}  // namespace foresight
