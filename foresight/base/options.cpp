#include "foresight/base/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "foresight/base/error.h"

namespace foresight {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_';
  });
}

/// Splits at commas that stand outside quotes and parentheses.
std::vector<std::string_view> split_values(std::string_view text, std::string_view whole) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) fail(ErrorCode::kUsage, "spec \"{}\": one ')' too many", whole);
    if (c == ',' && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (quoted) fail(ErrorCode::kUsage, "spec \"{}\": a quote is not closed", whole);
  if (depth > 0) fail(ErrorCode::kUsage, "spec \"{}\": a '(' is not closed", whole);
  parts.push_back(text.substr(begin));
  return parts;
}

std::string unquote(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return std::string(value);
}

bool needs_quotes(std::string_view value) {
  if (value.empty() || trim(value) != value || unquote(value) != value) return true;
  int depth = 0;
  bool quoted = false;
  for (const char c : value) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return true;
    if (c == ',' && depth == 0) return true;
  }
  return depth != 0;
}

template <typename T>
bool parse_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string range_text(double min, double max) {
  const bool low = std::isfinite(min);
  const bool high = std::isfinite(max);
  if (low && high) return fmt::format("{}..{}", min, max);
  if (low) return fmt::format(">= {}", min);
  if (high) return fmt::format("<= {}", max);
  return "any number";
}

}  // namespace

Spec Spec::parse(std::string_view whole) {
  const std::string_view text = trim(whole);
  const auto open = text.find('(');
  Spec spec;
  spec.name = std::string(trim(text.substr(0, open)));
  if (!is_name(spec.name)) {
    fail(ErrorCode::kUsage, "spec \"{}\": expected name or name(key=value,...)", whole);
  }
  if (open == std::string_view::npos) return spec;
  if (text.back() != ')') fail(ErrorCode::kUsage, "spec \"{}\": expected ')' at the end", whole);
  const std::string_view inside = trim(text.substr(open + 1, text.size() - open - 2));
  if (inside.empty()) return spec;
  for (const std::string_view part : split_values(inside, whole)) {
    const auto equals = part.find('=');
    const std::string_view key = trim(part.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(key)) {
      fail(ErrorCode::kUsage, "spec \"{}\": expected key=value, got \"{}\"", whole, trim(part));
    }
    const bool repeated = std::any_of(spec.values.begin(), spec.values.end(),
                                      [&](const auto& pair) { return pair.first == key; });
    if (repeated) fail(ErrorCode::kUsage, "spec \"{}\": key \"{}\" is given twice", whole, key);
    spec.values.emplace_back(key, unquote(trim(part.substr(equals + 1))));
  }
  return spec;
}

std::string Spec::to_string() const {
  if (values.empty()) return name;
  std::string result = name + "(";
  for (const auto& [key, value] : values) {
    if (result.back() != '(') result += ',';
    result += key + "=" + (needs_quotes(value) ? "\"" + value + "\"" : value);
  }
  return result + ")";
}

OptionReader::OptionReader(Spec spec, std::string owner)
    : spec_(std::move(spec)), owner_(std::move(owner)) {}

const std::string* OptionReader::find(std::string_view name) const {
  const auto found = std::find_if(spec_.values.begin(), spec_.values.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  return found == spec_.values.end() ? nullptr : &found->second;
}

void OptionReader::reject(std::string_view name, std::string_view value,
                          const std::string& expected) const {
  fail(ErrorCode::kUsage, "{}: option \"{}\" must be {}, got \"{}\"", owner_, name, expected,
       value);
}

void OptionReader::integer(std::string_view name, int& field, int min, int max,
                           std::string_view text) {
  const bool open_ended = max == std::numeric_limits<int>::max();
  const std::string range =
      open_ended ? fmt::format(">= {}", min) : fmt::format("{}..{}", min, max);
  options_.push_back({std::string(name), fmt::to_string(field), range, std::string(text)});
  if (const std::string* value = find(name)) {
    int number = 0;
    if (!parse_number(*value, number) || number < min || number > max) {
      reject(name, *value, "a whole number " + range);
    }
    field = number;
  }
}

void OptionReader::real(std::string_view name, double& field, double min, double max,
                        std::string_view text) {
  const std::string range = range_text(min, max);
  options_.push_back({std::string(name), fmt::to_string(field), range, std::string(text)});
  if (const std::string* value = find(name)) {
    double number = 0;
    if (!parse_number(*value, number) || !(number >= min && number <= max) ||
        !std::isfinite(number)) {
      reject(name, *value, "a number " + range);
    }
    field = number;
  }
}

void OptionReader::text(std::string_view name, std::string& field, std::string_view text) {
  options_.push_back({std::string(name), field, "text", std::string(text)});
  if (const std::string* value = find(name)) field = *value;
}

void OptionReader::choice(std::string_view name, std::string& field, std::vector<std::string> words,
                          std::string_view text) {
  const std::string range = fmt::format("{}", fmt::join(words, "|"));
  options_.push_back({std::string(name), field, range, std::string(text)});
  if (const std::string* value = find(name)) {
    if (std::find(words.begin(), words.end(), *value) == words.end()) {
      reject(name, *value, "one of " + range);
    }
    field = *value;
  }
}

void OptionReader::finish() const {
  for (const auto& [key, value] : spec_.values) {
    const bool known = std::any_of(options_.begin(), options_.end(),
                                   [&](const OptionInfo& option) { return option.name == key; });
    if (known) continue;
    std::vector<std::string> names;
    for (const OptionInfo& option : options_) names.push_back(option.name);
    fail(ErrorCode::kUsage, "{} has no option \"{}\"; it has: {}", owner_, key,
         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
}

}  // namespace foresight
