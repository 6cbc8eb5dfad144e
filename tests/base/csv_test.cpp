#include "foresight/base/csv.h"

#include <cmath>
#include <fstream>
#include <limits>

#include "tests/expect_error.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Table = std::vector<Words>;

class CsvTest : public testing::Test {
 protected:
  CsvTest() {
    std::string name = fs::temp_directory_path() / "foresight-test-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "table.csv";
  }
  ~CsvTest() override { fs::remove_all(folder_); }

  const fs::path& put(std::string_view content) const {
    std::ofstream(path_, std::ios::binary) << content;
    return path_;
  }

  /// All lines after the header.
  Table read(std::string_view content, const CsvOptions& options = {}) const {
    CsvReader csv(put(content), options);
    Table table;
    while (csv.next()) {
      auto& row = table.emplace_back();
      for (std::size_t i = 0; i < csv.num_columns(); ++i) row.emplace_back(csv.text(i));
    }
    return table;
  }

  /// What the error of `action` says after the path.
  template <typename Action>
  std::string complaint(Action action) const {
    try {
      action();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kData);
      const std::string message = e.what();
      EXPECT_EQ(message.substr(0, path_.string().size()), path_.string());
      return message.substr(path_.string().size());
    }
    return "no error";
  }

  std::string error(std::string_view content, const CsvOptions& options = {}) const {
    return complaint([&] { read(content, options); });
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(CsvTest, FindsColumnsByNameInAnyOrder) {
  CsvReader csv(put("weight,note,node\n0.5,hello,3\n1e3,,-4\n"));
  EXPECT_EQ(csv.columns(), (Words{"weight", "note", "node"}));
  EXPECT_EQ(csv.num_columns(), 3U);
  const auto node = csv.column("node");
  const auto weight = csv.column("weight");
  EXPECT_EQ(csv.find_column("note"), 1U);
  EXPECT_EQ(csv.find_column("Note"), std::nullopt);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 2U);
  EXPECT_EQ(csv.integer(node), 3);
  EXPECT_EQ(csv.number(weight), 0.5);
  EXPECT_EQ(csv.text(1), "hello");
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.integer(node), -4);
  EXPECT_EQ(csv.number(weight), 1000);
  EXPECT_EQ(csv.text(1), "");
  EXPECT_FALSE(csv.next());
  EXPECT_FALSE(csv.next());
}

TEST_F(CsvTest, AMissingColumnIsAnErrorThatListsThoseThereAre) {
  const CsvReader csv(put("node,weight\n"));
  EXPECT_EQ(complaint([&] { csv.column("value"); }),
            R"(: there is no column "value"; the columns are "node", "weight")");
}

TEST_F(CsvTest, LineEndsMayBeLfOrCrlfOrMissingAtTheEnd) {
  const Table expected{{"1", "2"}, {"3", "4"}};
  EXPECT_EQ(read("a,b\n1,2\n3,4\n"), expected);
  EXPECT_EQ(read("a,b\r\n1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(read("a,b\n1,2\n3,4"), expected);
  EXPECT_EQ(read("a,b\r\n1,2\n3,4\r"), expected);
}

TEST_F(CsvTest, ACarriageReturnElsewhereIsAnError) {
  // A file with the line ends of old Macs would otherwise be one long header.
  EXPECT_TRUE(says(error("a,b\r1,2\r3,4\r"), ":1: there is a carriage return"));
  EXPECT_TRUE(says(error("a,b\n1,2\r\r\n"), ":2: there is a carriage return"));
  EXPECT_EQ(read("a,b\n1,\"2\r3\"\n"), (Table{{"1", "2\r3"}}));
}

TEST_F(CsvTest, BlankLinesAreSkippedAndCounted) {
  CsvReader csv(put("\n\r\na\n\n1\n\n\r\n2\n\n"));
  EXPECT_EQ(csv.columns(), (Words{"a"}));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 5U);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 8U);
  EXPECT_EQ(csv.text(0), "2");
  EXPECT_FALSE(csv.next());
}

TEST_F(CsvTest, AByteOrderMarkIsNotPartOfTheFirstName) {
  const CsvReader csv(put("\xEF\xBB\xBFnode,weight\n1,2\n"));
  EXPECT_EQ(csv.column("node"), 0U);
  EXPECT_EQ(error("\xEF\xBB\xBF"),
            ":1: the file is empty, expected a line with the names of the columns");
}

TEST_F(CsvTest, QuotedFieldsMayHoldSeparatorsQuotesAndLineBreaks) {
  EXPECT_EQ(read("\"a\",\"b,c\"\n\"1,5\",\"say \"\"hi\"\"\"\n\"two\r\nlines\n\",\"\"\n"),
            (Table{{"1,5", "say \"hi\""}, {"two\r\nlines\n", ""}}));
  EXPECT_EQ(read("a,b\n\"\"\"\",\"\"\"\"\"\"\n"), (Table{{"\"", "\"\""}}));
  EXPECT_EQ(read("a\n\"\"\n"), (Table{{""}}));  // not a blank line
  EXPECT_EQ(read("a,b\n\"x\",\n,\"y\"\r\n"), (Table{{"x", ""}, {"", "y"}}));
  const CsvReader csv(put("\"a \"\"b\"\"\",\"c,d\"\n"));
  EXPECT_EQ(csv.columns(), (Words{"a \"b\"", "c,d"}));
}

TEST_F(CsvTest, ManyEscapedFieldsInOneLineStayValidTogether) {
  std::string header = "c0";
  std::string line = "\"\"\"0\"";
  for (int i = 1; i < 100; ++i) {
    header += ",c" + std::to_string(i);
    line += ",\"\"\"" + std::to_string(i) + '"';
  }
  CsvReader csv(put(header + '\n' + line + '\n'));
  ASSERT_TRUE(csv.next());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(csv.text(i), '"' + std::to_string(i));
}

TEST_F(CsvTest, LinesAreCountedThroughQuotedLineBreaks) {
  CsvReader csv(put("a,b\n\"1\n\n2\",x\n3,y\n"));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 2U);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 5U);
}

TEST_F(CsvTest, WrongQuotesAreErrorsAtTheLineWhereTheyStart) {
  EXPECT_EQ(error("a,b\n1,2\n\"3,4\n5,6\n"), ":3: a quote is not closed");
  EXPECT_EQ(error("\"a"), ":1: a quote is not closed");
  EXPECT_EQ(error("a,b\n1,2 \"x\"\n"), ":2: there is a quote inside an unquoted field");
  EXPECT_EQ(error("a,b\n1,2\"\n3,4\"\n"), ":2: there is a quote inside an unquoted field");
  EXPECT_EQ(error("a,b\n\"1\"x,2\n"), R"(:2: expected a separator after the quoted field "1")");
  EXPECT_EQ(error("a,b\n\"1\" ,2\n"), R"(:2: expected a separator after the quoted field "1")");
}

TEST_F(CsvTest, WithoutQuotingAQuoteIsACharacter) {
  const CsvOptions options{.quotes = false};
  EXPECT_EQ(read("a,b\n\"1,2\"\n\",\n", options), (Table{{"\"1", "2\""}, {"\"", ""}}));
}

TEST_F(CsvTest, AWrongNumberOfFieldsIsAnError) {
  EXPECT_EQ(error("a,b\n1,2\n3\n"), ":3: the number of fields is 1, expected 2");
  EXPECT_EQ(error("a,b\n1,2\n\n3,4,\n"), ":4: the number of fields is 3, expected 2");
  EXPECT_EQ(error("a,b\n \n"), ":2: the number of fields is 1, expected 2");
}

TEST_F(CsvTest, AnEmptyFileIsAnError) {
  const std::string expected =
      ":1: the file is empty, expected a line with the names of the columns";
  EXPECT_EQ(error(""), expected);
  EXPECT_EQ(error("\n\r\n\n"), expected);
  EXPECT_EQ(error("", {.header = false}), ":1: the file is empty");
  EXPECT_EQ(read("a,b\n"), Table{});
}

TEST_F(CsvTest, AColumnNamedTwiceIsAnError) {
  EXPECT_EQ(error("\na,b,a\n"), R"(:2: the column "a" appears twice)");
  EXPECT_EQ(error("a,,\n"), R"(:1: the column "" appears twice)");
}

TEST_F(CsvTest, AMissingFileIsAnIoError) {
  try {
    CsvReader csv(path_);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kIo);
    EXPECT_TRUE(says(e.what(), path_.string()));
  }
}

TEST_F(CsvTest, SeparatorsMayBeLong) {
  const CsvOptions options{.separator = "::", .header = false};
  EXPECT_EQ(read("1::Toy Story: the film (1995)::Animation|Comedy\n2::b::\n3::::c\n", options),
            (Table{{"1", "Toy Story: the film (1995)", "Animation|Comedy"},
                   {"2", "b", ""},
                   {"3", "", "c"}}));
  EXPECT_EQ(read("\"a::b\"::c\n", options), (Table{{"a::b", "c"}}));
  EXPECT_THROW(CsvReader(path_, {.separator = ""}), Error);
}

TEST_F(CsvTest, WithoutAHeaderColumnsAreNumberedFromOneAndTheFirstLineIsData) {
  const CsvOptions options{.header = false};
  EXPECT_EQ(read("1.0;8.0,10.3897\n2.0;9.0,1\n", options),
            (Table{{"1.0;8.0", "10.3897"}, {"2.0;9.0", "1"}}));
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "1,1\n",
                 options),
            (Table{{"1", "1"}}));
  EXPECT_EQ(error("1,2\n3\n", options), ":2: the number of fields is 1, expected 2");
  CsvReader csv(put("\nx,1\ny,z\n"), options);
  EXPECT_EQ(csv.column("2"), 1U);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 2U);
  EXPECT_EQ(csv.integer(1), 1);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(complaint([&] { csv.integer(1); }), R"(:3: column "2": expected an integer, got "z")");
}

TEST_F(CsvTest, OtherBytesPassThrough) {
  EXPECT_EQ(read("a\nCaf\xE9\nCaf\xC3\xA9\n"), (Table{{"Caf\xE9"}, {"Caf\xC3\xA9"}}));
}

TEST_F(CsvTest, NumbersAreExactAndTheirErrorsSayWhatWasExpected) {
  CsvReader csv(put("x\n-0.1\n4.9e-324\n1.7976931348623157e308\n"));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.number(0), -0.1);
  EXPECT_EQ(csv.number(0, -0.1, -0.1), -0.1);
  const auto number = [&](double min, double max) {
    return complaint([&] { csv.number(0, min, max); });
  };
  constexpr double kMin = std::numeric_limits<double>::lowest();
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_EQ(number(0, kMax), R"(:2: column "x": expected a number >= 0, got "-0.1")");
  EXPECT_EQ(number(kMin, -0.5), R"(:2: column "x": expected a number <= -0.5, got "-0.1")");
  EXPECT_EQ(number(0.5, 1), R"(:2: column "x": expected a number from 0.5 to 1, got "-0.1")");
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.number(0), 4.9e-324);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.number(0), kMax);
}

TEST_F(CsvTest, WhatIsNotAFiniteNumberIsRejectedUnlessTheRangeAllowsInfinity) {
  CsvReader csv(put("x\nabc\n\"\"\n1.5x\n 1\n1 \n+1\n0x10\n1e999\nnan\ninf\n-inf\n"));
  for (const auto* text : {"abc", "", "1.5x", " 1", "1 ", "+1", "0x10", "1e999", "nan"}) {
    ASSERT_TRUE(csv.next());
    EXPECT_EQ(csv.text(0), text);
    EXPECT_TRUE(says(complaint([&] { csv.number(0, -INFINITY, INFINITY); }),
                     "expected a number, got \"" + std::string(text) + '"'));
  }
  ASSERT_TRUE(csv.next());
  EXPECT_TRUE(says(complaint([&] { csv.number(0); }), R"(expected a number, got "inf")"));
  EXPECT_EQ(csv.number(0, 0, INFINITY), INFINITY);
  ASSERT_TRUE(csv.next());
  EXPECT_TRUE(says(complaint([&] { csv.number(0); }), R"(expected a number, got "-inf")"));
}

TEST_F(CsvTest, IntegersAreWholeAndInRange) {
  CsvReader csv(put("x\n-9223372036854775808\n12\n9223372036854775808\n1.0\n1e2\n\"\"\n7 \n"));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.integer(0), std::numeric_limits<std::int64_t>::min());
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.integer(0, 12, 12), 12);
  EXPECT_EQ(complaint([&] { csv.integer(0, 13); }),
            R"(:3: column "x": expected an integer >= 13, got "12")");
  EXPECT_EQ(complaint([&] { csv.integer(0, 0, 11); }),
            R"(:3: column "x": expected an integer from 0 to 11, got "12")");
  while (csv.next()) {
    EXPECT_TRUE(says(complaint([&] { csv.integer(0); }), "expected an integer, got"));
  }
  EXPECT_EQ(csv.line(), 8U);
}

TEST_F(CsvTest, ACallersOwnRuleFailsInTheSameForm) {
  CsvReader csv(put("genre,year\nWestern,1995\n"));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(complaint([&] { csv.fail_at(0, "one of Drama, Comedy"); }),
            R"(:2: column "genre": expected one of Drama, Comedy, got "Western")");
}

TEST_F(CsvTest, ErrorsShowHostileTextEscapedAndCut) {
  CsvReader csv(put("x\n\x1B[31m" + std::string(5000, 'y') + '\n'));
  ASSERT_TRUE(csv.next());
  const std::string message = complaint([&] { csv.number(0); });
  EXPECT_TRUE(says(message, R"(got "\x1b[31myyy)"));
  EXPECT_LT(message.size(), 300U);
}

TEST(CsvField, IsQuotedWhereItMustBeAndNeverAFormula) {
  EXPECT_EQ(csv_field("Ana"), "Ana");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("\"Bo\""), "\"\"\"Bo\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("-1,2"), "\"'-1,2\"");
}

}  // namespace
}  // namespace foresight
