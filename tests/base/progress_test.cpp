#include "foresight/base/progress.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace foresight {
namespace {

using namespace std::chrono_literals;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
using Timing = TerminalProgress::Timing;

const TerminalStyle kPlain = {.interactive = true, .color = false, .unicode = false, .width = 120};
const TerminalStyle kUnicode = {.interactive = true, .color = false, .unicode = true, .width = 120};

ProgressState solving() {
  return {.what = "solving",
          .unit = "instances",
          .note = "ratio 0.871",
          .done = 5000,
          .total = 20000,
          .seconds = 2,
          .stopping = false};
}

std::string content(const File& file) {
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(pread(fileno(file.get()), text.data(), text.size(), 0)));
  return text;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(RenderBar, ShowsShareCountRateTimeLeftAndNote) {
  EXPECT_EQ(render_bar(solving(), kPlain),
            "solving  [######..................]  25%   5,000/20,000  2.50k instances/s  6 s left  "
            "ratio 0.871");
}

TEST(RenderBar, DrawsEighthsOfABlockInUnicode) {
  ProgressState s = solving();
  s.done = 27;  // eighths of 24 blocks
  s.total = 192;
  EXPECT_TRUE(render_bar(s, kUnicode).starts_with("solving  ▕███▍                    ▏  14%"));
}

TEST(RenderBar, ColoursOnlyTheBarAndOnlyWhenAllowed) {
  TerminalStyle style = kPlain;
  EXPECT_EQ(render_bar(solving(), style).find('\x1b'), std::string::npos);
  style.color = true;
  EXPECT_NE(render_bar(solving(), style).find("[\x1b[36m######..................\x1b[0m]"),
            std::string::npos);
}

TEST(RenderBar, NeverReachesTheLastColumn) {
  for (const bool stopping : {false, true}) {
    for (const std::int64_t total : {0, 20000}) {
      ProgressState s = solving();
      s.total = total;
      s.stopping = stopping;
      for (std::size_t width = 1; width <= 200; ++width) {
        const TerminalStyle style = {
            .interactive = true, .color = true, .unicode = true, .width = width};
        EXPECT_LT(display_width(render_bar(s, style)), width) << total << ' ' << stopping;
      }
    }
  }
}

TEST(RenderBar, LeavesOutTheLeastTellingDetailsFirst) {
  TerminalStyle style = kPlain;
  style.width = 80;
  EXPECT_EQ(render_bar(solving(), style),
            "solving  [####............]  25%  2.50k instances/s  6 s left  ratio 0.871");
  style.width = 60;
  EXPECT_EQ(render_bar(solving(), style), "solving  [###.........]  25%  6 s left  ratio 0.871");
  style.width = 40;
  EXPECT_EQ(render_bar(solving(), style), "solving  [##........]  25%  6 s left");
  style.width = 6;
  EXPECT_EQ(render_bar(solving(), style), "solvi");
}

TEST(RenderBar, ReachesAHundredPercentOnlyWhenAllIsDone) {
  ProgressState s = solving();
  s.done = 19999;
  EXPECT_NE(render_bar(s, kPlain).find(".]  99%"), std::string::npos);
  s.done = 20000;
  EXPECT_NE(render_bar(s, kPlain).find("#]  100%  20,000/20,000"), std::string::npos);
  EXPECT_EQ(render_bar(s, kPlain).find("left"), std::string::npos);
  s.done = 20001;
  EXPECT_NE(render_bar(s, kPlain).find("#]  100%"), std::string::npos);
}

TEST(RenderBar, PromisesNothingBeforeTheFirstStep) {
  ProgressState s = solving();
  s.done = 0;
  s.note.clear();
  EXPECT_EQ(render_bar(s, kPlain), "solving  [........................]   0%       0/20,000");
}

TEST(RenderBar, CountsWhenTheTotalIsUnknown) {
  ProgressState s = solving();
  s.total = 0;
  EXPECT_EQ(render_bar(s, kPlain), "solving  5,000 instances  2.50k instances/s  2 s  ratio 0.871");
}

TEST(RenderBar, TellsThatTheInterruptWasHeard) {
  ProgressState s = solving();
  s.stopping = true;
  EXPECT_NE(render_bar(s, kPlain).find("stopping  Ctrl-C again to quit at once"),
            std::string::npos);
}

TEST(RenderLine, IsASentenceForALog) {
  ProgressState s = solving();
  EXPECT_EQ(render_line(s),
            "solving: 25%, 5,000 of 20,000 instances, 2.50k instances/s, 6 s left, ratio 0.871");
  s.total = 0;
  s.stopping = true;
  EXPECT_EQ(render_line(s),
            "solving: 5,000 instances in 2.0 s, 2.50k instances/s, ratio 0.871, stopping");
}

TEST(RenderSummary, TellsACompleteJobFromAStoppedOne) {
  ProgressState s = solving();
  EXPECT_EQ(render_summary(s),
            "solving: stopped after 5,000 of 20,000 instances in 2.0 s, 2.50k instances/s, "
            "ratio 0.871");
  s.done = s.total;
  s.note.clear();
  EXPECT_EQ(render_summary(s), "solving: 20,000 instances in 2.0 s, 10.0k instances/s");
}

TEST(NoProgress, IsNeverCancelled) {
  no_progress().begin("solving", 10, "instances");
  no_progress().advance(1);
  no_progress().end();
  EXPECT_FALSE(no_progress().cancelled());
}

TEST(TerminalProgress, CountsStepsOfAllThreads) {
  const File file(std::tmpfile(), std::fclose);
  TerminalProgress progress(file.get(), {.silence = 0ms});
  progress.begin("solving", 200'000, "instances");
  const auto work = [&progress] {
    for (int i = 0; i < 100'000; ++i) progress.advance(1);
    progress.note("ratio 0.871");
  };
  std::thread other(work);
  work();
  other.join();
  progress.end();
  EXPECT_EQ(content(file).find("solving: 200,000 instances in "), 0u) << content(file);
  EXPECT_NE(content(file).find(", ratio 0.871\n"), std::string::npos) << content(file);
}

TEST(TerminalProgress, WritesPlainLinesToAFileWhileTheJobRuns) {
  const File file(std::tmpfile(), std::fclose);
  TerminalProgress progress(file.get(), {.line = 1ms});
  progress.begin("solving", 8, "instances");
  progress.advance(2);
  while (occurrences(content(file), "\n") < 2) std::this_thread::yield();
  progress.end();
  const std::string text = content(file);
  EXPECT_NE(text.find("solving: 25%, 2 of 8 instances, "), std::string::npos) << text;
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos) << text;
}

TEST(TerminalProgress, KeepsSilentAboutShortJobsOutsideATerminal) {
  const File file(std::tmpfile(), std::fclose);
  TerminalProgress progress(file.get(), {.silence = 1h});
  progress.begin("solving", 1, "instances");
  progress.advance(1);
  progress.end();
  EXPECT_EQ(content(file), "");
}

TEST(TerminalProgress, EndsAJobThatWasLeftByAnException) {
  const File file(std::tmpfile(), std::fclose);
  {
    TerminalProgress progress(file.get(), {.silence = 0ms});
    progress.begin("reading", 5, "files");
    progress.advance(3);
    progress.note("half way");
    progress.begin("solving", 4, "instances");
    progress.advance(1);
  }
  const std::string text = content(file);
  EXPECT_EQ(text.find("reading: stopped after 3 of 5 files in "), 0u) << text;
  EXPECT_NE(text.find("\nsolving: stopped after 1 of 4 instances in "), std::string::npos) << text;
  EXPECT_EQ(occurrences(text, "half way"), 1u) << text;
  EXPECT_EQ(occurrences(text, "\n"), 2u) << text;
}

TEST(TerminalProgress, RedrawsOneLineOnATerminalAndLeavesASummary) {
  setenv("TERM", "xterm", 1);
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(master, 0);
  const File screen(fdopen(master, "r"), std::fclose);
  ASSERT_EQ(grantpt(master), 0);
  ASSERT_EQ(unlockpt(master), 0);
  const File terminal(fdopen(open(ptsname(master), O_WRONLY | O_NOCTTY), "w"), std::fclose);
  ASSERT_NE(terminal, nullptr);

  std::string text;
  const auto read_until = [&](const std::string& wanted) {
    for (int c; text.find(wanted) == text.npos && (c = std::fgetc(screen.get())) != EOF;) {
      text += static_cast<char>(c);
    }
  };
  TerminalProgress progress(terminal.get(), {.redraw = 1ms});
  progress.begin("solving", 4, "instances");
  progress.advance(1);
  read_until("25%");
  progress.advance(3);
  read_until("100%");
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  progress.end();
  read_until("\n");
  EXPECT_NE(text.find("\r\x1b[Ksolving: 4 instances in "), std::string::npos) << text;
}

// Signals are tried in a child process, since the flag is set for good.
TEST(InterruptDeathTest, FirstSignalAsksAndSecondEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto cancelled_by = [signal](int times) {
      TerminalProgress progress;
      install_interrupt_handler();
      if (progress.cancelled()) std::_Exit(1);
      for (int i = 0; i < times; ++i) std::raise(signal);
      std::_Exit(progress.cancelled() ? 42 : 2);
    };
    EXPECT_EXIT(cancelled_by(1), ::testing::ExitedWithCode(42), "");
    EXPECT_EXIT(cancelled_by(2), ::testing::KilledBySignal(signal), "");
  }
}

}  // namespace
}  // namespace foresight
