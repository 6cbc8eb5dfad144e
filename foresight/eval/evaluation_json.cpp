#include <nlohmann/json.hpp>

#include "foresight/base/version.h"
#include "foresight/eval/evaluate.h"

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const PolicyResult& result) {
  Json json;
  json["name"] = result.name;
  if (!result.resolved.empty()) json["resolved"] = result.resolved;
  json["mean_ratio"] = result.ratio.mean;
  json["std_ratio"] = result.ratio.standard_deviation;
  json["min_ratio"] = result.ratio.minimum;
  json["ci95"] = result.ratio.ci95;
  json["mean_value"] = result.mean_value;
  json["matched"] = result.matched;
  json["decisions_per_second"] = result.decisions_per_second;
  json["p50_microseconds"] = result.p50_microseconds;
  json["p99_microseconds"] = result.p99_microseconds;
  json["against_first"] = {
      {"mean_difference", result.against_first.mean_difference},
      {"ci95", {result.against_first.ci95_low, result.against_first.ci95_high}},
      {"wilcoxon_p", result.against_first.wilcoxon_p}};
  json["agreement_optimum"] = result.agreement_optimum;
  json["agreement_greedy"] = result.agreement_greedy;
  json["ratios"] = result.ratios;
  return json;
}

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  Json json;
  json["format"] = "foresight-evaluation";
  json["version"] = 1;
  json["program"] = fmt::format("foresight {}", kVersion);
  json["problem"] = evaluation.problem;
  json["data"] = {{"source", evaluation.provenance.source},
                  {"seed", evaluation.provenance.seed},
                  {"instances", evaluation.num_instances},
                  {"unproven", evaluation.num_unproven}};
  json["seed"] = evaluation.options.seed;
  json["policies"] = Json::array();
  for (const PolicyResult& result : evaluation.policies) {
    json["policies"].push_back(to_json(result));
  }
  return json.dump(1) + "\n";
}

}  // namespace foresight
