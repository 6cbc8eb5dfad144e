#include "foresight/base/csv.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <set>
#include <utility>

#include "foresight/base/error.h"

namespace foresight {
namespace {

/// "a number", "a number >= 0", "a number from 0 to 1".
template <typename T>
std::string describe(std::string_view kind, T min, T max) {
  const bool above = min > std::numeric_limits<T>::lowest();
  const bool below = max < std::numeric_limits<T>::max();
  if (above && below) return fmt::format("{} from {} to {}", kind, min, max);
  if (above) return fmt::format("{} >= {}", kind, min);
  if (below) return fmt::format("{} <= {}", kind, max);
  return std::string(kind);
}

template <typename T>
T parse(const CsvReader& csv, std::size_t column, std::string_view kind, T min, T max) {
  const std::string_view text = csv.text(column);
  const char* const end = text.data() + text.size();
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // NaN fails every comparison.
  if (error == std::errc{} && stop == end && value >= min && value <= max) return value;
  csv.fail_at(column, describe(kind, min, max));
}

}  // namespace

CsvReader::CsvReader(std::filesystem::path path, CsvOptions options)
    : file_(std::move(path)), options_(std::move(options)), rest_(file_.text()) {
  if (options_.separator.empty()) {
    fail(ErrorCode::kUsage, "{}: a column separator cannot be empty", this->path().string());
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  const std::string_view start = rest_;

  if (!read_fields()) {
    line_ = 1;
    fail_line(options_.header ? "the file is empty, expected a line with the names of the columns"
                              : "the file is empty");
  }
  if (!options_.header) {
    for (std::size_t i = 1; i <= fields_.size(); ++i) columns_.push_back(std::to_string(i));
    rest_ = start;
    next_line_ = 1;
    return;
  }
  columns_.assign(fields_.begin(), fields_.end());
  std::set<std::string_view> names;
  for (const auto& name : columns_) {
    if (!names.insert(name).second) {
      fail_line(fmt::format("the column {} appears twice", excerpt(name)));
    }
  }
}

bool CsvReader::next() {
  if (!read_fields()) return false;
  if (fields_.size() == columns_.size()) return true;
  fail_line(
      fmt::format("the number of fields is {}, expected {}", fields_.size(), columns_.size()));
}

std::optional<std::size_t> CsvReader::find_column(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name);
  if (found == columns_.end()) return {};
  return static_cast<std::size_t>(found - columns_.begin());
}

std::size_t CsvReader::column(std::string_view name) const {
  if (const auto found = find_column(name)) return *found;
  std::string known;
  for (const auto& other : columns_) known += (known.empty() ? "" : ", ") + excerpt(other);
  fail(ErrorCode::kData, "{}: there is no column {}; the columns are {}", path().string(),
       excerpt(name), known);
}

std::string_view CsvReader::text(std::size_t column) const {
  assert(column < fields_.size());
  return fields_[column];
}

double CsvReader::number(std::size_t column, double min, double max) const {
  return parse(*this, column, "a number", min, max);
}

std::int64_t CsvReader::integer(std::size_t column, std::int64_t min, std::int64_t max) const {
  return parse(*this, column, "an integer", min, max);
}

void CsvReader::fail_at(std::size_t column, std::string_view expected) const {
  fail_line(fmt::format("column {}: expected {}, got {}", excerpt(columns_[column]), expected,
                        excerpt(text(column))));
}

void CsvReader::fail_line(std::string_view problem) const {
  fail(ErrorCode::kData, "{}:{}: {}", path().string(), line_, problem);
}

/// Splits the next line that is not blank into `fields_`.
bool CsvReader::read_fields() {
  fields_.clear();
  unescaped_.clear();
  auto line = take_line();
  while (line && line->empty()) line = take_line();
  if (!line) return false;
  for (;;) {
    fields_.push_back(take_field(*line));
    if (line->empty()) return true;
    line->remove_prefix(options_.separator.size());
  }
}

/// The next line without its end, or nothing at the end of the file. A line break within quotes
/// belongs to the line. Quotes come in pairs, so a line ends where their number is even.
std::optional<std::string_view> CsvReader::take_line() {
  if (rest_.empty()) return {};
  line_ = next_line_;
  std::size_t end = 0;
  for (bool in_quotes = false;;) {
    const std::size_t begin = end;
    end = std::min(rest_.find('\n', begin), rest_.size());
    ++next_line_;
    const std::string_view part = rest_.substr(begin, end - begin);
    if (options_.quotes && std::ranges::count(part, '"') % 2 != 0) in_quotes = !in_quotes;
    if (!in_quotes) break;
    if (end == rest_.size()) fail_line("a quote is not closed");
    ++end;
  }
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Takes the first field off the line. The separator after it, if any, stays.
std::string_view CsvReader::take_field(std::string_view& line) {
  if (!options_.quotes || !line.starts_with('"')) {
    const std::string_view field = line.substr(0, line.find(options_.separator));
    line.remove_prefix(field.size());
    for (const char c : field) {
      if (c == '"' && options_.quotes) fail_line("there is a quote inside an unquoted field");
      if (c == '\r') {
        fail_line("there is a carriage return inside the line; lines must end in LF or CRLF");
      }
    }
    return field;
  }

  bool doubled = false;
  std::size_t end = line.find('"', 1);  // there is one, because quotes come in pairs
  while (end + 1 < line.size() && line[end + 1] == '"') {
    doubled = true;
    end = line.find('"', end + 2);
  }
  std::string_view field = line.substr(1, end - 1);
  line.remove_prefix(end + 1);
  if (!line.empty() && !line.starts_with(options_.separator)) {
    fail_line(fmt::format("expected a separator after the quoted field {}", excerpt(field)));
  }
  if (!doubled) return field;
  std::string& text = unescaped_.emplace_back();
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;
  }
  return text;
}

std::string csv_field(std::string_view text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  const std::string_view guard = formula ? "'" : "";
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return fmt::format("{}{}", guard, text);
  }
  std::string quoted = fmt::format("\"{}", guard);
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace foresight
