// A text table as the commands print it: a header, a thin rule, aligned columns, no boxes.
//
//   Table table({{"policy", Align::kLeft}, {"mean ratio", Align::kRight}});
//   table.add_row({"greedy", "0.842"});
//   table.add_row({"inv-ff-hist", "0.917"});
//   std::fputs(table.render().c_str(), stdout);
//
//   policy       mean ratio
//   ───────────────────────
//   greedy            0.842
//   inv-ff-hist       0.917
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "foresight/base/format.h"

namespace foresight {

enum class Align { kLeft, kRight };

struct Column {
  std::string header;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column. Throws Error(kUsage) for any other number of cells.
  void add_row(std::vector<std::string> cells);

  /// The lines of the table, each with a line break. The header is bold if colour is allowed.
  std::string render(const TerminalStyle& style = detect_terminal(stdout)) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace foresight
