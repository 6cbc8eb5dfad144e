#include "foresight/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace foresight {

int thread_count(int requested) {
  if (requested > 0) return requested;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for_workers(std::size_t count, int threads,
                          const std::function<void(std::size_t, std::size_t)>& work) {
  const auto workers = std::min(count, static_cast<std::size_t>(thread_count(threads)));
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i, 0);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr first_error;
  std::mutex error_mutex;
  const auto run = [&](std::size_t worker) {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i, worker);
    } catch (...) {
      next = count;
      const std::lock_guard lock(error_mutex);
      if (!first_error) first_error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t worker = 1; worker < workers; ++worker) pool.emplace_back(run, worker);
    run(0);
  }
  if (first_error) std::rethrow_exception(first_error);
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  parallel_for_workers(count, threads, [&](std::size_t piece, std::size_t) { work(piece); });
}

}  // namespace foresight
