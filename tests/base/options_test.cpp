#include "foresight/base/options.h"

#include "tests/expect_error.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Spec, ParsesNamesKeysAndNestedSpecs) {
  const Spec spec =
      Spec::parse(" robust( policy = greedy-t(threshold=0.3,train=\"a,b\") , rho=0.8 )");
  EXPECT_EQ(spec.name, "robust");
  ASSERT_EQ(spec.values.size(), 2U);
  EXPECT_EQ(spec.values[0].second, "greedy-t(threshold=0.3,train=\"a,b\")");
  EXPECT_EQ(spec.values[1], (std::pair<std::string, std::string>("rho", "0.8")));
}

TEST(Spec, TextAndSpecAreTheSameThing) {
  for (const char* text : {"er", "er(u=10,v=30,p=0.1)", "csv(path=\"a, b (1)\",u=3)",
                           "robust(policy=greedy-t(threshold=0.3),rho=0.8)", "x(path=\"a)b\")",
                           "robust(policy=csv(path=\"a)b\"))", "x(path=\"\")", "x(v=\"\"\"a\"\"\")",
                           "x(v=\"\"\"\")"}) {
    const Spec spec = Spec::parse(text);
    EXPECT_EQ(spec.to_string(), text);
    EXPECT_EQ(Spec::parse(spec.to_string()), spec);
  }
}

TEST(Spec, MalformedTextIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected name"},        {"er(u=1", "expected ')'"},     {"er(u=1))", "without a '('"},
      {"er(u)", "key=value"},       {"er(u=1,u=2)", "given twice"}, {"er(=1)", "key=value"},
      {"er(p=\"1)", "not closed"},  {"er(p=(1)", "not closed"},     {"e r(u=1)", "expected name"},
      {"er(u=1)x", "expected ')'"}, {"er(u=1,)", "key=value"}};
  for (const auto& [text, reason] : cases) {
    expect_error(ErrorCode::kUsage, {reason}, [&] { Spec::parse(text); });
  }
}

TEST(Spec, SortedSpecsDifferOnlyInMeaning) {
  EXPECT_EQ(Spec::parse("a(v=1,u=x( d = 2,c=y(b=1,a=2)))").sorted().to_string(),
            "a(u=x(c=y(a=2,b=1),d=2),v=1)");
  // What merely has parentheses stays as it is.
  EXPECT_EQ(Spec::parse("a(v=\"b (2, 1)\",u=(x))").sorted().to_string(), "a(u=(x),v=b (2, 1))");
}

struct SampleOptions {
  int u = 10;
  double p = 0.5;
  std::string mode = "fast";
  std::string path;
  std::uint64_t seed = 1;
  double limit = 10;
  int draw = 0;
  double shift = 0;
  void read(OptionReader& o) {
    o.integer("u", u, 1, 100, "nodes");
    o.real("p", p, 0, 1, "share");
    o.choice("mode", mode, {"fast", "slow"}, "how");
    o.text("path", path, "where");
    o.count("seed", seed, 0, std::numeric_limits<std::uint64_t>::max(), "of random numbers");
    o.real("limit", limit, kAboveZero, kInfinity, "seconds");
    o.integer("draw", draw, 0, std::numeric_limits<int>::max(), "which");
    o.real("shift", shift, -kInfinity, kInfinity, "anything");
  }
};

SampleOptions read(const char* text) {
  OptionReader reader(Spec::parse(text), "source \"sample\"");
  SampleOptions options;
  options.read(reader);
  reader.finish();
  return options;
}

std::string value(const char* text, const std::string& name) {
  OptionReader reader(Spec::parse(text), "source \"sample\"");
  SampleOptions().read(reader);
  for (const auto& [key, final_value] : reader.values()) {
    if (key == name) return final_value;
  }
  return "none";
}

TEST(OptionReader, KeepsDefaultsAndReadsWhatIsGiven) {
  const SampleOptions options = read("sample(p=0.25,path=here,mode=slow)");
  EXPECT_EQ(options.u, 10);
  EXPECT_EQ(options.p, 0.25);
  EXPECT_EQ(options.mode, "slow");
  EXPECT_EQ(options.path, "here");
}

TEST(OptionReader, WrongValuesNameTheOptionTheRangeAndTheValue) {
  expect_error(ErrorCode::kUsage, {"sample", "\"u\"", "1..100", "\"0\""},
               [] { read("sample(u=0)"); });
  expect_error(ErrorCode::kUsage, {"\"u\"", "\"3.5\""}, [] { read("sample(u=3.5)"); });
  expect_error(ErrorCode::kUsage, {"\"u\"", "99999999999"}, [] { read("sample(u=99999999999)"); });
  expect_error(ErrorCode::kUsage, {"\"p\"", "0..1", "nan"}, [] { read("sample(p=nan)"); });
  expect_error(ErrorCode::kUsage, {"\"p\"", "1.5"}, [] { read("sample(p=1.5)"); });
  expect_error(ErrorCode::kUsage, {"\"mode\"", "fast|slow", "warp"},
               [] { read("sample(mode=warp)"); });
}

TEST(OptionReader, UnknownKeysListTheKnownOnes) {
  expect_error(ErrorCode::kUsage, {"\"w\"", "u, p, mode, path, seed"}, [] { read("sample(w=1)"); });
}

TEST(OptionReader, NumbersAreDecimalAndWholeTexts) {
  EXPECT_EQ(read("sample(u=010)").u, 10);
  EXPECT_EQ(read("sample(seed=007)").seed, 7U);
  EXPECT_EQ(read("sample(seed=18446744073709551615)").seed, 18446744073709551615U);
  EXPECT_EQ(read("sample(limit=1e-3)").limit, 1e-3);
  EXPECT_EQ(read("sample(shift=-0.5)").shift, -0.5);
  for (const char* wrong :
       {"u=+5",      "u=0x5",     "u=1e1",    "u=5 nodes", "u=",        "seed=-1",    "seed=+1",
        "seed=1.0",  "p=+0.5",    "p=0x1p-2", "p=0,5",     "p=.",       "p=1/2",      "p=",
        "limit=nan", "limit=inf", "limit=0",  "limit=-1",  "shift=nan", "shift=-inf", "shift=1e"}) {
    const std::string text = fmt::format("sample({})", wrong);
    expect_error(ErrorCode::kUsage, {}, [&] { read(text.c_str()); });
  }
}

TEST(OptionReader, NumbersTooLargeForTheirTypeAreToldTheirRange) {
  expect_error(ErrorCode::kUsage, {"0..18446744073709551615, got \"18446744073709551616\""},
               [] { read("sample(seed=18446744073709551616)"); });
  expect_error(ErrorCode::kUsage, {"0..2147483647, got \"2147483648\""},
               [] { read("sample(draw=2147483648)"); });
  expect_error(ErrorCode::kUsage, {"any number, finite and in double precision, got \"1e400\""},
               [] { read("sample(shift=1e400)"); });
  expect_error(ErrorCode::kUsage, {"a number > 0, finite and in double precision, got \"inf\""},
               [] { read("sample(limit=inf)"); });
}

TEST(OptionReader, EqualValuesHaveEqualText) {
  EXPECT_EQ(value("sample(p=0.10)", "p"), value("sample(p=1e-1)", "p"));
  EXPECT_EQ(value("sample(p=0.10)", "p"), "0.1");
  EXPECT_EQ(value("sample(shift=-0)", "shift"), value("sample(shift=0.0)", "shift"));
  EXPECT_EQ(value("sample(shift=0.30000000000000004)", "shift"), "0.30000000000000004");
  EXPECT_EQ(value("sample(u=007)", "u"), "7");
  EXPECT_EQ(value("sample(seed=010)", "seed"), "10");
}

TEST(OptionReader, ARangeIsANumberOrTwo) {
  const auto read_range = [](const std::string& text) {
    OptionReader reader(Spec::parse("sample(v=" + text + ")"), "source \"sample\"");
    IntRange v = 30;
    reader.range("v", v, 0, 100, "arrivals");
    reader.finish();
    return std::pair(v, reader.values().front().second);
  };
  EXPECT_EQ(read_range("007"), std::pair(IntRange(7), std::string("7")));
  EXPECT_EQ(read_range("0"), std::pair(IntRange(0), std::string("0")));
  EXPECT_EQ(read_range("06..12"), std::pair(IntRange(6, 12), std::string("6..12")));
  EXPECT_EQ(read_range("6..6"), std::pair(IntRange(6), std::string("6")));
  for (const char* wrong : {"", "..", "1..", "..5", "5..4", "0..5", "-1..5", "1..101", "101", "1.5",
                            "1...5", "1..5..9", "1..99999999999", "a..b"}) {
    expect_error(ErrorCode::kUsage, {"\"v\"", "LOW..HIGH", fmt::format("got \"{}\"", wrong)},
                 [&] { read_range(wrong); });
  }
}

TEST(OptionReader, ValuesAreAllOptionsInTheOrderOfTheirDeclaration) {
  OptionReader reader(Spec::parse("sample(mode=slow,p=0.25,path=here)"), "source \"sample\"");
  SampleOptions().read(reader);
  std::string all;
  for (const auto& [name, text] : reader.values()) all += name + "=" + text + " ";
  EXPECT_EQ(all, "u=10 p=0.25 mode=slow path=here seed=1 limit=10 draw=0 shift=0 ");
}

TEST(OptionReader, AValueSpelledOutIsGivenOnlyIfItIsNotTheDefault) {
  OptionReader reader(Spec::parse("sample(u=10,p=0.25)"), "source \"sample\"");
  SampleOptions().read(reader);
  EXPECT_TRUE(reader.given("p"));
  EXPECT_FALSE(reader.given("u"));
  EXPECT_FALSE(reader.given("mode"));
}

TEST(OptionReader, ErrorsCallOptionsAsTheirReaderDoes) {
  expect_error(ErrorCode::kUsage, {"train: --u must be a whole number 1..100, got \"0\""}, [] {
    OptionReader reader(Spec::parse("train(u=0)"), "train",
                        [](std::string_view name) { return "--" + std::string(name); });
    SampleOptions().read(reader);
  });
}

TEST(Options, ThoseFilledByHandAreChecked) {
  const auto refused = [](const std::string& message, auto change) {
    SampleOptions options;
    change(options);
    expect_error(ErrorCode::kUsage, {message}, [&] { check(options, "solve"); });
  };
  check(SampleOptions(), "solve");
  refused("solve: u must be a whole number 1..100, got \"0\"", [](auto& o) { o.u = 0; });
  refused("solve: limit must be a number > 0, got \"nan\"",
          [](auto& o) { o.limit = std::numeric_limits<double>::quiet_NaN(); });
  refused("solve: limit must be a number > 0", [](auto& o) { o.limit = kInfinity; });
  refused("solve: mode must be one of fast|slow, got \"warp\"", [](auto& o) { o.mode = "warp"; });
}

}  // namespace
}  // namespace foresight
