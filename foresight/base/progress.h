// How long-running functions report their progress, and learn that they should stop.
//
//   void solve_all(std::span<const Instance> instances, Progress& progress = no_progress()) {
//     progress.begin("solving", std::ssize(instances), "instances");
//     for (const Instance& instance : instances) {
//       if (progress.cancelled()) fail(ErrorCode::kCancelled, "solving was interrupted");
//       ...
//       progress.advance(1);
//     }
//     progress.end();
//   }
//
// advance() costs one atomic addition, so it may be called for every small step, from any thread.
// A separate thread draws the bar ten times a second, even while a step takes long.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "foresight/base/format.h"

namespace foresight {

/// Does nothing: derive from it to show progress. One job runs at a time, from begin() to end().
class Progress {
 public:
  virtual ~Progress() = default;

  /// For example "solving", 20000, "instances". A total of 0 means it is not known.
  virtual void begin(std::string_view what, std::int64_t total, std::string_view unit);
  virtual void end() {}

  // Thread-safe:
  virtual void advance(std::int64_t /*steps*/) {}
  virtual void note(std::string_view /*text*/) {}   // shown after the bar, e.g. "ratio 0.871"
  virtual bool cancelled() const { return false; }  // long loops stop if it is true
};

/// For callers that want no progress.
Progress& no_progress();

/// Throws Error(kCancelled) if the work is to stop.
void check_cancelled(const Progress& progress);

/// Says what the jobs of another progress are for.
class LabelledProgress : public Progress {
 public:
  LabelledProgress(Progress& inner, std::string label) : inner_(inner), label_(std::move(label)) {}
  void begin(std::string_view what, std::int64_t total, std::string_view unit) override {
    inner_.begin(std::string(what) + " " + label_, total, unit);
  }
  void end() override { inner_.end(); }
  void advance(std::int64_t steps) override { inner_.advance(steps); }
  void note(std::string_view text) override { inner_.note(text); }
  bool cancelled() const override { return inner_.cancelled(); }

 private:
  Progress& inner_;
  std::string label_;
};

/// From now on the first Ctrl-C (or SIGTERM) makes interrupted() true, and the second one ends the
/// program at once.
void install_interrupt_handler();
bool interrupted();

/// What is known about a job, and how it is shown.
struct ProgressState {
  std::string what;
  std::string unit;
  std::string note;
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: not known
  double seconds = 0;      // since begin()
  bool stopping = false;   // interrupted, and about to end
};

/// One line without a line break, narrower than the terminal. Details that do not fit are left out,
/// the least important first.
std::string render_bar(const ProgressState& state, const TerminalStyle& style);

/// One line for a log, and the line that remains when the job has ended.
std::string render_line(const ProgressState& state);
std::string render_summary(const ProgressState& state);

/// On a terminal, a bar that is redrawn in place; elsewhere, a plain line now and then. A job ends
/// with one line that sums it up. Ctrl-C cancels.
class TerminalProgress : public Progress {
 public:
  struct Timing {
    std::chrono::milliseconds redraw{100};
    std::chrono::milliseconds line{10'000};
    std::chrono::milliseconds silence{300};  // shorter jobs write no plain line
  };

  explicit TerminalProgress(std::FILE* stream = stderr);
  TerminalProgress(std::FILE* stream, Timing timing) : stream_(stream), timing_(timing) {}
  ~TerminalProgress() override { TerminalProgress::end(); }

  /// First ends the previous job, if an exception left it open.
  void begin(std::string_view what, std::int64_t total, std::string_view unit) override;
  void end() override;
  void advance(std::int64_t steps) override { done_.fetch_add(steps, std::memory_order_relaxed); }
  void note(std::string_view text) override;
  bool cancelled() const override { return interrupted(); }

 private:
  void draw_until_end();
  void update();
  void write(std::string_view text);

  std::FILE* stream_;
  Timing timing_;
  std::thread painter_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;  // guards what follows, except done_
  std::condition_variable ended_;
  bool running_ = false;
  ProgressState state_;
  alignas(64) std::atomic<std::int64_t> done_ = 0;  // on a cache line of its own
};

}  // namespace foresight
