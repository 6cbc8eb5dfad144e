#include <algorithm>
#include <limits>
#include <utility>

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/data/tables_internal.h"

namespace foresight {
namespace {

// fmt::join raises a false -Wstringop-overflow in g++ 12 here.
std::string join(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const std::string_view name : names)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

std::string join(ColumnNames names) {
  std::string text;
  for (const auto& [name, former] : names)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

/// Do the words differ by one letter that is missing, wrong or swapped with its neighbour?
bool is_one_slip_apart(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() == 2 && b.size() == 2) return a[0] == b[1] && a[1] == b[0];
  return a.size() <= 1 && b.size() <= 1;
}

/// Was the word probably meant? Case, spaces, the plural, an abbreviation or a typing error.
bool is_slip(std::string_view column, std::string_view word) {
  constexpr std::size_t kShortest = 4;  // of abbreviations
  constexpr std::size_t kLong = 6;      // shorter words are too easily one letter apart
  std::string letters;
  for (const char c : column) {
    if (c == ' ' || c == '_' || c == '-') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (word.ends_with(':')) return letters.starts_with(word);
  const bool in_y = word.ends_with('y');
  const std::string plural =
      in_y ? fmt::format("{}ies", word.substr(0, word.size() - 1)) : fmt::format("{}s", word);
  return letters == word || letters == plural ||
         (letters.size() >= kShortest && word.starts_with(letters)) ||
         (word.size() >= kLong && is_one_slip_apart(letters, word));
}

/// Which known column was probably meant? Empty if none.
std::string_view meant_by(std::string_view column, ColumnNames known) {
  for (const ColumnName& other : known) {
    if (is_slip(column, other.name)) return other.name;
  }
  return {};
}

Columns unknown_columns(const CsvReader& csv, ColumnNames known) {
  Columns unknown;
  const Columns all = Columns::with_prefix(csv, "");
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    const std::string& name = all.names[i];
    if (std::ranges::any_of(known, [&](const auto& k) { return k.is_name_of(name); })) continue;
    unknown.positions.push_back(all.positions[i]);
    unknown.names.push_back(name);
  }
  return unknown;
}

}  // namespace

std::int32_t Ids::number(std::string_view id) {
  if (const auto known = find(id)) return *known;
  texts_.emplace_back(id);
  return numbers_.emplace(id, static_cast<std::int32_t>(size()) - 1).first->second;
}

std::optional<std::int32_t> Ids::find(std::string_view id) const {
  const auto found = numbers_.find(id);
  if (found == numbers_.end()) return {};
  return found->second;
}

std::filesystem::path required_path(const std::string& path, std::string_view source,
                                    std::string_view expected) {
  if (!path.empty()) return path;
  fail(ErrorCode::kUsage, "source \"{}\" needs the option \"path\": {}", source, expected);
}

PlainReader::PlainReader(const std::filesystem::path& file,
                         std::initializer_list<std::string_view> columns, std::string separator)
    : CsvReader(file, {.separator = std::move(separator), .header = false, .quotes = false}) {
  if (num_columns() == columns.size()) return;
  fail(ErrorCode::kData, "{}: expected {} columns ({}), got {}", file.string(), columns.size(),
       join(columns), num_columns());
}

std::string_view read_id(const CsvReader& csv, std::size_t column) {
  const std::string_view id = csv.text(column);
  if (id.empty()) csv.fail_at(column, "an id");
  return id;
}

std::int32_t read_new_id(const CsvReader& csv, std::size_t column, Ids& ids) {
  const std::string_view id = read_id(csv, column);
  if (ids.find(id)) csv.fail_at(column, "an id that no line before has");
  return ids.number(id);
}

std::string_view read_name(const CsvReader& csv, std::size_t column) {
  const std::string_view name = csv.text(column);
  if (name.empty()) csv.fail_at(column, "a name");
  if (!is_utf8(name)) csv.fail_at(column, "a name in UTF-8");
  return name;
}

std::int32_t read_new_name(const CsvReader& csv, std::size_t column, Ids& ids) {
  const std::string_view name = read_name(csv, column);
  if (ids.find(name)) csv.fail_at(column, "a name that no line before has");
  return ids.number(name);
}

std::int32_t read_known_id(const CsvReader& csv, std::size_t column, const Ids& ids,
                           std::string_view expected) {
  if (const auto number = ids.find(csv.text(column))) return *number;
  csv.fail_at(column, expected);
}

float read_number(const CsvReader& csv, std::size_t column) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  const double value = csv.number(column);
  if (value < -kLargest || value > kLargest) csv.fail_at(column, "a number that fits a float");
  return static_cast<float>(value);
}

float read_amount(const CsvReader& csv, std::size_t column) {
  csv.number(column, 0);
  return read_number(csv, column);
}

std::vector<std::string> read_words(const CsvReader& csv, std::size_t column) {
  std::vector<std::string> words;
  for (std::string_view rest = csv.text(column); !rest.empty();) {
    const std::size_t bar = rest.find('|');
    const std::string_view word = rest.substr(0, bar);
    const bool ends_in_bar = bar == rest.size() - 1;
    if (word.empty() || ends_in_bar || std::ranges::find(words, word) != words.end()) {
      csv.fail_at(column, "different words with | between them");
    }
    if (!is_utf8(words.emplace_back(word))) csv.fail_at(column, "words in UTF-8");
    rest.remove_prefix(std::min(bar, rest.size() - 1) + 1);
  }
  return words;
}

Columns Columns::with_prefix(const CsvReader& csv, std::string_view prefix) {
  Columns columns;
  for (std::size_t i = 0; i < csv.num_columns(); ++i) {
    const std::string& name = csv.columns()[i];
    if (!name.starts_with(prefix)) continue;
    if (name.size() == prefix.size()) {
      fail(ErrorCode::kData, "{}: column {} needs a name after \"{}\"", csv.path().string(), i + 1,
           prefix);
    }
    if (!is_utf8(name)) {
      fail(ErrorCode::kData, "{}: the name of column {} is {}; expected UTF-8", csv.path().string(),
           i + 1, excerpt(name));
    }
    columns.positions.push_back(i);
    columns.names.push_back(name.substr(prefix.size()));
  }
  return columns;
}

bool ColumnName::is_name_of(std::string_view column) const {
  if (name.ends_with(':')) return column.starts_with(name);
  return column == name || (!former.empty() && column == former);
}

std::optional<std::size_t> find_column(const CsvReader& csv, const ColumnName& name) {
  const auto found = csv.find_column(name.name);
  const auto former = name.former.empty() ? std::nullopt : csv.find_column(name.former);
  if (found && former) {
    fail(ErrorCode::kData,
         "{}: there are columns \"{}\" and \"{}\", which mean the same; expected one of them",
         csv.path().string(), name.name, name.former);
  }
  return found ? found : former;
}

std::size_t column_of(const CsvReader& csv, const ColumnName& name) {
  if (const auto found = find_column(csv, name)) return *found;
  return csv.column(name.name);
}

Columns Columns::attributes(const CsvReader& csv, ColumnNames known) {
  Columns unknown = unknown_columns(csv, known);
  // The same word means the same thing in every file, so no attribute can have it.
  constexpr std::string_view kElsewhere[] = {"node",   "type",      "arrival",  "instance",
                                             "weight", "cost",      "capacity", "budget",
                                             "topics", "frequency", "arrival:", "prefer:"};
  for (const std::string& name : unknown.names) {
    for (const std::string_view word : kElsewhere) {
      if (name != word && !(word.ends_with(':') && name.starts_with(word))) continue;
      fail(ErrorCode::kData,
           "{}: column {} has its place in another file; an attribute needs another name",
           csv.path().string(), excerpt(name));
    }
    const std::string_view meant = meant_by(name, known);
    if (meant.empty()) continue;
    fail(ErrorCode::kData,
         "{}: unknown column {}; did you mean \"{}\"? An attribute needs another name",
         csv.path().string(), excerpt(name), meant);
  }
  return unknown;
}

void expect_columns(const CsvReader& csv, ColumnNames known) {
  const Columns unknown = unknown_columns(csv, known);
  if (unknown.names.empty()) return;
  const std::string_view meant = meant_by(unknown.names.front(), known);
  fail(ErrorCode::kData, "{}: unknown column {};{} the columns can be: {}", csv.path().string(),
       excerpt(unknown.names.front()),
       meant.empty() ? "" : fmt::format(" did you mean \"{}\"?", meant), join(known));
}

void sort_names(std::vector<std::string>& names) {
  std::ranges::sort(names);
  const auto repeats = std::ranges::unique(names);
  names.erase(repeats.begin(), repeats.end());
}

std::vector<std::size_t> preference_columns(const CsvReader& csv,
                                            const std::vector<std::string>& topics) {
  std::vector<std::size_t> positions;
  const Columns given = Columns::with_prefix(csv, "prefer:");
  if (given.names.empty()) return positions;
  for (const std::string& name : given.names) {
    if (std::ranges::binary_search(topics, name)) continue;
    fail(ErrorCode::kData, "{}: column \"prefer:{}\" names a topic that no fixed node has",
         csv.path().string(), name);
  }
  for (const std::string& topic : topics) positions.push_back(csv.column("prefer:" + topic));
  return positions;
}

AmountColumn::AmountColumn(const CsvReader& csv) {
  const auto of_money = csv.find_column("budget"), capacity = csv.find_column("capacity");
  if (of_money && capacity) {
    fail(ErrorCode::kData,
         "{}: there are columns \"budget\" and \"capacity\"; expected one of them",
         csv.path().string());
  }
  position = of_money ? of_money : capacity;
  budget = of_money.has_value();
}

FixedTable FixedTable::read(const std::filesystem::path& file) {
  CsvReader csv(file);
  const ColumnName name("node", "id");
  const std::size_t node = column_of(csv, name);
  const AmountColumn amount(csv);
  const auto topic = csv.find_column("topics");
  const Columns others = Columns::attributes(csv, {name, "budget", "capacity", "topics"});

  FixedTable table;
  table.budgets = amount.budget;
  table.attribute_names = others.names;
  std::vector<std::vector<std::string>> names;
  while (csv.next()) {
    read_new_name(csv, node, table.nodes);
    if (amount.position) table.capacities.push_back(read_amount(csv, *amount.position));
    for (const std::size_t column : others.positions) {
      table.attributes.push_back(read_number(csv, column));
    }
    if (!topic) continue;
    names.push_back(read_words(csv, *topic));
    table.topics.insert(table.topics.end(), names.back().begin(), names.back().end());
  }
  if (table.nodes.size() == 0) {
    fail(ErrorCode::kData, "{}: the file lists no fixed node", file.string());
  }
  if (topic && table.topics.empty()) {
    fail(ErrorCode::kData, "{}: no fixed node has a topic in column \"topics\"", file.string());
  }
  sort_names(table.topics);
  for (const auto& words : names) table.topic_sets.push_back(topic_numbers(words, table.topics));
  return table;
}

std::string FixedTable::problem(bool costs) const {
  if (!topics.empty() && (costs || budgets)) {
    fail(ErrorCode::kData,
         "the fixed nodes have topics, so a match takes 1 of its node; expected no column \"{}\"",
         costs ? "cost" : "budget");
  }
  if (costs) return "gen-assignment";
  if (!topics.empty()) return "osbm";
  return budgets ? "adwords" : "e-obm";
}

std::vector<std::int32_t> topic_numbers(const std::vector<std::string>& names,
                                        const std::vector<std::string>& topics) {
  std::vector<std::int32_t> numbers;
  for (const std::string& name : names) {
    const auto found = std::ranges::lower_bound(topics, name);
    numbers.push_back(static_cast<std::int32_t>(found - topics.begin()));
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace foresight
