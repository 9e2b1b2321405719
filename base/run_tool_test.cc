#include "base/run_tool.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/confine.h"

namespace assay::base {
namespace {

TEST(RunTool, EndsProgramsThatRunTooLong) {
  const auto begin = std::chrono::steady_clock::now();
  // The grandchild holds the pipe open: the whole group must end.
  const auto result = RunTool({"sh", "-c", "sleep 30 & sleep 30"}, 0.3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kDevice);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(RunTool, KnowsHowItEnded) {
  EXPECT_EQ(RunTool({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10)->exit_status, 3);
  EXPECT_EQ(RunTool({"sh", "-c", "echo out; echo err >&2"}, 10)->output, "out\nerr\n");
  EXPECT_EQ(RunTool({"sh", "-c", "kill -11 $$"}, 10)->exit_status, 128 + 11);
  EXPECT_EQ(RunTool({"sh", "-c", "echo 12345"}, 10, 3)->output, "123");
  EXPECT_EQ(RunTool({"/no/such/program"}, 10).error().kind, ErrorKind::kUsage);
}

ToolRequest Script(const std::string& script) {
  return {.argv = {"sh", "-c", script}, .limits = {.seconds = 20}, .view = {}};
}

TEST(RunTool, HoldsTheLimits) {
  ToolRequest memory = Script("x=$(head -c 2000000000 /dev/zero | tr '\\0' x); echo ${#x}");
  memory.limits.memory_bytes = 64 << 20;
  const auto full = RunTool(memory);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message, testing::HasSubstr("--max-memory"));
  // Several processes together.
  memory.argv[2] = "for i in 1 2 3 4 5 6 7 8; do perl -e '$x = \"x\" x 4e7; sleep 9' & done; wait";
  const auto together = RunTool(memory);
  ASSERT_FALSE(together);
  EXPECT_THAT(together.error().message, testing::HasSubstr("--max-memory"));
  EXPECT_EQ(RunTool(Script("ulimit -c"))->output, "0\n");
  std::atomic<bool> stop{true};
  ToolRequest stopped = Script("sleep 30");
  stopped.limits.stop = &stop;
  EXPECT_THAT(RunTool(stopped).error().message, testing::HasSubstr("interrupted"));
}

// Whatever wall this machine has, but the weakest, which has none.
TEST(RunTool, ShowsFilesThatAreNamedOnly) {
  if (BestWall() == Wall::kLimits) GTEST_SKIP() << "neither namespaces nor Landlock";
  auto readable = TemporaryFolder::Make(), hidden = TemporaryFolder::Make(),
       writable = TemporaryFolder::Make();
  ASSERT_TRUE(readable && hidden && writable);
  std::ofstream(readable->File("a")) << "seen";
  std::ofstream(hidden->File("b")) << "secret";
  ToolRequest request = Script(fmt::format(
      "cat {}; cat {} 2>/dev/null; echo x > {} 2>/dev/null; "
      "echo y > {}; echo z > c; pwd",
      readable->File("a"), hidden->File("b"), readable->File("new"), writable->File("new")));
  request.view = FileView{.readable = {readable->path()}, .writable = writable->path()};
  const auto result = RunTool(request);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output.substr(0, 4), "seen");
  EXPECT_EQ(result->output.find("secret"), std::string::npos);
  EXPECT_THAT(result->output, testing::HasSubstr(writable->path()));
  EXPECT_FALSE(std::filesystem::exists(readable->File("new")));
  EXPECT_TRUE(std::filesystem::exists(writable->File("new")));
  EXPECT_TRUE(std::filesystem::exists(writable->File("c")));
}

// Processes end while they are looked at.
TEST(RunTool, MemoryOfProcessesThatEnd) {
  for (int round = 0; round < 300; ++round) {
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) _exit(0);
    std::thread reaper([child] { waitpid(child, nullptr, 0); });
    while (kill(child, 0) == 0) MemoryInUse(child);
    reaper.join();
    EXPECT_EQ(MemoryInUse(child), 0u);
  }
}

// Also those that this process ignores or blocks end a tool.
TEST(RunTool, StartsWithNoSignalIgnored) {
  const auto before = signal(SIGUSR2, SIG_IGN);
  const auto result = RunTool({"grep", "^Sig[BI][lg][kn]", "/proc/self/status"}, 20);
  signal(SIGUSR2, before);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(TemporaryFolderTest, RemovesItsContent) {
  std::string path;
  {
    const auto folder = TemporaryFolder::Make();
    ASSERT_TRUE(folder);
    path = folder->path();
    std::filesystem::create_directories(folder->File("deep/er"));
    std::ofstream(folder->File("deep/er/file")) << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

// By the handler, in a copy of this process, which has folders in it.
TEST(TemporaryFolderTest, IsRemovedAtASignal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t program = fork();
  if (program == 0) {
    signal(SIGTERM, SIG_DFL);
    const auto folder = TemporaryFolder::Make();
    std::filesystem::create_directories(folder->File("deep/er"));
    for (int i = 0; i < 300; ++i) std::ofstream(folder->File(fmt::format("deep/file{}", i))) << i;
    const std::string& path = folder->path();
    if (write(ends[1], path.data(), path.size()) > 0) raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  waitpid(program, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  char path[4096] = {};
  ASSERT_GT(read(ends[0], path, sizeof path - 1), 0);
  EXPECT_FALSE(std::filesystem::exists(path)) << path;
  close(ends[0]);
  close(ends[1]);
}

// Programs that start at the same time, each of which looks for folders that were left behind.
TEST(TemporaryFolderTest, IsNotAbandonedWhileItIsMade) {
  const auto make = [] {
    const auto folder = TemporaryFolder::Make();
    if (!folder || !(std::ofstream(folder->File("file")) << "x").flush()) return 1;
    return std::filesystem::exists(folder->File("lock")) ? 0 : 2;
  };
  for (int round = 0; round < 100; ++round) {
    std::vector<pid_t> programs;
    for (int i = 0; i < 8; ++i) {
      programs.push_back(fork());
      ASSERT_GE(programs.back(), 0);
      if (programs.back() == 0) _exit(make());
    }
    for (const pid_t program : programs) {
      int status = 0;
      waitpid(program, &status, 0);
      ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace assay::base
