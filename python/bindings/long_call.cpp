#include "long_call.h"

#include <thread>

#include <nanobind/stl/string.h>

namespace foresight::python {

namespace {
constexpr std::chrono::milliseconds kPoll{100};
}

LongCall::LongCall(nb::object show) {
  if (PyCallable_Check(show.ptr())) {
    listener_ = std::move(show);
  } else if (nb::cast<bool>(nb::bool_(show))) {
    terminal_.emplace();
  }
}

void LongCall::run_task(const std::function<void()>& work) {
  std::exception_ptr error;
  {
    const nb::gil_scoped_release released;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      finished_ = true;
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    while (!finished_) {
      if (changed_.wait_for(lock, kPoll, [this] { return finished_ || task_; })) {
        if (task_) serve_task(lock);
      } else {
        lock.unlock();
        poll();
        lock.lock();
      }
    }
    lock.unlock();
    worker.join();
    if (terminal_) terminal_->end();
  }
  if (interruption_) std::rethrow_exception(interruption_);
  if (error) std::rethrow_exception(error);
  tell();
}

void LongCall::serve_task(std::unique_lock<std::mutex>& lock) {
  const std::function<void()>& task = *task_;
  lock.unlock();
  std::exception_ptr error;
  try {
    const nb::gil_scoped_acquire acquired;
    task();
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  task_error_ = error;
  task_ = nullptr;
  changed_.notify_all();
}

void LongCall::call(const std::function<void()>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  changed_.notify_all();
  changed_.wait(lock, [this] { return task_ == nullptr; });
  if (task_error_) std::rethrow_exception(std::exchange(task_error_, nullptr));
}

void LongCall::poll() {
  const nb::gil_scoped_acquire acquired;
  if (interruption_) return;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    tell();
  } catch (...) {
    interruption_ = std::current_exception();
    cancelled_ = true;
  }
}

void LongCall::tell() {
  if (!listener_.is_valid()) return;
  ProgressState state;
  {
    const std::lock_guard lock(mutex_);
    if (state_.what.empty()) return;
    if (running_) {
      const auto now = std::chrono::steady_clock::now();
      state_.seconds = std::chrono::duration<double>(now - start_).count();
    }
    state = state_;
  }
  state.done = done_;
  nb::dict told;
  told["what"] = state.what;
  told["unit"] = state.unit;
  told["note"] = state.note;
  told["done"] = state.done;
  told["total"] = state.total;
  told["seconds"] = state.seconds;
  TerminalStyle style;
  style.unicode = true;
  style.width = 120;
  told["text"] = render_bar(state, style);
  listener_(told);
}

void LongCall::begin(std::string_view what, std::int64_t total, std::string_view unit) {
  if (terminal_) terminal_->begin(what, total, unit);
  const std::lock_guard lock(mutex_);
  state_ = {.what = std::string(what), .unit = std::string(unit), .note = {}, .total = total};
  done_ = 0;
  start_ = std::chrono::steady_clock::now();
  running_ = true;
}

void LongCall::end() {
  if (terminal_) terminal_->end();
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (running_) state_.seconds = std::chrono::duration<double>(now - start_).count();
  running_ = false;
}

void LongCall::advance(std::int64_t steps) {
  if (terminal_) {
    terminal_->advance(steps);
  } else {
    done_.fetch_add(steps, std::memory_order_relaxed);
  }
}

void LongCall::note(std::string_view text) {
  if (terminal_) terminal_->note(text);
  const std::lock_guard lock(mutex_);
  state_.note = text;
}

}  // namespace foresight::python
