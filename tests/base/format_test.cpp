#include "foresight/base/format.h"

#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace foresight {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

TEST(HumanCount, GroupsDigitsByThree) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1,000");
  EXPECT_EQ(human_count(1234567), "1,234,567");
  EXPECT_EQ(human_count(-999), "-999");
  EXPECT_EQ(human_count(-1000), "-1,000");
  EXPECT_EQ(human_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(HumanRate, KeepsThreeDigits) {
  EXPECT_EQ(human_rate(0.5, "epochs"), "0.50 epochs/s");
  EXPECT_EQ(human_rate(9.994, "rows"), "9.99 rows/s");
  EXPECT_EQ(human_rate(9.996, "rows"), "10.0 rows/s");
  EXPECT_EQ(human_rate(99.96, "rows"), "100 rows/s");
  EXPECT_EQ(human_rate(999.4, "rows"), "999 rows/s");
  EXPECT_EQ(human_rate(999.6, "rows"), "1.00k rows/s");
  EXPECT_EQ(human_rate(18234, "instances"), "18.2k instances/s");
  EXPECT_EQ(human_rate(2.5e9, "steps"), "2.50G steps/s");
}

TEST(HumanRate, TakesALongerPeriodForSlowSteps) {
  EXPECT_EQ(human_rate(0.05, "epochs"), "3.00 epochs/min");
  EXPECT_EQ(human_rate(0.001, "epochs"), "3.60 epochs/h");
  EXPECT_EQ(human_rate(0, "epochs"), "0 epochs/s");
}

TEST(HumanDuration, ChoosesTheUnit) {
  EXPECT_EQ(human_duration(8.5e-7), "850 ns");
  EXPECT_EQ(human_duration(1.24e-3), "1.2 ms");
  EXPECT_EQ(human_duration(0.35), "350 ms");
  EXPECT_EQ(human_duration(4.07), "4.1 s");
  EXPECT_EQ(human_duration(42), "42 s");
  EXPECT_EQ(human_duration(187), "3m 07s");
  EXPECT_EQ(human_duration(7500), "2h 05m");
  EXPECT_EQ(human_duration(3 * 86400 + 4 * 3600), "3d 04h");
}

TEST(HumanDuration, CarriesWhatItRoundsUp) {
  EXPECT_EQ(human_duration(0.9996), "1.0 s");
  EXPECT_EQ(human_duration(59.6), "1m 00s");
  EXPECT_EQ(human_duration(3599.6), "1h 00m");
  EXPECT_EQ(human_duration(86399), "1d 00h");
}

TEST(HumanDuration, SurvivesWhatIsNoDuration) {
  EXPECT_EQ(human_duration(0), "0 s");
  EXPECT_EQ(human_duration(-3), "0 s");
  EXPECT_EQ(human_duration(std::numeric_limits<double>::infinity()), "unknown");
  EXPECT_EQ(human_duration(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(HumanBytes, ChoosesTheBinaryUnit) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_bytes(1000 * 1024), "0.98 MiB");
  EXPECT_EQ(human_bytes(20ull << 30), "20.0 GiB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("greedy"), 6u);
  EXPECT_EQ(display_width("Erdős–Rényi"), 11u);
  EXPECT_EQ(display_width("▕█▏"), 3u);
  EXPECT_EQ(display_width("e\u0301"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("\x1b[1;36mbold\x1b[0m"), 4u);
}

TEST(DisplayWidth, SurvivesBrokenText) {
  EXPECT_EQ(display_width("a\xff"), 2u);
  EXPECT_EQ(display_width("\xc5"), 1u);
  EXPECT_EQ(display_width("\x1b["), 0u);
  EXPECT_EQ(display_width("\x1b[3"), 0u);
}

TEST(ClipToWidth, KeepsWholeCharacters) {
  EXPECT_EQ(clip_to_width("Rényi", 2), "Ré");
  EXPECT_EQ(clip_to_width("Rényi", 5), "Rényi");
  EXPECT_EQ(clip_to_width("Rényi", 99), "Rényi");
  EXPECT_EQ(clip_to_width("Rényi", 0), "");
  EXPECT_EQ(clip_to_width("e\u0301x", 1), "e\u0301");
}

// Each test starts from an English UTF-8 xterm, and leaves the environment as it found it.
class DetectTerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(master, 0);
    master_.reset(fdopen(master, "r+"));
    ASSERT_EQ(grantpt(master), 0);
    ASSERT_EQ(unlockpt(master), 0);
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    ASSERT_GE(slave, 0);
    terminal_.reset(fdopen(slave, "w"));
    for (const char* name : {"LC_ALL", "LC_CTYPE", "NO_COLOR"}) set(name, nullptr);
    set("LANG", "en_US.UTF-8");
    set("TERM", "xterm");
  }

  void TearDown() override {
    for (auto variable = saved_.rbegin(); variable != saved_.rend(); ++variable) {
      apply(variable->first, variable->second ? variable->second->c_str() : nullptr);
    }
  }

  void set(const char* name, const char* value) {
    const char* old = std::getenv(name);
    saved_.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
    apply(name, value);
  }

  TerminalStyle detect() const { return detect_terminal(terminal_.get()); }

  File master_{nullptr, std::fclose};
  File terminal_{nullptr, std::fclose};

 private:
  static void apply(const char* name, const char* value) {
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  std::vector<std::pair<const char*, std::optional<std::string>>> saved_;
};

TEST_F(DetectTerminal, FindsAColourTerminalAndItsWidth) {
  winsize size{};
  size.ws_col = 123;
  ASSERT_EQ(ioctl(fileno(terminal_.get()), TIOCSWINSZ, &size), 0);
  const TerminalStyle style = detect();
  EXPECT_TRUE(style.interactive);
  EXPECT_TRUE(style.color);
  EXPECT_TRUE(style.unicode);
  EXPECT_EQ(style.width, 123u);
}

TEST_F(DetectTerminal, AssumesEightyColumnsWhereNoneAreKnown) {
  EXPECT_EQ(detect().width, 80u);
}

TEST_F(DetectTerminal, RespectsNoColorUnlessEmpty) {
  set("NO_COLOR", "1");
  EXPECT_TRUE(detect().interactive);
  EXPECT_FALSE(detect().color);
  set("NO_COLOR", "");
  EXPECT_TRUE(detect().color);
}

TEST_F(DetectTerminal, DrawsNothingOnADumbTerminal) {
  set("TERM", "dumb");
  EXPECT_FALSE(detect().interactive);
  EXPECT_FALSE(detect().color);
}

TEST_F(DetectTerminal, TakesTheFirstLocaleVariableThatIsSet) {
  set("LC_CTYPE", "C");
  EXPECT_FALSE(detect().unicode);
  set("LC_ALL", "de_DE.utf8");
  EXPECT_TRUE(detect().unicode);
}

TEST_F(DetectTerminal, TreatsAFileAsNoTerminal) {
  const File file(std::tmpfile(), std::fclose);
  EXPECT_FALSE(detect_terminal(file.get()).interactive);
  EXPECT_FALSE(detect_terminal(file.get()).color);
}

}  // namespace
}  // namespace foresight
