#include <cmath>

#include "tests/expect_error.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/base/json_field_internal.h"

namespace foresight {
namespace {

TEST(JsonField, ReadsWhatIsThere) {
  const auto json = JsonField::parse(
      R"({"a": [1, 2.5, null], "n": -3, "c": 7, "t": "text", "o": {"x": [4, 5]}})", "f.json");
  EXPECT_EQ(json["a"].size(), 3U);
  EXPECT_EQ(json["a"].at(1).number(), 2.5);
  EXPECT_TRUE(std::isnan(json["a"].at(2).number_or_nan()));
  EXPECT_EQ(json["a"].at(1).number_or_nan(), 2.5);
  EXPECT_EQ(json["n"].integer(), -3);
  EXPECT_EQ(json["c"].count(), 7U);
  EXPECT_EQ(json["t"].text(), "text");
  EXPECT_EQ(json["o"]["x"].numbers<int>(), (std::vector<int>{4, 5}));
  EXPECT_EQ(json.text_or_empty("missing"), "");
  EXPECT_FALSE(json.find("missing"));
}

TEST(JsonField, ErrorsNameTheFileThePathAndTheValue) {
  const auto json = JsonField::parse(R"({"p": [{"m": 1}, {"m": "x"}], "n": -3})", "f.json");
  expect_error(ErrorCode::kData, {"f.json: p[1].m: should be a number, but is \"x\""},
               [&] { json["p"].at(1)["m"].number(); });
  expect_error(ErrorCode::kData, {"f.json: p[0]: has no field \"q\""},
               [&] { json["p"].at(0)["q"].number(); });
  expect_error(ErrorCode::kData, {"n: should be an integer >= 0, but is -3"},
               [&] { json["n"].count(); });
  expect_error(ErrorCode::kData, {"p: should be text, but is a list of 2"},
               [&] { json["p"].text(); });
  expect_error(ErrorCode::kData, {"n: should be a list"}, [&] { json["n"].size(); });
  expect_error(ErrorCode::kData, {"n: should be an object"}, [&] { json["n"]["x"].text(); });
}

TEST(JsonField, AnIndexBeyondTheListIsRefused) {
  const auto json = JsonField::parse(R"({"p": [1, 2], "o": {}})", "f.json");
  expect_error(ErrorCode::kData, {"f.json: p: has no entry 2: it has 2, counted from 0"},
               [&] { json["p"].at(2); });
  expect_error(ErrorCode::kData, {"f.json: o: should be a list, but is an object"},
               [&] { json["o"].at(0); });
}

TEST(JsonField, NumbersThatDoNotFitTheirTypeAreRefused) {
  const auto json = JsonField::parse(
      R"({"list": [0, 3000000000, -1, 1e300], "big": 9223372036854775808, "ok": 2147483647,
          "most": 18446744073709551615, "beyond": 18446744073709551616, "half": 0.5})",
      "f.json");
  expect_error(
      ErrorCode::kData,
      {"f.json: list[1]: should be an integer from -2147483648 to 2147483647, but is 3000000000"},
      [&] { json["list"].numbers<std::int32_t>(); });
  expect_error(ErrorCode::kData, {"list[2]: should be an integer from 0 to 4294967295, but is -1"},
               [&] { json["list"].numbers<std::uint32_t>(); });
  expect_error(ErrorCode::kData, {"list[3]: should be a number up to 3.403e+38, but is 1e+300"},
               [&] { json["list"].numbers<float>(); });
  EXPECT_EQ(json["list"].numbers<double>(), (std::vector<double>{0, 3e9, -1, 1e300}));
  expect_error(ErrorCode::kData,
               {"f.json: big: should be an integer from -9223372036854775808 to "
                "9223372036854775807, but is 9223372036854775808"},
               [&] { json["big"].integer(); });
  expect_error(ErrorCode::kData, {"most: should be an integer from", "is 18446744073709551615"},
               [&] { json["most"].integer<int>(); });
  EXPECT_EQ(json["ok"].integer<std::int32_t>(), 2147483647);
  EXPECT_EQ(json["most"].count(), 18446744073709551615U);
  EXPECT_EQ(json["most"].integer<std::uint64_t>(), 18446744073709551615U);
  expect_error(ErrorCode::kData, {"beyond: should be an integer"}, [&] { json["beyond"].count(); });
  expect_error(ErrorCode::kData, {"half: should be an integer, but is 0.5"},
               [&] { json["half"].integer(); });
}

TEST(JsonField, NullIsNoNumber) {
  const auto json = JsonField::parse(R"({"n": null, "list": [1, null]})", "f.json");
  expect_error(ErrorCode::kData, {"f.json: n: should be a number, but is null"},
               [&] { json["n"].number(); });
  expect_error(ErrorCode::kData, {"n: should be an integer, but is null"},
               [&] { json["n"].integer(); });
  expect_error(ErrorCode::kData, {"list[1]: should be a number, but is null"},
               [&] { json["list"].numbers<float>(); });
}

TEST(JsonField, TextThatIsNotJsonIsRefusedWithItsPlace) {
  const auto refuses = [](const std::string& text, const std::string& why) {
    expect_error(ErrorCode::kData, {"f.json: " + why}, [&] { JsonField::parse(text, "f.json"); });
  };
  for (const char* text : {"", "{", "[1, 2", "{\"a\"", "\"text", "tru", "[1e", "-"}) {
    refuses(text, "is not valid JSON: it ends too early");
  }
  refuses("{\"a\": 1,}", "is not valid JSON at byte 9: unexpected character");
  refuses("nonsense", "is not valid JSON at byte 2: unexpected character");
  refuses("{} x", "is not valid JSON at byte 4: unexpected character");
  refuses("[NaN]", "is not valid JSON at byte 2: unexpected character");
  refuses("[\"\xff\"]", "is not valid JSON at byte 3: the text is not UTF-8");
}

TEST(JsonField, NumbersThatNoTypeHoldsAreRefused) {
  expect_error(ErrorCode::kData, {"f.json: the number 1e999 is too large"},
               [] { JsonField::parse("[1, 1e999]", "f.json"); });
  expect_error(ErrorCode::kData, {"f.json: the number -1e999 is too large"},
               [] { JsonField::parse("-1e999", "f.json"); });
}

TEST(JsonField, AnErrorAboutADeepListDoesNotPrintIt) {
  const std::size_t depth = 300'000;
  const auto json = JsonField::parse(std::string(depth, '[') + std::string(depth, ']'), "f.json");
  expect_error(ErrorCode::kData, {"f.json: should be a number, but is a list of 1"},
               [&] { json.number(); });
}

TEST(JsonText, AnyBytesCanBeWrittenAndReadBack) {
  const std::string path = "runs/\xff/b\u00fc";
  const nlohmann::json json = {{"path", path}};
  const nlohmann::ordered_json ordered = {{"path", path}};
  EXPECT_EQ(JsonField::parse(json_text(json), "")["path"].text(), "runs/\uFFFD/b\u00fc");
  EXPECT_EQ(json_text(ordered, 1), "{\n \"path\": \"runs/\uFFFD/b\u00fc\"\n}");
  EXPECT_EQ(valid_utf8(path), "runs/\uFFFD/b\u00fc");
  EXPECT_EQ(valid_utf8("as \"it\" is"), "as \"it\" is");
  EXPECT_EQ(parse_json_list(json_list({path})), std::vector<std::string>{valid_utf8(path)});
}

TEST(JsonText, KnowsUtf8) {
  for (const char* text : {"", "a", "\xc3\xa4", "\xf0\x9f\x99\x82"}) EXPECT_TRUE(is_utf8(text));
  for (const char* text : {"\xe4", "\xc3", "a\xff", "\xc0\x80", "\xed\xa0\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

TEST(JsonField, AListOfTextsComesBackAndNothingElseDoes) {
  const std::vector<std::string> texts = {"", "a \"b\"", "ü"};
  EXPECT_EQ(parse_json_list(json_list(texts)), texts);
  EXPECT_EQ(parse_json_list("[]"), std::vector<std::string>());
  for (const char* other : {"", "[", "{}", "null", "\"a\"", "[1e999]", "[\"a\", 1]"}) {
    EXPECT_EQ(parse_json_list(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace foresight
