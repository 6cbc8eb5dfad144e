#include "foresight/base/progress.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <initializer_list>

#include <fmt/format.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

std::atomic<bool> interrupt_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait for a lock");

extern "C" void on_interrupt(int /*signal*/) {
  interrupt_flag = true;
}

double share_of(const ProgressState& s) {
  return std::clamp(static_cast<double>(s.done) / static_cast<double>(s.total), 0.0, 1.0);
}

std::string percent(const ProgressState& s) {
  return fmt::format("{}%", std::floor(100 * share_of(s)));  // 100 % only when all is done
}

std::string rate(const ProgressState& s) {
  if (s.done <= 0 || s.seconds <= 0) return {};
  return human_rate(static_cast<double>(s.done) / s.seconds, s.unit);
}

// Whole seconds: decimals that change ten times a second only distract.
std::string calm_duration(double seconds) {
  const double whole = std::ceil(seconds);
  return whole < 60 ? fmt::format("{} s", whole) : human_duration(whole);
}

std::string time_left(const ProgressState& s) {
  if (s.done <= 0 || s.done >= s.total) return {};
  const double per_step = s.seconds / static_cast<double>(s.done);
  return calm_duration(per_step * static_cast<double>(s.total - s.done)) + " left";
}

std::string join(std::initializer_list<std::string_view> parts, std::string_view separator) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string draw_bar(double share, std::size_t cells, bool unicode) {
  static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const auto eighths = static_cast<std::size_t>(share * static_cast<double>(cells * 8));
  std::string bar;
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t fill = std::clamp<std::size_t>(eighths, 8 * i, 8 * i + 8) - 8 * i;
    if (unicode) {
      bar += fill == 0 ? " " : kEighths[fill];
    } else {
      bar += fill == 8 ? '#' : '.';
    }
  }
  return bar;
}

}  // namespace

void Progress::begin(std::string_view, std::int64_t, std::string_view) {}

Progress& no_progress() {
  static Progress silent;
  return silent;
}

void check_cancelled(const Progress& progress) {
  if (progress.cancelled()) fail(ErrorCode::kCancelled, "interrupted");
}

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  // The handler is used once. The next signal has its default effect: it ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return interrupt_flag.load(std::memory_order_relaxed);
}

std::string render_bar(const ProgressState& s, const TerminalStyle& style) {
  const std::size_t room = style.width - 1;  // some terminals wrap when the last column is written
  const bool known = s.total > 0;
  const std::size_t cells = known ? std::clamp<std::size_t>(style.width / 5, 10, 30) : 0;

  const std::string total = human_count(s.total);
  std::string share = known ? fmt::format("{:>3}", percent(s)) : "";
  std::string count = known ? fmt::format("{:>{}}/{}", human_count(s.done), total.size(), total)
                            : fmt::format("{} {}", human_count(s.done), s.unit);
  std::string speed = rate(s);
  std::string time = known ? time_left(s) : calm_duration(s.seconds);
  std::string note = s.note;
  if (s.stopping) {
    time = "stopping";
    note = "Ctrl-C again to quit at once";
  }

  const auto details = [&] { return join({share, count, speed, time, note}, "  "); };
  const std::size_t head = display_width(s.what) + (known ? 2 + cells + 2 : 0);
  for (std::string* least : {&count, &speed, &note, &time, &share}) {
    if (head + 2 + display_width(details()) <= room) break;
    least->clear();
  }
  if (!known || head > room) {
    return std::string(clip_to_width(join({s.what, details()}, "  "), room));
  }
  std::string bar = draw_bar(share_of(s), cells, style.unicode);
  if (style.color) bar = fmt::format("\x1b[36m{}\x1b[0m", bar);
  bar = style.unicode ? fmt::format("▕{}▏", bar) : fmt::format("[{}]", bar);
  return join({s.what, bar, details()}, "  ");
}

std::string render_line(const ProgressState& s) {
  const std::string done = human_count(s.done);
  const std::string amount =
      s.total > 0 ? fmt::format("{}, {} of {} {}", percent(s), done, human_count(s.total), s.unit)
                  : fmt::format("{} {} in {}", done, s.unit, human_duration(s.seconds));
  return fmt::format(
      "{}: {}", s.what,
      join({amount, rate(s), time_left(s), s.note, s.stopping ? "stopping" : ""}, ", "));
}

std::string render_summary(const ProgressState& s) {
  std::string done = human_count(s.done);
  if (s.done < s.total) done = fmt::format("stopped after {} of {}", done, human_count(s.total));
  const std::string amount =
      fmt::format("{}: {} {} in {}", s.what, done, s.unit, human_duration(s.seconds));
  return join({amount, rate(s), s.note}, ", ");
}

TerminalProgress::TerminalProgress(std::FILE* stream) : TerminalProgress(stream, Timing{}) {}

void TerminalProgress::begin(std::string_view what, std::int64_t total, std::string_view unit) {
  end();
  const std::lock_guard lock(mutex_);
  state_ = {.what = std::string(what), .unit = std::string(unit), .note = {}, .total = total};
  done_ = 0;
  start_ = std::chrono::steady_clock::now();
  running_ = true;
  painter_ = std::thread(&TerminalProgress::draw_until_end, this);
}

void TerminalProgress::note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  state_.note = text;
}

void TerminalProgress::end() {
  if (!painter_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
  }
  ended_.notify_one();
  painter_.join();
  const std::lock_guard lock(mutex_);
  update();
  if (detect_terminal(stream_).interactive) {
    write(fmt::format("\r\x1b[K{}\n", render_summary(state_)));
  } else if (state_.seconds >= std::chrono::duration<double>(timing_.silence).count()) {
    write(render_summary(state_) + "\n");
  }
}

void TerminalProgress::draw_until_end() {
  std::unique_lock lock(mutex_);
  const bool interactive = detect_terminal(stream_).interactive;
  const auto interval = interactive ? timing_.redraw : timing_.line;
  while (!ended_.wait_for(lock, interval, [this] { return !running_; })) {
    update();
    // The terminal is asked each time, because its window may have been resized.
    write(interactive ? fmt::format("\r{}\x1b[K", render_bar(state_, detect_terminal(stream_)))
                      : render_line(state_) + "\n");
  }
}

void TerminalProgress::update() {
  state_.done = done_.load(std::memory_order_relaxed);
  state_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  state_.stopping = interrupted();
}

void TerminalProgress::write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

}  // namespace foresight
