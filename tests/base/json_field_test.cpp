#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/base/json_field_internal.h"

namespace foresight {
namespace {

TEST(JsonField, ReadsWhatIsThere) {
  const auto json = JsonField::parse(
      R"({"a": [1, 2.5, null], "n": -3, "c": 7, "t": "text", "o": {"x": [4, 5]}})", "f.json");
  EXPECT_EQ(json["a"].size(), 3U);
  EXPECT_EQ(json["a"].at(1).number(), 2.5);
  EXPECT_TRUE(std::isnan(json["a"].at(2).number()));
  EXPECT_EQ(json["n"].integer(), -3);
  EXPECT_EQ(json["c"].count(), 7U);
  EXPECT_EQ(json["t"].text(), "text");
  EXPECT_EQ(json["o"]["x"].numbers<int>(), (std::vector<int>{4, 5}));
  EXPECT_EQ(json.text_or_empty("missing"), "");
  EXPECT_FALSE(json.find("missing"));
}

TEST(JsonField, ErrorsNameTheFileThePathAndTheValue) {
  const auto json = JsonField::parse(R"({"p": [{"m": 1}, {"m": "x"}], "n": -3})", "f.json");
  expect_error(ErrorCode::kData, {"f.json: p[1].m: should be a number, is \"x\""},
               [&] { json["p"].at(1)["m"].number(); });
  expect_error(ErrorCode::kData, {"f.json: p[0]: has no field \"q\""},
               [&] { json["p"].at(0)["q"].number(); });
  expect_error(ErrorCode::kData, {"n: should be an integer from 0 on, is -3"},
               [&] { json["n"].count(); });
  expect_error(ErrorCode::kData, {"p: should be text"}, [&] { json["p"].text(); });
  expect_error(ErrorCode::kData, {"n: should be a list"}, [&] { json["n"].size(); });
  expect_error(ErrorCode::kData, {"n: should be an object"}, [&] { json["n"]["x"].text(); });
}

TEST(JsonField, ListsNestedAMillionTimesAreRefusedWithoutExhaustingTheStack) {
  const std::size_t depth = 1'000'000;
  const auto json = JsonField::parse(std::string(depth, '[') + std::string(depth, ']'), "f");
  expect_error(ErrorCode::kData, {"f: should be text, is a list"}, [&] { json.text(); });
}

TEST(JsonField, IntegersThatDoNotFitAreRefusedRatherThanCut) {
  const auto json = JsonField::parse(
      R"([2147483647, 2147483648, -2147483649, 9223372036854775807, 18446744073709551615])", "f");
  EXPECT_EQ(json.at(0).integer<std::int32_t>(), 2147483647);
  EXPECT_EQ(json.at(3).integer(), 9223372036854775807);
  for (std::size_t i = 1; i <= 4; ++i) {
    expect_error(ErrorCode::kData, {"should be an integer from -2147483648 to 2147483647"},
                 [&] { json.at(i).integer<std::int32_t>(); });
  }
  expect_error(ErrorCode::kData, {"f: [4]: should be", "is 18446744073709551615"},
               [&] { json.at(4).integer(); });
  expect_error(ErrorCode::kData, {"[1]: should be an integer"}, [&] { json.numbers<int>(); });
}

TEST(JsonField, TextThatIsNoJsonIsRefusedWithItsPlace) {
  for (const char* text : {"", "{", "{\"a\": 1,}", "nonsense", "[1, 2"}) {
    expect_error(ErrorCode::kData, {"f.json: is no JSON", "at byte"},
                 [&] { JsonField::parse(text, "f.json"); });
  }
  expect_error(ErrorCode::kData, {"f.json", "too large for a double"},
               [] { JsonField::parse("[1, 2e999]", "f.json"); });
}

TEST(JsonField, KnowsUtf8) {
  for (const char* text : {"", "a", "\xc3\xa4", "\xf0\x9f\x99\x82"}) EXPECT_TRUE(is_utf8(text));
  for (const char* text : {"\xe4", "\xc3", "a\xff", "\xc0\x80", "\xed\xa0\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

TEST(JsonField, AListOfTextsComesBackAndNothingElseDoes) {
  const std::vector<std::string> texts = {"", "a \"b\"", "ü"};
  EXPECT_EQ(parse_json_list(json_list(texts)), texts);
  EXPECT_EQ(parse_json_list("[]"), std::vector<std::string>());
  for (const char* other : {"", "[", "{}", "null", "\"a\"", "[\"a\", 1]"}) {
    EXPECT_EQ(parse_json_list(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace foresight
