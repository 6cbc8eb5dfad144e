// What fuzzing found stays fixed: every input in regressions/TARGET is read or refused.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.h"
#include <gtest/gtest.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

const std::filesystem::path kRegressions =
    std::filesystem::path(FORESIGHT_SOURCE_DIR) / "tests/fuzz/regressions";

class Fuzz : public testing::TestWithParam<FuzzTarget> {};

TEST_P(Fuzz, SeedsAreRead) {
  const auto seeds = GetParam().seeds();
  EXPECT_FALSE(seeds.empty());
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    EXPECT_NO_THROW(GetParam().run(seeds[i])) << "seed " << i;
  }
}

TEST_P(Fuzz, InputsThatOnceDidHarmAreReadOrRefused) {
  const auto folder = kRegressions / GetParam().name;
  if (!std::filesystem::exists(folder)) return;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(stream), {}};
    try {
      GetParam().run(input);
    } catch (const Error&) {
      // Refused, as it should be.
    } catch (const std::exception& error) {
      ADD_FAILURE() << file.path() << ": " << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(fuzz_targets()),
                         [](const auto& test) { return test.param.name; });

TEST(FuzzRegressions, BelongToATarget) {
  for (const auto& folder : std::filesystem::directory_iterator(kRegressions)) {
    const auto is_its = [&](const FuzzTarget& target) {
      return target.name == folder.path().filename();
    };
    EXPECT_TRUE(std::ranges::any_of(fuzz_targets(), is_its)) << folder.path();
  }
}

}  // namespace
}  // namespace foresight
