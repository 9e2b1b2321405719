#include "base/threads.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace assay::base {
namespace {

TEST(ThreadsTest, EachIsCalledOnce) {
  std::atomic<int> sum = 0;
  RunOnThreads(4, [&](int thread) { sum += 1 << thread; });
  EXPECT_EQ(sum, 0b1111);
  sum = 0;
  RunOnThreads(0, [&](int thread) { sum += 1 << thread; });
  EXPECT_EQ(sum, 1);
}

TEST(ThreadsTest, ExceptionsAreRethrown) {
  EXPECT_THROW(RunOnThreads(3,
                            [](int thread) {
                              if (thread == 2) throw std::bad_alloc();
                            }),
               std::bad_alloc);
}

// Stacks of threads are memory; a process that may have no more of that starts no thread.
TEST(ThreadsTest, WithoutMoreThreadsTheWorkIsDone) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends a process that can map no more memory";
#endif
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit none = {1, 1};
    setrlimit(RLIMIT_AS, &none);
    std::atomic<int> next = 0;
    int done = 0;
    RunOnThreads(8, [&](int) {
      while (next++ < 100) ++done;
    });
    _exit(done == 100 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace assay::base
