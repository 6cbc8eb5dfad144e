// What the sources that read files share: ids, numbers, and tables of nodes.
//
//   CsvReader csv("edges.csv");
//   expect_columns(csv, {{"node", "u"}, "weight"});   // older files say u
//   const std::size_t node = column_of(csv, {"node", "u"});
//   while (csv.next()) nodes.number(read_name(csv, node));
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foresight/base/csv.h"

namespace foresight {

/// Ids as files write them, numbered in order of first appearance.
class Ids {
 public:
  /// The number of this id; a new one if it is not known yet.
  std::int32_t number(std::string_view id);
  std::optional<std::int32_t> find(std::string_view id) const;
  std::size_t size() const { return texts_.size(); }
  /// All ids, by their numbers.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>()(id); }
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::string> texts_;
};

/// Throws Error(kUsage) if a path option is not given; `expected` says what it should name.
std::filesystem::path required_path(const std::string& path, std::string_view source,
                                    std::string_view expected);

/// A table without a header and without quotes, whose lines have these columns.
class PlainReader : public CsvReader {
 public:
  PlainReader(const std::filesystem::path& file, std::initializer_list<std::string_view> columns,
              std::string separator = ",");
};

// Readers of one field of the current line. They throw an error that names file, line, column and
// value; `expected` says what the field should hold.

/// An id, which must not be empty.
std::string_view read_id(const CsvReader& csv, std::size_t column);
/// An id that was not given before.
std::int32_t read_new_id(const CsvReader& csv, std::size_t column, Ids& ids);
/// An id that people will read in files and reports, so it must be UTF-8.
std::string_view read_name(const CsvReader& csv, std::size_t column);
std::int32_t read_new_name(const CsvReader& csv, std::size_t column, Ids& ids);
std::int32_t read_known_id(const CsvReader& csv, std::size_t column, const Ids& ids,
                           std::string_view expected);
/// A finite number.
float read_number(const CsvReader& csv, std::size_t column);
/// A finite number >= 0: a weight, a budget, a preference.
float read_amount(const CsvReader& csv, std::size_t column);
/// The parts of `A|B|C`, none of them empty or given twice. An empty field has none.
std::vector<std::string> read_words(const CsvReader& csv, std::size_t column);

/// What a column of a table can be called. A name that ends in ':' begins the names of several.
struct ColumnName {
  ColumnName(const char* text) : name(text) {}  // NOLINT: most have one name
  ColumnName(const char* text, const char* before) : name(text), former(before) {}

  std::string_view name;
  std::string_view former;  // what older files call it; empty if they call it the same

  bool is_name_of(std::string_view column) const;
};
using ColumnNames = std::initializer_list<ColumnName>;

/// The position of a column. Both throw Error(kData) if its former name is there, too; `column_of`
/// also if there is none.
std::size_t column_of(const CsvReader& csv, const ColumnName& name);
std::optional<std::size_t> find_column(const CsvReader& csv, const ColumnName& name);

/// Some columns of a table, each holding numbers.
struct Columns {
  std::vector<std::size_t> positions;
  std::vector<std::string> names;

  /// The columns whose names start with `prefix`; `names` leaves the prefix out.
  static Columns with_prefix(const CsvReader& csv, std::string_view prefix);
  /// The columns that are not `known`. Throws Error(kData) if one of them looks like a slip of a
  /// known one: `Capacity`, `budgets`, `freq`.
  static Columns attributes(const CsvReader& csv, ColumnNames known);
};

/// Throws Error(kData) that names the first column that is not `known`.
void expect_columns(const CsvReader& csv, ColumnNames known);

/// Sorts names and drops repeats.
void sort_names(std::vector<std::string>& names);

/// The columns `prefer:TOPIC`: one for every topic, in the order of the topics, or none at all.
std::vector<std::size_t> preference_columns(const CsvReader& csv,
                                            const std::vector<std::string>& topics);

/// The column `capacity` or `budget`, if there is one of them. Throws Error(kData) if there are both.
struct AmountColumn {
  explicit AmountColumn(const CsvReader& csv);

  std::optional<std::size_t> position;
  bool budget = false;
};

/// A table of fixed nodes: column `node`, optional `capacity` (how often a node can be matched, or how
/// much its matches may cost) or `budget` (the same in the unit of the weights), optional `topics` as
/// A|B|C; every other column is an attribute.
struct FixedTable {
  Ids nodes;
  std::vector<std::string> attribute_names;
  std::vector<float> attributes;                      // one row per node
  std::vector<float> capacities;                      // one per node, or empty
  std::vector<std::string> topics;                    // ascending
  std::vector<std::vector<std::int32_t>> topic_sets;  // one per node, or empty

  static FixedTable read(const std::filesystem::path& file);

  bool budgets = false;  // do the capacities limit what is gained?

  /// The problem that such nodes are made for, if edges have costs of their own or not.
  std::string problem(bool costs) const;
};

/// The numbers of these topics, ascending. `topics` must be sorted and contain all of them.
std::vector<std::int32_t> topic_numbers(const std::vector<std::string>& names,
                                        const std::vector<std::string>& topics);

}  // namespace foresight
