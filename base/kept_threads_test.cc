#include "base/kept_threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace assay::base {
namespace {

// What each of so many threads is called with, and who it is.
std::set<int> NumbersOf(int threads, std::set<std::thread::id>* who = nullptr) {
  std::mutex mutex;
  std::set<int> numbers;
  std::atomic<int> there{0};
  RunOnKeptThreads(threads, [&](int thread) {
    {
      const std::lock_guard lock(mutex);
      numbers.insert(thread);
      if (who != nullptr) who->insert(std::this_thread::get_id());
    }
    ++there;
    while (there < threads) std::this_thread::yield();
  });
  return numbers;
}

TEST(KeptThreads, AreAsManyAsAskedAndStay) {
  std::set<std::thread::id> who;
  EXPECT_EQ(NumbersOf(4, &who), (std::set{0, 1, 2, 3}));
  EXPECT_EQ(NumbersOf(2, &who), (std::set{0, 1}));
  EXPECT_EQ(NumbersOf(4, &who), (std::set{0, 1, 2, 3}));
  EXPECT_EQ(who.size(), 4u);
  EXPECT_EQ(NumbersOf(1), (std::set{0}));
}

TEST(KeptThreads, WorkInWorkAndAtTheSameTimeHasThreadsOfItsOwn) {
  std::atomic<int> calls{0};
  RunOnKeptThreads(3, [&](int) { RunOnKeptThreads(2, [&](int) { ++calls; }); });
  EXPECT_EQ(calls, 6);
}

TEST(KeptThreads, HandTheFirstExceptionOnAndWorkAfterIt) {
  EXPECT_THROW(RunOnKeptThreads(3,
                                [](int thread) {
                                  if (thread == 2) throw std::runtime_error("two");
                                }),
               std::runtime_error);
  EXPECT_EQ(NumbersOf(3), (std::set{0, 1, 2}));
}

TEST(KeptThreads, AForkedProcessHasItsOwn) {
  NumbersOf(3);
  const pid_t child = fork();
  if (child == 0) _exit(NumbersOf(3).size() == 3 ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace assay::base
