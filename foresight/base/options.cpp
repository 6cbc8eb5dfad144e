#include "foresight/base/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/progress.h"

namespace foresight {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
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
    if (c == ')' && --depth < 0) {
      fail(ErrorCode::kUsage, "spec \"{}\": there is a ')' without a '('", whole);
    }
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

/// Of the whole text, decimal. Without an error where it is a number that fits in T.
template <typename T>
std::errc parse_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return end == text.data() + text.size() ? error : std::errc::invalid_argument;
}

/// `30` or `60..120`.
std::errc parse_range(std::string_view text, IntRange& range) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const std::errc error = parse_number(text, range.low);
    range.high = range.low;
    return error;
  }
  const std::errc low = parse_number(text.substr(0, dots), range.low);
  const std::errc high = parse_number(text.substr(dots + 2), range.high);
  const bool ascends = range.low >= 1 && range.low <= range.high;
  if (low != std::errc() || high != std::errc()) return low != std::errc() ? low : high;
  return ascends ? std::errc() : std::errc::invalid_argument;
}

std::string to_text(const IntRange& range) {
  return range.is_number() ? fmt::to_string(range.low)
                           : fmt::format("{}..{}", range.low, range.high);
}

std::string range_text(double min, double max) {
  const bool high = std::isfinite(max);
  if (min == kAboveZero) return high ? fmt::format("> 0, <= {}", max) : "> 0";
  const bool low = std::isfinite(min);
  if (low && high) return fmt::format("{}..{}", min, max);
  if (low) return fmt::format(">= {}", min);
  if (high) return fmt::format("<= {}", max);
  return "any number";
}

/// What is the same but for the order of keys becomes the same.
std::string sorted_value(const std::string& value) {
  if (value.find('(') == std::string::npos) return value;
  try {
    return Spec::parse(value).sorted().to_string();
  } catch (const Error&) {
    return value;  // other text with a parenthesis, such as a path
  }
}

}  // namespace

std::string_view spec_name(std::string_view text) {
  return trim(text.substr(0, text.find('(')));
}

bool is_spec_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_';
  });
}

Spec Spec::parse(std::string_view whole) {
  const std::string_view text = trim(whole);
  const auto open = text.find('(');
  Spec spec;
  spec.name = std::string(spec_name(text));
  if (!is_spec_name(spec.name)) {
    fail(ErrorCode::kUsage, "spec \"{}\": expected name or name(key=value,...)", whole);
  }
  if (open == std::string_view::npos) return spec;
  if (text.back() != ')') fail(ErrorCode::kUsage, "spec \"{}\": expected ')' at the end", whole);
  const std::string_view inside = trim(text.substr(open + 1, text.size() - open - 2));
  if (inside.empty()) return spec;
  for (const std::string_view part : split_values(inside, whole)) {
    const auto equals = part.find('=');
    const std::string_view key = trim(part.substr(0, equals));
    if (equals == std::string_view::npos || !is_spec_name(key)) {
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

Spec Spec::sorted() const {
  Spec result = *this;
  for (auto& [key, value] : result.values) value = sorted_value(value);
  std::ranges::sort(result.values);
  return result;
}

OptionReader::OptionReader(Spec spec, std::string owner, OptionNaming naming)
    : spec_(std::move(spec)),
      owner_(std::move(owner)),
      naming_(std::move(naming)),
      progress_(&no_progress()) {}

const std::string* OptionReader::find(std::string_view name) const {
  const auto found = std::find_if(spec_.values.begin(), spec_.values.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  return found == spec_.values.end() ? nullptr : &found->second;
}

/// Its final value is its default until another one is read.
void OptionReader::declare(std::string_view name, std::string value, std::string range,
                           std::string_view text) {
  values_.emplace_back(name, value);
  options_.push_back({std::string(name), std::move(value), std::move(range), std::string(text)});
}

void OptionReader::reject(std::string_view name, std::string_view value,
                          const std::string& expected) const {
  const std::string called = naming_ ? naming_(name) : fmt::format("option \"{}\"", name);
  fail(ErrorCode::kUsage, "{}: {} must be {}, got \"{}\"", owner_, called, expected, value);
}

template <typename T>
void OptionReader::whole_number(std::string_view name, T& field, T min, T max,
                                std::string_view text) {
  const std::string closed = fmt::format("{}..{}", min, max);
  const bool open_ended = max == std::numeric_limits<T>::max();
  const std::string range = open_ended ? fmt::format(">= {}", min) : closed;
  declare(name, fmt::to_string(field), range, text);
  const std::string* value = find(name);
  T number = field;
  const std::errc error = value ? parse_number(*value, number) : std::errc();
  if (error != std::errc() || number < min || number > max) {
    const bool too_large = error == std::errc::result_out_of_range;
    reject(name, value ? *value : fmt::to_string(field),
           "a whole number " + (too_large ? closed : range));
  }
  field = number;
  values_.back().second = fmt::to_string(field);
}

void OptionReader::integer(std::string_view name, int& field, int min, int max,
                           std::string_view text) {
  whole_number(name, field, min, max, text);
}

void OptionReader::count(std::string_view name, std::uint64_t& field, std::uint64_t min,
                         std::uint64_t max, std::string_view text) {
  whole_number(name, field, min, max, text);
}

void OptionReader::range(std::string_view name, IntRange& field, int min, int max,
                         std::string_view text) {
  const std::string expected = fmt::format("{}..{}, or a range LOW..HIGH", min, max);
  declare(name, to_text(field), expected, text);
  const std::string* value = find(name);
  IntRange range = field;
  const std::errc error = value ? parse_range(*value, range) : std::errc();
  if (error != std::errc() || range.low < min || range.high > max || range.low > range.high) {
    reject(name, value ? *value : to_text(field),
           fmt::format("a whole number {} with 1 <= LOW <= HIGH <= {}", expected, max));
  }
  field = range;
  values_.back().second = to_text(field);
}

double OptionReader::checked_real(std::string_view name, const std::string& value, double min,
                                  double max) const {
  double number = 0;
  const std::errc error = parse_number(value, number);
  if (error != std::errc() || !(number >= min && number <= max) || !std::isfinite(number)) {
    const std::string range = range_text(min, max);
    std::string expected = range == "any number" ? range : "a number " + range;
    const bool too_large = error == std::errc::result_out_of_range || std::isinf(number);
    if (too_large) expected += ", finite and in double precision";
    reject(name, value, expected);
  }
  return number + 0.0;  // so that -0 is 0
}

void OptionReader::real(std::string_view name, double& field, double min, double max,
                        std::string_view text) {
  declare(name, fmt::to_string(field), range_text(min, max), text);
  const std::string* value = find(name);
  field = checked_real(name, value ? *value : fmt::to_string(field), min, max);
  values_.back().second = fmt::to_string(field);
}

void OptionReader::real(std::string_view name, std::optional<double>& field, double min, double max,
                        std::string_view text) {
  const auto written = [&] { return field ? fmt::to_string(*field) : std::string(); };
  declare(name, written(), range_text(min, max), text);
  const std::string* given = find(name);
  const std::string value = given ? *given : written();
  field = value.empty() ? std::nullopt : std::optional(checked_real(name, value, min, max));
  values_.back().second = written();
}

void OptionReader::text(std::string_view name, std::string& field, std::string_view text) {
  declare(name, field, "text", text);
  if (const std::string* value = find(name)) field = *value;
  values_.back().second = field;
}

void OptionReader::path(std::string_view name, std::string& field, std::string_view text) {
  this->text(name, field, text);
  options_.back().path = true;
}

void OptionReader::choice(std::string_view name, std::string& field, std::vector<std::string> words,
                          std::string_view text) {
  const std::string range = fmt::format("{}", fmt::join(words, "|"));
  declare(name, field, range, text);
  if (const std::string* value = find(name)) field = *value;
  if (std::ranges::find(words, field) == words.end()) reject(name, field, "one of " + range);
  values_.back().second = field;
}

void OptionReader::seed(std::uint64_t& field) {
  count("seed", field, 0, std::numeric_limits<std::uint64_t>::max(), "seed of all random numbers");
}

void OptionReader::threads(int& field) {
  integer("threads", field, 0, 4096, "threads to use; 0: all cores; changes no result");
}

bool OptionReader::given(std::string_view name) const {
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (options_[i].name == name) return values_[i].second != options_[i].default_value;
  }
  return false;
}

void OptionReader::finish() const {
  for (const auto& [key, value] : spec_.values) {
    const bool known = std::any_of(options_.begin(), options_.end(),
                                   [&](const OptionInfo& option) { return option.name == key; });
    if (known) continue;
    std::vector<std::string> names;
    for (const OptionInfo& option : options_) names.push_back(option.name);
    fail(ErrorCode::kUsage, "{} has no option \"{}\"; {}", owner_, key,
         names.empty() ? "it has none" : fmt::format("it has: {}", fmt::join(names, ", ")));
  }
}

}  // namespace foresight
