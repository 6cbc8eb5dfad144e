// Coarse parallelism: independent pieces of work, each done by one thread from start to end.
//
//   parallel_for(tasks.size(), threads, [&](std::size_t i) { results[i] = run(tasks[i]); });
#pragma once

#include <cstddef>
#include <functional>

namespace foresight {

/// The number of threads to use for a request: 0 means all cores.
int thread_count(int requested);

/// Calls `work(i)` once for each i in [0, count), on `threads` threads (0 = all cores). Pieces are
/// handed out in order as threads become free. The first exception stops the rest and is rethrown.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

/// The same, but `work` is also told which worker in [0, threads) it runs on. That allows one
/// workspace per thread.
void parallel_for_workers(std::size_t count, int threads,
                          const std::function<void(std::size_t piece, std::size_t worker)>& work);

}  // namespace foresight
