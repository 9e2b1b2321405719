#include "base/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace assay::base {
namespace {

using testing::HasSubstr;

std::unique_ptr<Process> Shell(const std::string& script, int inherited = -1) {
  auto process = Process::Start({"/bin/sh", "-c", script}, "script", inherited);
  EXPECT_TRUE(process) << process.error().message;
  return process ? std::move(*process) : nullptr;
}

TEST(ProcessTest, EchoesLines) {
  auto cat = Shell("cat");
  cat->Queue("first\r\nsecond\n");
  EXPECT_EQ(*cat->ReadLine(10), "first");
  EXPECT_EQ(*cat->ReadLine(10), "second");
}

TEST(ProcessTest, StreamsMoreThanThePipesHold) {
  auto cat = Shell("cat");
  std::string data(std::size_t{24} << 20, 'x');
  for (std::size_t i = 0; i < data.size(); i += 1000) data[i] = static_cast<char>(i / 1000);
  cat->Queue(data);
  std::string back(data.size(), '\0');
  ASSERT_TRUE(cat->Read(back.data(), back.size(), 10));
  EXPECT_EQ(back, data);
}

TEST(ProcessTest, NamesTheSignalAndTheLastWords) {
  auto child = Shell("echo something broke >&2; kill -SEGV $$");
  const auto line = child->ReadLine(10);
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(line.error().message, HasSubstr("was killed by signal 11"));
  EXPECT_THAT(line.error().message, HasSubstr("something broke"));
  EXPECT_FALSE(child->Alive());
  // Later exchanges repeat it.
  EXPECT_THAT(child->Write("x", 10).error().message, HasSubstr("signal 11"));
}

TEST(ProcessTest, NamesTheExitStatus) {
  auto child = Shell("exit 7");
  EXPECT_THAT(child->ReadLine(10).error().message, HasSubstr("ended with exit status 7"));
  EXPECT_EQ(child->ExitStatus(), 7);
}

TEST(ProcessTest, KillsAChildThatHangs) {
  auto child = Shell("sleep 1000");
  const auto begin = std::chrono::steady_clock::now();
  const auto line = child->ReadLine(0.2);
  EXPECT_THAT(line.error().message, HasSubstr("did not answer within 0.2 s"));
  EXPECT_FALSE(child->Alive());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(ProcessTest, KillsProcessesThatTheChildStarted) {
  // A grandchild that outlives its shell would keep the descriptor, and this read, waiting.
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  auto child = Shell("sleep 1000 & echo started; wait", ends[1]);
  close(ends[1]);
  ASSERT_EQ(*child->ReadLine(10), "started");
  child.reset();
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(ProcessTest, SlowIsNotHung) {
  auto child = Shell("for i in 1 2 3 4 5; do sleep 0.2; printf x; done; echo");
  EXPECT_EQ(*child->ReadLine(0.8), "xxxxx");
}

TEST(ProcessTest, SurvivesAChildThatDoesNotRead) {
  auto child = Shell("exec <&-; echo closed; sleep 0.2; exit 3");
  ASSERT_EQ(*child->ReadLine(10), "closed");
  const auto written = child->Write(std::string(std::size_t{4} << 20, 'x'), 10);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("exit status 3"));
}

TEST(ProcessTest, RefusesEndlessLines) {
  auto child = Shell("cat /dev/zero");
  EXPECT_THAT(child->ReadLine(10, 1000).error().message, HasSubstr("a line of more than 1000"));
}

TEST(ProcessTest, KeepsTheLastWordsShort) {
  auto child = Shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1");
  const std::string message = child->ReadLine(10).error().message;
  EXPECT_THAT(message, HasSubstr("line 2999"));
  EXPECT_LT(message.size(), 6000u);
}

TEST(ProcessTest, InheritsOneDescriptor) {
  const int fd = memfd_create("test", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(write(fd, "shared\n", 7), 7);
  lseek(fd, 0, SEEK_SET);
  auto child = Shell("read line <&3; echo $line", fd);
  EXPECT_EQ(*child->ReadLine(10), "shared");
  close(fd);
}

TEST(ProcessTest, NamesAProgramThatDoesNotExist) {
  const auto process = Process::Start({"/nonexistent/program"}, "label");
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(process.error().message, HasSubstr("/nonexistent/program: No such file"));
}

TEST(ProcessTest, OutlivesTheThreadThatStartedIt) {
  std::unique_ptr<Process> cat;
  std::thread([&] { cat = Shell("cat"); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  cat->Queue("still here\n");
  EXPECT_EQ(*cat->ReadLine(10), "still here");
}

// What a thread of a program started ends with the program, though it never looks at its input.
TEST(ProcessTest, EndsWhenTheParentIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t program = fork();
  if (program == 0) {
    close(ends[0]);
    std::unique_ptr<Process> child;
    // It holds the pipe as long as it lives.
    std::thread([&] { child = Shell("exec sleep 600", ends[1]); }).join();
    raise(SIGKILL);
  }
  close(ends[1]);
  waitpid(program, nullptr, 0);
  pollfd ended = {ends[0], POLLIN, 0};
  ASSERT_EQ(poll(&ended, 1, 20'000), 1) << "the child holds the pipe still";
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace assay::base
