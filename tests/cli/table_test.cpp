#include "foresight/cli/table.h"

#include <string>

#include <gtest/gtest.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

const TerminalStyle kAscii = {};
const TerminalStyle kUnicode = {.unicode = true};

Table ratios() {
  Table table({{"policy", Align::kLeft}, {"mean ratio", Align::kRight}, {"note", Align::kLeft}});
  table.add_row({"greedy", "0.842", ""});
  table.add_row({"inv-ff-hist", "0.9", "best of 3"});
  return table;
}

TEST(Table, AlignsColumnsWithTwoSpacesBetween) {
  EXPECT_EQ(ratios().render(kAscii),
            "policy       mean ratio  note\n"
            "----------------------------------\n"
            "greedy            0.842\n"
            "inv-ff-hist         0.9  best of 3\n");
}

TEST(Table, DrawsAThinRuleInUnicode) {
  Table table({{"n", Align::kRight}});
  table.add_row({"1000"});
  EXPECT_EQ(table.render(kUnicode), "   n\n────\n1000\n");
}

TEST(Table, AlignsNamesWithAccents) {
  Table table({{"source"}, {"edges", Align::kRight}});
  table.add_row({"Erdős–Rényi", "5"});
  table.add_row({"Barabasi", "12"});
  EXPECT_EQ(table.render(kAscii),
            "source       edges\n"
            "------------------\n"
            "Erdős–Rényi      5\n"
            "Barabasi        12\n");
}

TEST(Table, MakesOnlyTheHeaderBoldAndOnlyWhereColourIsAllowed) {
  TerminalStyle style = kAscii;
  const std::string plain = ratios().render(style);
  style.color = true;
  const std::string header = plain.substr(0, plain.find('\n'));
  EXPECT_EQ(ratios().render(style), "\x1b[1m" + header + "\x1b[0m" + plain.substr(header.size()));
}

TEST(Table, ShowsItsHeaderWithoutRows) {
  EXPECT_EQ(Table({{"policy"}, {"ratio"}}).render(kAscii), "policy  ratio\n-------------\n");
}

TEST(Table, RejectsARowOfAnotherLength) {
  Table table({{"policy"}, {"ratio"}});
  try {
    table.add_row({"greedy"});
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(), "a row has 1 cells, but the table has 2 columns");
  }
}

}  // namespace
}  // namespace foresight
