#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace assay::base {
namespace {

TEST(ThreadPoolTest, EveryThreadIsCalledOnceARound) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> calls(4);
  for (int round = 1; round <= 200; ++round) {
    pool.Run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    for (const std::atomic<int>& count : calls) ASSERT_EQ(count, round);
  }
}

TEST(ThreadPoolTest, OneThreadIsTheCaller) {
  ThreadPool pool(1);
  std::thread::id seen;
  pool.Run([&](int) { seen = std::this_thread::get_id(); });
  EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST(ThreadPoolTest, AnExceptionComesBackAndTheNextRoundGoesOn) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.Run([](int thread) {
    if (thread == 2) throw std::runtime_error("x");
  }),
               std::runtime_error);
  std::atomic<int> calls = 0;
  pool.Run([&](int) { ++calls; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace assay::base
