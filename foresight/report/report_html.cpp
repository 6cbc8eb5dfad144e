#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "foresight/base/error.h"
#include "foresight/base/machine.h"
#include "foresight/base/options.h"
#include "foresight/base/version.h"
#include "foresight/eval/episode_json_internal.h"
#include "foresight/report/names_internal.h"
#include "foresight/report/page_internal.h"
#include "foresight/report/report.h"

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRatios = 600'000;  // in one page, 3.2 MB
constexpr std::size_t kMostSteps = 500;       // of a line
constexpr std::size_t kMostOutliers = 100;
constexpr int kBins = 50;

/// Enough digits to draw.
double rounded(double value) {
  return std::isfinite(value) ? std::round(value * 1e5) / 1e5 : value;
}

std::string base64(std::span<const double> values, std::size_t stride) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t block = 0;
  int bytes = 0;
  const auto put = [&](unsigned byte) {
    block = block << 8 | byte;
    if (++bytes % 3 != 0) return;
    for (const int shift : {18, 12, 6, 0}) text += kDigits[block >> shift & 63];
    block = 0;
  };
  for (std::size_t i = 0; i < values.size(); i += stride) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));
    for (const int shift : {0, 8, 16, 24}) put(bits >> shift & 255);
  }
  const int left = bytes % 3;
  if (left > 0) {
    for (int i = left; i < 3; ++i) put(0);
    text.replace(text.size() - static_cast<std::size_t>(3 - left), std::string::npos,
                 static_cast<std::size_t>(3 - left), '=');
  }
  return text;
}

/// Means over blocks of `stride` steps.
std::vector<double> thinned(std::span<const double> values, std::size_t stride) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); i += stride) {
    const auto block = values.subspan(i, std::min(stride, values.size() - i));
    double sum = 0;
    for (const double value : block) sum += value;
    means.push_back(rounded(sum / static_cast<double>(block.size())));
  }
  return means;
}

std::size_t stride_for(std::size_t count, std::size_t most) {
  return count == 0 ? 1 : (count + most - 1) / most;
}

/// Tukey's box plot of a sample.
Json box(std::span<const double> ratios) {
  std::vector<double> sorted(ratios.begin(), ratios.end());
  std::ranges::sort(sorted);
  const double q1 = quantile(sorted, 0.25), q3 = quantile(sorted, 0.75);
  const double reach = 1.5 * (q3 - q1);
  const auto low = std::ranges::lower_bound(sorted, q1 - reach);
  const auto high = std::ranges::upper_bound(sorted, q3 + reach) - 1;
  std::vector<double> outside(sorted.begin(), low);
  outside.insert(outside.end(), high + 1, sorted.end());
  std::vector<double> outliers;
  const std::size_t stride = stride_for(outside.size(), kMostOutliers);
  for (std::size_t i = 0; i < outside.size(); i += stride) outliers.push_back(rounded(outside[i]));
  return {{"min", sorted.front()},
          {"p05", quantile(sorted, 0.05)},
          {"q1", q1},
          {"median", quantile(sorted, 0.5)},
          {"q3", q3},
          {"p95", quantile(sorted, 0.95)},
          {"max", sorted.back()},
          {"whisker_low", *low},
          {"whisker_high", *high},
          {"outliers", std::move(outliers)}};
}

Json histogram(std::span<const double> ratios, double low) {
  std::vector<int> counts(kBins);
  for (const double ratio : ratios) {
    const auto bin = static_cast<int>((ratio - low) / (1 - low) * kBins);
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))];
  }
  return {{"low", low}, {"high", 1}, {"counts", std::move(counts)}};
}

Json paired(std::span<const double> a, std::span<const double> b) {
  const PairedComparison c = compare_paired(a, b);
  std::size_t wins = 0, ties = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    wins += a[i] > b[i];
    ties += a[i] == b[i];
  }
  return {{"mean", c.mean_difference}, {"low", c.ci95_low}, {"high", c.ci95_high},
          {"p", c.wilcoxon_p},         {"wins", wins},      {"ties", ties}};
}

Json evaluation_json(const Report::NamedEvaluation& entry, std::size_t ratio_stride) {
  const Evaluation& evaluation = entry.evaluation;
  double low = 1;
  for (const PolicyResult& result : evaluation.policies) low = std::min(low, result.ratio.minimum);
  low = std::min(std::floor(low * 20) / 20, 0.95);
  const std::size_t steps = evaluation.policies.front().agreement_optimum.size();
  const std::size_t step_stride = stride_for(steps, kMostSteps);

  Json policies = Json::array();
  for (std::size_t i = 0; i < evaluation.policies.size(); ++i) {
    const PolicyResult& result = evaluation.policies[i];
    Json json = {{"name", entry.policies[i]}};
    const std::string& detail = result.resolved.empty() ? result.name : result.resolved;
    if (detail != entry.policies[i]) json["detail"] = detail;
    if (!result.model.empty()) json["model"] = result.model;
    if (!result.trained_on.empty()) json["trained_on"] = result.trained_on;
    json["mean"] = result.ratio.mean;
    json["std"] = result.ratio.standard_deviation;
    json["ci95"] = result.ratio.ci95;
    json.update(box(result.ratios));
    json["mean_value"] = result.mean_value;
    json["matched"] = result.matched;
    json["decisions_per_second"] = std::round(result.decisions_per_second);
    json["p50_us"] = result.p50_microseconds;
    json["p99_us"] = result.p99_microseconds;
    json["agreement_optimum"] = thinned(result.agreement_optimum, step_stride);
    json["agreement_greedy"] = thinned(result.agreement_greedy, step_stride);
    if (result.gap_closed) json["gap_closed"] = *result.gap_closed;
    if (is_ceiling(result)) json["ceiling"] = true;
    json["histogram"] = histogram(result.ratios, low);
    json["against"] = Json::array();
    for (const PolicyResult& other : evaluation.policies) {
      json["against"].push_back(&other == &result ? Json() : paired(result.ratios, other.ratios));
    }
    json["ratios"] = base64(result.ratios, ratio_stride);
    policies.push_back(std::move(json));
  }
  Json json = {{"name", entry.name},
               {"problem", evaluation.problem},
               {"source", evaluation.provenance.source},
               {"seed", evaluation.provenance.seed},
               {"instances", evaluation.num_instances},
               {"unproven", evaluation.num_unproven},
               {"horizon", evaluation.horizon.is_known() ? "" : evaluation.horizon.describe()},
               {"policies", std::move(policies)},
               {"agreement_stride", step_stride},
               {"ratio_stride", ratio_stride}};
  if (!entry.remarks.empty()) json["remarks"] = entry.remarks;
  if (evaluation.gap_reference) json["gap_reference"] = entry.policies[*evaluation.gap_reference];
  return json;
}

Json run_json(const Report::NamedRun& entry) {
  const RunRecord& run = entry.run;
  const auto& rates = run.timing["decisions_per_second"];
  Json columns;
  for (const auto& [from, to] : {std::pair("epoch", "epoch"),
                                 {"value", "reward"},
                                 {"validation_ratio", "ratio"},
                                 {"entropy", "entropy"},
                                 {"learning_rate", "learning_rate"},
                                 {"loss", "loss"}}) {
    if (!run.metrics[from].empty()) columns[to] = run.metrics[from];
  }
  // Shown with the other columns only if every epoch was timed.
  if (!rates.empty() && run.timing["epoch"] == run.metrics["epoch"]) {
    columns["decisions_per_second"] = rates;
  }
  double seconds = 0, decisions = 0;
  const auto& time = run.timing["seconds"];
  for (std::size_t i = 0; i < std::min(time.size(), rates.size()); ++i) {
    seconds += time[i];
    decisions += time[i] * rates[i];
  }
  Json json = {{"name", entry.name},
               {"model", run.model},
               {"trainer", run.trainer},
               {"train", run.train},
               {"problem", run.problem},
               {"epochs", run.epochs_done()},
               {"decisions", std::round(decisions)},
               {"seconds", seconds},
               {"columns", columns}};
  if (run.best_epoch > 0) {
    json["best_epoch"] = run.best_epoch;
    json["best_ratio"] = run.best_ratio;
  }
  return json;
}

Json study_json(const Report::NamedStudy& entry) {
  using Kind = Study::Parameter::Kind;
  using State = Study::Trial::State;
  const Study& study = entry.study;
  Json parameters = Json::array(), trials = Json::array();
  for (const Study::Parameter& parameter : study.parameters) {
    Json& json = parameters.emplace_back(Json{{"name", parameter.name}});
    if (parameter.kind == Kind::kChoice) {
      json["choices"] = parameter.choices;
    } else {
      json["low"] = parameter.low;
      json["high"] = parameter.high;
      json["log"] = parameter.kind == Kind::kLog;
    }
    if (parameter.importance) json["importance"] = rounded(*parameter.importance);
  }
  std::size_t complete = 0, pruned = 0;
  double seconds = 0;
  for (const Study::Trial& trial : study.trials) {
    complete += trial.state == State::kComplete;
    pruned += trial.state == State::kPruned;
    if (std::isfinite(trial.seconds)) seconds += trial.seconds;
    trials.push_back({{"number", trial.number},
                      {"state", trial.state == State::kComplete ? "complete"
                                : trial.state == State::kPruned ? "pruned"
                                                                : "failed"},
                      {"value", trial.value},
                      {"best", trial.best_so_far},
                      {"epochs", trial.epochs},
                      {"seconds", trial.seconds},
                      {"trainer", trial.trainer},
                      {"values", trial.values}});
  }
  Json json = {{"name", entry.name},
               {"model", study.model},
               {"train", without_paths(study.train)},
               {"epochs", study.epochs},
               {"complete", complete},
               {"pruned", pruned},
               {"seconds", seconds},
               {"parameters", std::move(parameters)},
               {"trials", std::move(trials)}};
  if (const auto best = study.best(1); !best.empty()) json["best"] = best.front()->number;
  return json;
}

Json play_json(const RecordedPlay& play, const std::string& policy) {
  Json json = {{"policy", policy},
               {"choices", play.choices},
               {"gains", play.gains},
               {"value", play.value},
               {"offers", Json::array()}};
  if (!play.costs.empty()) json["costs"] = play.costs;
  for (const RecordedOffers& offers : play.offers) {
    Json shares;
    if (!offers.shares.empty()) {
      for (const float share : offers.shares) shares.push_back(rounded(share));
    }
    json["offers"].push_back(
        {{"nodes", offers.nodes}, {"gains", offers.gains}, {"shares", std::move(shares)}});
  }
  return json;
}

Json episode_entry(const Report::NamedEvaluation& entry, const Episode& episode) {
  Json json = {{"name", fmt::format("{}, instance {}", entry.name, episode.instance)},
               {"problem", entry.evaluation.problem}};
  json.update(market_json(episode));
  json["optimum"] = {{"value", episode.optimum.value},
                     {"choices", episode.optimum.choices},
                     {"gains", episode.optimum.gains}};
  json["plays"] = Json::array();
  // Learned policies come first, because they have probabilities to show.
  for (const bool learned : {true, false}) {
    for (const RecordedPlay& play : episode.plays) {
      const bool has_shares = !play.offers.empty() && !play.offers.front().shares.empty();
      if (has_shares != learned) continue;
      std::string name = play.policy;
      for (std::size_t i = 0; i < entry.policies.size(); ++i) {
        if (entry.evaluation.policies[i].name == play.policy) name = entry.policies[i];
      }
      json["plays"].push_back(play_json(play, name));
    }
  }
  return json;
}

/// For each architecture that was tested on other data than its training data: mean ratios by
/// training and test data.
Json transfers_json(const Report& report) {
  std::set<std::string> architectures;
  for (const auto& entry : report.evaluations()) {
    for (const PolicyResult& policy : entry.evaluation.policies) {
      if (policy.trained_on.empty()) continue;
      if (policy.trained_on != entry.evaluation.provenance.source) {
        architectures.insert(Spec::parse(policy.model).name);
      }
    }
  }
  std::vector<std::string> tested_on;
  for (const auto& entry : report.evaluations()) tested_on.push_back(entry.name);
  Json transfers = Json::array();
  if (tested_on.size() < 2) return transfers;
  for (const std::string& architecture : architectures) {
    std::vector<std::string> trained_on;
    std::vector<std::vector<Json>> means;
    for (std::size_t j = 0; j < tested_on.size(); ++j) {
      for (const PolicyResult& policy : report.evaluations()[j].evaluation.policies) {
        if (policy.trained_on.empty() || Spec::parse(policy.model).name != architecture) continue;
        const std::string row = without_paths(policy.trained_on);
        auto found = std::ranges::find(trained_on, row);
        if (found == trained_on.end()) {
          found = trained_on.insert(found, row);
          means.emplace_back(tested_on.size());
        }
        means[static_cast<std::size_t>(found - trained_on.begin())][j] = policy.ratio.mean;
      }
    }
    Json json = {{"name", architecture},
                 {"trained_on", size_labels(trained_on)},
                 {"tested_on", size_labels(tested_on)},
                 {"mean", means}};
    std::vector<Json> greedy(tested_on.size());
    for (std::size_t j = 0; j < tested_on.size(); ++j) {
      for (const PolicyResult& policy : report.evaluations()[j].evaluation.policies) {
        if (policy.rule == "greedy") greedy[j] = policy.ratio.mean;
      }
    }
    if (!greedy.front().is_null()) json["reference"] = {{"name", "greedy"}, {"mean", greedy}};
    transfers.push_back(std::move(json));
  }
  return transfers;
}

Json made_json(const Report& report) {
  const Machine machine = this_machine();
  std::vector<std::string> commands;
  const auto add = [&](const std::string& command) {
    if (!command.empty() && std::ranges::find(commands, command) == commands.end()) {
      commands.push_back(command);
    }
  };
  for (const auto& run : report.runs()) add(run.run.command);
  for (const auto& entry : report.studies()) add(entry.study.command);
  for (const auto& entry : report.evaluations()) add(entry.evaluation.command);
  Json inputs = Json::array();
  for (const Report::Input& input : report.inputs()) {
    inputs.push_back({{"path", input.path}, {"kind", input.kind}, {"summary", input.summary}});
  }
  return {{"program", fmt::format("foresight {}", kVersion)},
          {"time", timestamp()},
          {"machine",
           {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"memory_bytes", machine.memory_bytes},
            {"system", machine.system}}},
          {"commands", commands},
          {"inputs", inputs}};
}

/// JSON that is safe inside a script element, whatever texts it holds.
std::string for_script(const Json& json) {
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string to_html(const Report& report) {
  static constexpr std::string_view kMarker = "id=\"data\">null</script>";
  const std::size_t marker = page().find(kMarker);
  if (marker == std::string_view::npos) {
    fail(ErrorCode::kUsage,
         "this program was built without the report page; build it with FORESIGHT_WEB=ON, or write "
         "CSV or Markdown instead");
  }
  std::size_t ratios = 0;
  for (const auto& entry : report.evaluations()) {
    ratios += entry.evaluation.num_instances * entry.policies.size();
  }
  Json json = {{"format", "foresight-report"},
               {"version", 1},
               {"title", report.title()},
               {"made", made_json(report)}};
  for (const char* list : {"evaluations", "runs", "studies", "tables", "episodes"}) {
    json[list] = Json::array();
  }
  for (const auto& entry : report.evaluations()) {
    json["evaluations"].push_back(evaluation_json(entry, stride_for(ratios, kMostRatios)));
    for (const Episode& episode : entry.evaluation.episodes) {
      json["episodes"].push_back(episode_entry(entry, episode));
    }
  }
  for (const auto& run : report.runs()) json["runs"].push_back(run_json(run));
  for (const auto& study : report.studies()) json["studies"].push_back(study_json(study));
  json["transfers"] = transfers_json(report);
  for (const ReportTable& table : report.tables()) {
    json["tables"].push_back({{"name", table.name},
                              {"columns", table.columns},
                              {"rows", table.rows},
                              {"note", table.note}});
  }
  const std::size_t begin = marker + kMarker.find("null");
  std::string html(page().substr(0, begin));
  html += for_script(json);
  html += page().substr(begin + 4);
  return html;
}

}  // namespace foresight
