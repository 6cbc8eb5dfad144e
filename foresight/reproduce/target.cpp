#include "foresight/reproduce/target.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace foresight {
namespace {

/// The result of a policy in a test, by the names that the report shows; null if there is none.
const PolicyResult* find_result(const Report& report, const std::string& test,
                                const std::string& policy) {
  for (const auto& entry : report.evaluations()) {
    if (entry.file.stem() != test) continue;
    for (std::size_t k = 0; k < entry.policies.size(); ++k) {
      if (entry.policies[k] == policy) return &entry.evaluation.policies[k];
    }
  }
  return nullptr;
}

ReportTable claims_table(const Target& target, const Report& report) {
  ReportTable table{fmt::format("What the paper claims about {}", target.name),
                    {"claim", "on", "compared", "ours", "holds"},
                    {},
                    "Mean optimality ratios. \">\" holds if the 95 % interval of the paired "
                    "difference lies above "
                    "0; \"=\" holds if the means differ by at most 0.01."};
  for (const Claim& claim : target.claims) {
    const std::string& other_test = claim.other_test.empty() ? claim.test : claim.other_test;
    const PolicyResult* a = find_result(report, claim.test, claim.better);
    const PolicyResult* b = find_result(report, other_test, claim.worse);
    if (!a || !b) continue;  // not part of this scale
    const double difference = a->ratio.mean - b->ratio.mean;
    bool holds = std::abs(difference) < 0.01;
    if (!claim.equal && claim.other_test.empty()) {
      holds = compare_paired(a->ratios, b->ratios).ci95_low > 0;
    } else if (!claim.equal) {
      holds = difference > std::hypot(a->ratio.ci95, b->ratio.ci95);
    }
    const std::string where =
        claim.other_test.empty() ? claim.test : claim.test + ", " + claim.other_test;
    table.rows.push_back(
        {claim.text, where,
         fmt::format("{} {} {}", claim.better, claim.equal ? "=" : ">", claim.worse),
         fmt::format("{:.3f} {} {:.3f}", a->ratio.mean, claim.equal ? "=" : ">", b->ratio.mean),
         holds ? "yes" : "no"});
  }
  return table;
}

ReportTable published_table(const Target& target, const Report& report) {
  ReportTable table{"The paper's numbers next to ours", {"policy"}, {}, "Mean optimality ratios."};
  for (const Contest& test : target.tests) {
    table.columns.push_back(test.name);
    table.columns.push_back("paper");
  }
  for (const PublishedRatio& published : target.published) {
    const auto same = [&](const auto& row) { return row[0] == published.policy; };
    if (std::ranges::any_of(table.rows, same)) continue;
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(published.policy);
    for (const Contest& test : target.tests) {
      const PolicyResult* ours = find_result(report, test.name, published.policy);
      row.push_back(ours ? fmt::format("{:.3f}", ours->ratio.mean) : "-");
      const auto theirs = std::ranges::find_if(target.published, [&](const PublishedRatio& it) {
        return it.test == test.name && it.policy == published.policy;
      });
      row.push_back(theirs == target.published.end() ? "-" : fmt::format("{:.2f}", theirs->mean));
    }
  }
  return table;
}

}  // namespace

void reproduce(const Target& target, Laboratory& laboratory, Report& report) {
  for (const Contest& test : target.tests) {
    report.add(laboratory.run(test));
    if (!target.curves) continue;
    for (const Training& training : test.learned) report.add(laboratory.train(training));
  }
  ReportTable claims = claims_table(target, report);
  if (!claims.rows.empty()) report.add(std::move(claims));
  if (!target.published.empty()) report.add(published_table(target, report));
}

}  // namespace foresight
