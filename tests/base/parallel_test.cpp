#include "foresight/base/parallel.h"

#include <atomic>
#include <vector>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

TEST(ParallelFor, DoesEveryPieceOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_for(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
  parallel_for(0, 2, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, WorkersHaveTheirOwnNumber) {
  std::vector<int> by_worker(3);  // unsynchronised on purpose: the thread sanitizer watches
  parallel_for_workers(300, 3, [&](std::size_t, std::size_t worker) { ++by_worker.at(worker); });
  EXPECT_EQ(by_worker[0] + by_worker[1] + by_worker[2], 300);
}

TEST(ParallelFor, AnErrorStopsTheRestAndReachesTheCaller) {
  for (const int threads : {1, 4}) {
    std::atomic<int> done = 0;
    expect_error(ErrorCode::kData, {"piece 5"}, [&] {
      parallel_for(100'000, threads, [&](std::size_t i) {
        if (i == 5) fail(ErrorCode::kData, "piece {}", i);
        ++done;
      });
    });
    EXPECT_LT(done, 100'000);
  }
}

}  // namespace
}  // namespace foresight
