#include <cmath>

#include <nlohmann/json.hpp>

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/version.h"
#include "foresight/data/horizon_json_internal.h"
#include "foresight/eval/episode_json_internal.h"
#include "foresight/eval/evaluate.h"

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "foresight-evaluation";
constexpr int kFormatVersion = 1;

Json to_json(const PolicyResult& result) {
  Json json;
  json["name"] = result.name;
  if (!result.resolved.empty()) json["resolved"] = result.resolved;
  if (!result.rule.empty()) json["rule"] = result.rule;
  if (!result.model.empty()) json["model"] = result.model;
  if (!result.trained_on.empty()) json["trained_on"] = result.trained_on;
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
  if (result.gap_closed) json["gap_closed"] = *result.gap_closed;
  json["agreement_optimum"] = result.agreement_optimum;
  json["agreement_greedy"] = result.agreement_greedy;
  json["ratios"] = result.ratios;
  return json;
}

PolicyResult policy_from(const JsonField& json) {
  PolicyResult result;
  result.name = json["name"].text();
  result.resolved = json.text_or_empty("resolved");
  result.rule = json.text_or_empty("rule");
  result.model = json.text_or_empty("model");
  result.trained_on = json.text_or_empty("trained_on");
  result.ratios = json["ratios"].numbers<double>();
  for (std::size_t i = 0; i < result.ratios.size(); ++i) {
    if (!(result.ratios[i] >= 0 && result.ratios[i] <= 1)) {
      json["ratios"].at(i).reject(
          fmt::format("should be from 0 to 1, but is {}", result.ratios[i]));
    }
  }
  if (result.ratios.empty()) json["ratios"].reject("is empty");
  result.ratio = summarize(result.ratios);
  result.mean_value = json["mean_value"].number();
  result.matched = json["matched"].number();
  result.decisions_per_second = json["decisions_per_second"].number_or_nan();
  result.p50_microseconds = json["p50_microseconds"].number_or_nan();
  result.p99_microseconds = json["p99_microseconds"].number_or_nan();
  result.agreement_optimum = json["agreement_optimum"].numbers<double>();
  result.agreement_greedy = json["agreement_greedy"].numbers<double>();
  return result;
}

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  Json json;
  json["format"] = kFormat;
  json["version"] = kFormatVersion;
  json["program"] = fmt::format("foresight {}", kVersion);
  if (!evaluation.command.empty()) json["command"] = evaluation.command;
  if (!evaluation.inputs.empty()) json["inputs"] = evaluation.inputs;
  json["problem"] = evaluation.problem;
  json["data"] = {{"source", evaluation.provenance.source},
                  {"seed", evaluation.provenance.seed},
                  {"instances", evaluation.num_instances},
                  {"unproven", evaluation.num_unproven}};
  if (!evaluation.horizon.is_known()) json["data"]["horizon"] = evaluation.horizon.to_string();
  json["seed"] = evaluation.options.seed;
  if (evaluation.gap_reference) {
    json["gap_reference"] = evaluation.policies[*evaluation.gap_reference].name;
  }
  json["policies"] = Json::array();
  for (const PolicyResult& result : evaluation.policies) {
    json["policies"].push_back(to_json(result));
  }
  if (!evaluation.episodes.empty()) {
    json["episodes"] = Json::array();
    for (const Episode& episode : evaluation.episodes) {
      json["episodes"].push_back(episode_json(episode));
    }
  }
  return json_text(json, 1) + "\n";
}

Evaluation evaluation_from_json(std::string_view text, const std::string& name) {
  const JsonField json = JsonField::parse(text, name);
  if (json.text_or_empty("format") != kFormat) {
    json.reject("this is not an evaluation; write one with `foresight evaluate ... --json FILE`");
  }
  if (json["version"].integer() != kFormatVersion) {
    json["version"].reject(fmt::format("this program reads version {}", kFormatVersion));
  }
  Evaluation evaluation;
  evaluation.command = json.text_or_empty("command");
  evaluation.inputs = json.text_or_empty("inputs");
  evaluation.problem = json["problem"].text();
  evaluation.provenance = {json["data"]["source"].text(), json["data"]["seed"].count()};
  evaluation.num_instances = json["data"]["instances"].count();
  evaluation.num_unproven = json["data"]["unproven"].count();
  evaluation.horizon = read_horizon(json["data"]);
  evaluation.options.seed = json["seed"].count();
  const JsonField policies = json["policies"];
  if (policies.size() == 0) policies.reject("is empty");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    PolicyResult& result = evaluation.policies.emplace_back(policy_from(policies.at(i)));
    if (result.ratios.size() != evaluation.num_instances) {
      policies.at(i)["ratios"].reject(fmt::format("has {} entries, expected {}, one per instance",
                                                  result.ratios.size(), evaluation.num_instances));
    }
  }
  compare(evaluation);
  if (const auto episodes = json.find("episodes")) {
    for (std::size_t i = 0; i < episodes->size(); ++i) {
      evaluation.episodes.push_back(episode_from(episodes->at(i)));
    }
  }
  return evaluation;
}

}  // namespace foresight
