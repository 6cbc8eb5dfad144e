// How Python waits for long work: the work runs on a thread of its own, without the interpreter's
// lock, while the calling thread listens for Ctrl-C, tells about progress, and makes the calls that
// belong on it.
//
//   LongCall call(show);
//   return call.run([&] { return evaluate(data, contestants, options, call); });
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "bindings.h"

#include "foresight/base/progress.h"

namespace foresight::python {

class LongCall : public Progress {
 public:
  /// `show` is True for a bar in the terminal, False or None for nothing, or a function that is
  /// told ten times a second, with a dict.
  explicit LongCall(nb::object show);

  /// Returns what `work` does, on another thread; rethrows its exception, or what a signal raised.
  /// To be called with the interpreter's lock.
  template <typename Work>
  auto run(Work&& work) {
    std::optional<decltype(work())> result;
    run_task([&] { result.emplace(work()); });
    return std::move(*result);
  }

  /// For the work: calls `task` on the thread that waits, holding the interpreter's lock.
  void call(const std::function<void()>& task);

  void begin(std::string_view what, std::int64_t total, std::string_view unit) override;
  void end() override;
  void advance(std::int64_t steps) override;
  void note(std::string_view text) override;
  bool cancelled() const override { return cancelled_.load(std::memory_order_relaxed); }

 private:
  void run_task(const std::function<void()>& work);
  void serve_task(std::unique_lock<std::mutex>& lock);
  void poll();
  void tell();

  nb::object listener_;
  std::optional<TerminalProgress> terminal_;
  std::exception_ptr interruption_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<std::int64_t> done_ = 0;

  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  bool finished_ = false;
  const std::function<void()>* task_ = nullptr;
  std::exception_ptr task_error_;
  ProgressState state_;
  bool running_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace foresight::python
