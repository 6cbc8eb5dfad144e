#include "foresight/cli/table.h"

#include <algorithm>

#include "foresight/base/error.h"

namespace foresight {

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    fail(ErrorCode::kUsage, "a row has {} cells, but the table has {} columns", cells.size(),
         columns_.size());
  }
  rows_.push_back(std::move(cells));
}

std::string Table::render(const TerminalStyle& style) const {
  constexpr std::size_t kGap = 2;
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].header);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
    total += width + (c > 0 ? kGap : 0);
  }

  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& content = cell(c);
      const std::string padding(widths[c] - display_width(content), ' ');
      if (c > 0) text.append(kGap, ' ');
      text += columns_[c].align == Align::kRight ? padding + content : content + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };

  const std::string header = line([&](std::size_t c) -> auto& { return columns_[c].header; });
  std::string text = style.color ? "\x1b[1m" + header + "\x1b[0m\n" : header + "\n";
  for (std::size_t i = 0; i < total; ++i) text += style.unicode ? "─" : "-";
  text += '\n';
  for (const auto& row : rows_) {
    text += line([&](std::size_t c) -> auto& { return row[c]; });
    text += '\n';
  }
  return text;
}

}  // namespace foresight
