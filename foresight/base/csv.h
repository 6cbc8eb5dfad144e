// A strict reader of tables in text files, one line at a time, over a memory-mapped file.
//
//   CsvReader csv("edges.csv");
//   const auto node = csv.column("node"), weight = csv.column("weight");   // in any order
//   while (csv.next()) use(csv.integer(node, 0), csv.number(weight, 0));
//
// It follows RFC 4180:
// - Fields may be quoted. A quoted field may hold separators, line breaks and doubled quotes.
// - Lines end in LF or CRLF. Every line must have as many fields as the first.
// - Spaces belong to the field.
// A UTF-8 byte order mark is skipped. All other bytes stay as they are, so Latin-1 text survives.
//
// Errors are Error(kData) of the form
//   edges.csv:17: column "weight": expected a number >= 0, got "abc"
//
// Reading a line costs a few searches with memchr. Fields are views of the file; memory is
// allocated only for fields with doubled quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foresight/base/mapped_file.h"

namespace foresight {

struct CsvOptions {
  std::string separator = ",";  // may be longer, such as "::"
  bool header = true;           // the first line names the columns; else they are "1", "2", ...
  bool quotes = true;           // else a quote is a character like any other
};

class CsvReader {
 public:
  /// Reads the header. Throws Error(kIo) if the file cannot be read, Error(kData) if it is empty or
  /// names a column twice.
  explicit CsvReader(std::filesystem::path path, CsvOptions options = {});

  /// Moves to the next line that is not blank; false at the end.
  bool next();

  const std::filesystem::path& path() const { return file_.path(); }
  std::size_t num_columns() const { return columns_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  /// The position of a column. `column` throws an error that lists all columns.
  std::size_t column(std::string_view name) const;
  std::optional<std::size_t> find_column(std::string_view name) const;

  // The current line. Call these only after `next` has returned true.

  /// The number of its first line in the file, from 1.
  std::size_t line() const { return line_; }
  /// Valid until `next`.
  std::string_view text(std::size_t column) const;
  /// A number in [min, max]. It is never NaN, and infinite only if the range is.
  double number(std::size_t column, double min = std::numeric_limits<double>::lowest(),
                double max = std::numeric_limits<double>::max()) const;
  std::int64_t integer(std::size_t column,
                       std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  /// Throws the error for a value that is not `expected` ("a genre", say).
  [[noreturn]] void fail_at(std::size_t column, std::string_view expected) const;

 private:
  bool read_fields();
  std::optional<std::string_view> take_line();
  std::string_view take_field(std::string_view& line);
  [[noreturn]] void fail_line(std::string_view problem) const;

  MappedFile file_;
  CsvOptions options_;
  std::vector<std::string> columns_;
  std::string_view rest_;      // of the file, after the current line
  std::size_t line_ = 0;       // where the current line starts
  std::size_t next_line_ = 1;  // where `rest_` starts
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // the fields that had doubled quotes
};

/// The text as a field of a line, quoted where RFC 4180 asks for it. A spreadsheet would run text
/// that begins like a formula, so an apostrophe before it keeps it text.
std::string csv_field(std::string_view text);

}  // namespace foresight
