#include "base/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/in_child.h"
#include "base/run_tool.h"

namespace assay::base {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

template <typename Done>
bool Eventually(Done&& done) {
  for (int i = 0; i < 1000 && !done(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return done();
}

// Touched memory, which a compiler cannot leave out.
std::vector<char> Touched(std::size_t bytes) {
  std::vector<char> memory(bytes);
  for (std::size_t i = 0; i < bytes; i += 4096) *const_cast<volatile char*>(&memory[i]) = 1;
  return memory;
}

constexpr std::size_t kMiB = std::size_t{1} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsMemory = false;
#else
constexpr bool kCountsMemory = true;
#endif

TEST(Limits, PrintsSizesInTheLargestExactUnit) {
  EXPECT_EQ(FormatBytes(std::uint64_t{8} << 30), "8 GiB");
  EXPECT_EQ(FormatBytes(512 * kMiB), "512 MiB");
  EXPECT_EQ(FormatBytes(65536), "64 KiB");
  EXPECT_EQ(FormatBytes(1000), "1000 bytes");
  EXPECT_EQ(FormatBytes(0), "0 bytes");
}

TEST(Limits, TheDefaultIsAShareOfTheMachine) {
  EXPECT_GT(DefaultMemoryLimit(), 0u);
  EXPECT_EQ(DefaultMemoryLimit(1000), 1000u);
}

TEST(Budget, WithoutLimitsNothingIsReached) {
  const Budget none;
  EXPECT_FALSE(none.IsExceeded());
  EXPECT_TRUE(none.Check());
  EXPECT_TRUE(none.Fits(~std::uint64_t{0}, "all"));
  EXPECT_EQ(none.Left().seconds, 0);
  EXPECT_EQ(none.Left().memory_bytes, 0u);
}

TEST(Budget, NamesTheLimitAndTheActivity) {
  const Budget budget = Budget::Start({.seconds = 0.02});
  EXPECT_TRUE(budget.Check());
  std::this_thread::sleep_for(milliseconds(30));
  const Doing outer(budget, "compiling");
  { const Doing inner(budget, "linking"); }
  const auto checked = budget.Check();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kDevice);
  EXPECT_EQ(checked.error().message,
            "the time limit of 0.02 s (--timeout) was reached while compiling");
  EXPECT_GT(budget.Left().seconds, 0);
  EXPECT_TRUE(budget.Renewed().Check());
  EXPECT_TRUE(budget.WithoutTime().Check());
}

TEST(Budget, SeesMemoryThatGrows) {
  if (!kCountsMemory) GTEST_SKIP() << "a sanitizer's memory is not counted";
  const Budget budget = Budget::Start({.memory_bytes = 32 * kMiB});
  EXPECT_TRUE(budget.Check());
  {
    const auto memory = Touched(160 * kMiB);
    EXPECT_TRUE(Eventually([&] { return budget.IsMemoryExceeded(); }));
    EXPECT_THAT(budget.Check().error().message, HasSubstr("memory limit of 32 MiB (--max-memory)"));
  }
  EXPECT_TRUE(Eventually([&] { return !budget.IsMemoryExceeded(); }));
}

TEST(Budget, RefusesTooLargeAllocationsInAdvance) {
  const Budget budget = Budget::Start({.memory_bytes = 512 * kMiB});
  EXPECT_TRUE(budget.Fits(100 * kMiB, "'x'"));
  const auto refused = budget.Fits(513 * kMiB, "'x'");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(refused.error().message, HasSubstr("'x' needs 537919488 bytes"));
  EXPECT_FALSE(budget.Fits(~std::uint64_t{0}, "'x'"));
}

TEST(Budget, CallsTheHandlerIfNoLoopChecks) {
  std::atomic<int> calls = 0;
  std::string message;
  const Budget budget = Budget::Start({.seconds = 0.01}, [&](const std::string& what) {
    message = what;
    ++calls;
  });
  const Doing doing(budget, "sleeping");
  EXPECT_TRUE(Eventually([&] { return calls == 1; }));
  EXPECT_EQ(message, "the time limit of 0.01 s (--timeout) was reached while sleeping");
}

TEST(Budget, CallsForHelpFarBeyondMemory) {
  if (!kCountsMemory) GTEST_SKIP() << "a sanitizer's memory is not counted";
  std::atomic<int> calls = 0;
  const Budget budget =
      Budget::Start({.memory_bytes = 16 * kMiB}, [&](const std::string&) { ++calls; });
  const auto memory = Touched(240 * kMiB);
  EXPECT_TRUE(Eventually([&] { return calls == 1; }));
}

TEST(Budget, RenewedIsNotCalledForHelp) {
  std::atomic<int> calls = 0;
  const Budget budget =
      Budget::Start({.seconds = 0.01}, [&](const std::string&) { ++calls; }).Renewed();
  std::this_thread::sleep_for(std::chrono::duration<double>(kOverrunSeconds + 0.2));
  EXPECT_EQ(calls, 0);
}

TEST(InChild, ReturnsTheResultOfTheWork) {
  std::string large(5'000'000, 'x');
  const auto result = InChild(Budget(), "copying", [&] { return large + "y"; });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, large + "y");
}

TEST(InChild, DistinguishesACrashFromAnAnswer) {
  const auto result = InChild(Budget(), "validating m", []() -> std::string { std::abort(); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kDevice);
  EXPECT_EQ(result.error().message, "validating m was ended by signal 6 (Aborted)");
  const auto thrown =
      InChild(Budget(), "validating m", []() -> std::string { throw std::bad_alloc(); });
  EXPECT_THAT(thrown.error().message, HasSubstr("memory"));
}

// Uses 4 KiB of stack a level.
std::size_t Descend(std::size_t levels) {
  volatile char used[4096];
  used[levels % sizeof used] = 1;
  return levels == 0 ? 0
                     : Descend(levels - 1) + static_cast<std::size_t>(used[levels % sizeof used]);
}

TEST(InChild, HasAStackForLibrariesThatRecurse) {
  const auto result =
      InChild(Budget(), "descending", [] { return std::to_string(Descend(std::size_t{1} << 14)); });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, "16384");
}

TEST(InChild, MeetsTheMemoryLimitBeforeItsStackEnds) {
  if (!kCountsMemory) GTEST_SKIP() << "a sanitizer's memory is not counted";
  const Budget budget = Budget::Start({.memory_bytes = 64 * kMiB});
  const auto result =
      InChild(budget, "descending", [] { return std::to_string(Descend(std::size_t{1} << 40)); });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("64 MiB (--max-memory) was reached"));
}

TEST(InChild, IsEndedAtTheTimeLimit) {
  const Budget budget = Budget::Start({.seconds = 0.1});
  const auto start = Budget::Clock::now();
  const auto result = InChild(budget, "thinking", []() -> std::string {
    std::this_thread::sleep_for(std::chrono::seconds(20));
    return "";
  });
  EXPECT_LT(Budget::Clock::now() - start, std::chrono::seconds(10));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("0.1 s (--timeout) was reached while thinking"));
}

// It cleans up, whatever a library does with signals (LLVM handles SIGUSR1), and does not end by
// those that the terminal sends to all.  The thread that raises the flag only reads while the child
// is forked: of a sanitizer's allocator, which knows no forks, a child would inherit the lock.
TEST(InChild, IsEndedByTheFlag) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<bool> reads{false}, stop{false};
  const auto work = [&]() -> std::string {
    const auto inner = TemporaryFolder::Make();
    for (const int number : {SIGUSR1, SIGUSR2}) std::signal(number, SIG_IGN);
    for (const int number : {SIGINT, SIGTERM, SIGUSR1}) std::raise(number);
    if (write(ends[1], inner->path().data(), inner->path().size()) < 0) return "no pipe";
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return "";
  };
  char path[4096] = {};
  std::jthread waits([&] {
    reads = true;
    if (read(ends[0], path, sizeof path - 1) > 0) stop = true;
  });
  ASSERT_TRUE(Eventually([&] { return reads.load(); }));
  const auto result = InChild(Budget::Start({.seconds = 20}), "thinking", work, &stop);
  close(ends[1]);  // the thread ends, whatever became of the child
  waits.join();
  close(ends[0]);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "thinking was ended, because the run was interrupted");
  EXPECT_STRNE(path, "");
  EXPECT_FALSE(Exists(path));
}

TEST(InChild, IsEndedAtTheMemoryLimit) {
  const Budget budget = Budget::Start({.memory_bytes = 64 * kMiB});
  const auto result = InChild(budget, "growing", []() -> std::string {
    std::vector<std::vector<char>> all;
    while (all.size() < 400) {
      all.push_back(Touched(4 * kMiB));
      std::this_thread::sleep_for(milliseconds(1));
    }
    return "";
  });
  if (!kCountsMemory) return;
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("64 MiB (--max-memory) was reached while growing"));
}

TEST(Packed, KeepsTheOrder) {
  Packed packed;
  packed.Add("text");
  packed.Add(std::uint64_t{7});
  packed.Add("");
  Packed read(packed.bytes());
  EXPECT_EQ(read.Text(), "text");
  EXPECT_EQ(read.Number(), 7u);
  EXPECT_EQ(read.Text(), "");
  EXPECT_EQ(read.Text(), "");
  EXPECT_EQ(read.Number(), 0u);
}

}  // namespace
}  // namespace assay::base
