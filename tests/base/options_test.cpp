#include "foresight/base/options.h"

#include "tests/expect_error.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

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
      {"", "expected name"},        {"er(u=1", "expected ')'"},     {"er(u=1))", "too many"},
      {"er(u)", "key=value"},       {"er(u=1,u=2)", "given twice"}, {"er(=1)", "key=value"},
      {"er(p=\"1)", "not closed"},  {"er(p=(1)", "not closed"},     {"e r(u=1)", "expected name"},
      {"er(u=1)x", "expected ')'"}, {"er(u=1,)", "key=value"}};
  for (const auto& [text, reason] : cases) {
    expect_error(ErrorCode::kUsage, {reason}, [&] { Spec::parse(text); });
  }
}

struct SampleOptions {
  int u = 10;
  double p = 0.5;
  std::string mode = "fast";
  std::string path;
  void read(OptionReader& o) {
    o.integer("u", u, 1, 100, "nodes");
    o.real("p", p, 0, 1, "share");
    o.choice("mode", mode, {"fast", "slow"}, "how");
    o.text("path", path, "where");
    o.finish();
  }
};

SampleOptions read(const char* text) {
  OptionReader reader(Spec::parse(text), "source \"sample\"");
  SampleOptions options;
  options.read(reader);
  return options;
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
  expect_error(ErrorCode::kUsage, {"\"w\"", "u, p, mode, path"}, [] { read("sample(w=1)"); });
}

}  // namespace
}  // namespace foresight
