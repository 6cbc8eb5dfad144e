#include "foresight/report/study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"

namespace foresight {
namespace {

using Kind = Study::Parameter::Kind;
using TrialState = Study::Trial::State;

constexpr const char* kFormat = "foresight-study";
constexpr std::size_t kMostParameters = 100;

/// One of a few words, as its position among them.
template <std::size_t n>
std::size_t word(const JsonField& field, const std::string (&words)[n]) {
  const std::string text = field.text();
  for (std::size_t i = 0; i < n; ++i) {
    if (text == words[i]) return i;
  }
  field.reject(fmt::format("should be one of {}, but is \"{}\"", fmt::join(words, ", "), text));
}

int whole(const JsonField& field) {
  const std::uint64_t count = field.count();
  constexpr int kMost = std::numeric_limits<int>::max();
  if (count > kMost) field.reject(fmt::format("should be at most {}, but is {}", kMost, count));
  return static_cast<int>(count);
}

Study::Parameter read_parameter(const JsonField& field) {
  static const std::string kKinds[] = {"linear", "log", "integer", "choice"};
  Study::Parameter parameter;
  parameter.name = field["name"].text();
  parameter.kind = static_cast<Kind>(word(field["kind"], kKinds));
  if (const auto importance = field.find("importance")) {
    const double share = importance->number_or_nan();
    if (std::isfinite(share)) parameter.importance = share;
  }
  if (parameter.kind == Kind::kChoice) {
    const JsonField choices = field["choices"];
    for (std::size_t i = 0; i < choices.size(); ++i) {
      parameter.choices.push_back(choices.at(i).text());
    }
    if (parameter.choices.empty()) choices.reject("is empty");
    return parameter;
  }
  parameter.low = field["low"].number();
  parameter.high = field["high"].number();
  const bool range = std::isfinite(parameter.low) && std::isfinite(parameter.high) &&
                     parameter.low <= parameter.high;
  if (!range || (parameter.kind == Kind::kLog && parameter.low <= 0)) {
    field.reject(fmt::format("is not a range: low = {}, high = {}", parameter.low, parameter.high));
  }
  return parameter;
}

double read_value(const Study::Parameter& parameter, const JsonField& field) {
  if (parameter.kind != Kind::kChoice) return field.number_or_nan();
  const std::string text = field.text();
  const auto found = std::ranges::find(parameter.choices, text);
  if (found == parameter.choices.end()) {
    field.reject(
        fmt::format("should be one of the choices of \"{}\", but is \"{}\"", parameter.name, text));
  }
  return static_cast<double>(found - parameter.choices.begin());
}

Study::Trial read_trial(const Study& study, const JsonField& field) {
  static const std::string kStates[] = {"complete", "pruned", "failed"};
  Study::Trial trial;
  trial.number = whole(field["number"]);
  trial.state = static_cast<TrialState>(word(field["state"], kStates));
  trial.value = field["value"].number_or_nan();
  if (trial.state == TrialState::kComplete && !std::isfinite(trial.value)) {
    field["value"].reject("should be a number, because the trial is complete");
  }
  trial.epochs = whole(field["epochs"]);
  trial.seconds = field["seconds"].number();
  trial.trainer = field["trainer"].text();
  const JsonField values = field["values"];
  if (values.size() != study.parameters.size()) {
    values.reject(fmt::format("has {} entries, expected {}, one per parameter", values.size(),
                              study.parameters.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    trial.values.push_back(read_value(study.parameters[i], values.at(i)));
  }
  return trial;
}

}  // namespace

std::vector<const Study::Trial*> Study::best(std::size_t most) const {
  std::vector<const Trial*> complete;
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::kComplete) complete.push_back(&trial);
  }
  std::ranges::stable_sort(complete, std::greater<>(), &Trial::value);
  complete.resize(std::min(most, complete.size()));
  return complete;
}

std::string Study::text(const Parameter& parameter, double value) {
  if (!std::isfinite(value)) return "-";
  if (parameter.kind == Kind::kChoice) return parameter.choices[static_cast<std::size_t>(value)];
  return fmt::format("{:.4g}", value);
}

bool is_study(std::string_view text) {
  try {
    return JsonField::parse(text, "").text_or_empty("format") == kFormat;
  } catch (const Error&) {
    return false;
  }
}

Study study_from_json(std::string_view text, const std::string& file) {
  const JsonField root = JsonField::parse(text, file);
  if (root["format"].text() != kFormat) {
    root["format"].reject(
        fmt::format("should be \"{}\", but is \"{}\"", kFormat, root["format"].text()));
  }
  if (root["version"].integer() != 1) {
    root["version"].reject(
        fmt::format("is {}, but this program reads version 1", root["version"].integer()));
  }
  Study study;
  study.name = root["name"].text();
  study.model = root["model"].text();
  study.train = root["train"].text();
  study.command = root.text_or_empty("command");
  study.epochs = whole(root["epochs"]);
  const JsonField parameters = root["parameters"];
  if (parameters.size() > kMostParameters) {
    parameters.reject(
        fmt::format("has {} entries; at most {} can be shown", parameters.size(), kMostParameters));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    study.parameters.push_back(read_parameter(parameters.at(i)));
  }
  const JsonField trials = root["trials"];
  for (std::size_t i = 0; i < trials.size(); ++i) {
    study.trials.push_back(read_trial(study, trials.at(i)));
  }
  std::ranges::stable_sort(study.trials, {}, &Study::Trial::number);
  double best = std::numeric_limits<double>::quiet_NaN();
  for (Study::Trial& trial : study.trials) {
    if (trial.state == TrialState::kComplete) best = std::fmax(best, trial.value);
    trial.best_so_far = best;
  }
  return study;
}

}  // namespace foresight
