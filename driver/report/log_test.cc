// A log loses nothing that was told, whatever becomes of its process, and does not grow without
// bound.
#include "driver/report/log.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "driver/report/frames.h"
#include "driver/report/read.h"

namespace assay::driver {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class LogTest : public testing::Test {
 protected:
  LogTest() {
    std::string pattern = fs::temp_directory_path() / "log_test-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~LogTest() override { fs::remove_all(folder_); }

  Settings InFolder() const {
    Settings settings;
    settings.report_folder = folder_;
    return settings;
  }
  std::vector<ProcessLog> Logs() const {
    auto logs = ReadLogs(folder_);
    EXPECT_TRUE(logs) << logs.error().message;
    return logs ? *logs : std::vector<ProcessLog>();
  }
  std::uintmax_t Bytes() const {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) bytes += entry.file_size();
    }
    return bytes;
  }

  std::string folder_;
};

ApiFinding Call(std::uint64_t place, interp::Rule rule = interp::Rule::kHostOverRelease) {
  return {.rule = rule,
          .call = "clReleaseMemObject",
          .code = "CL_INVALID_MEM_OBJECT",
          .message = "the buffer was released before",
          .remedy = "remove it",
          .frames = {{"/bin/app", place, "main"}},
          .history = {"created here: app.c:3"},
          .related = {{"buffer 3 was created",
                       {{.function = "main", .file = "/home/me/app.py", .line = 8}}}}};
}

// Runs the function in a child, which it is to end itself; gives its status.
int InChild(const std::function<void()>& function) {
  const pid_t child = fork();
  if (child == 0) {
    function();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(LogTest, ANameThatIsNotThereIsToldOnceAndAtOnce) {
  EXPECT_EQ(InChild([this] {
              Log log(InFolder());
              log.TellMissing("clFirst");
              log.TellMissing("clSecond");
              log.TellMissing("clFirst");
              std::abort();
            }),
            SIGABRT);
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_THAT(logs[0].missing, ElementsAre("clFirst", "clSecond"));
}

TEST_F(LogTest, WhatIsToldIsReadBack) {
  Log log(InFolder());
  log.Tell(Call(0x40));
  interp::Finding finding(interp::Rule::kMemoryNull);
  finding.message = "load through null";
  finding.source = "k.cl:2:3";
  finding.instruction = "%1 = OpLoad";
  finding.place = {.instruction = 7, .calls = {1, 2}};
  finding.global_id = {1, 2, 3};
  finding.group_id = {4, 5, 6};
  finding.object = "buffer 'x'";
  finding.history = {"allocated here"};
  finding.count = 5;
  finding.after_undefined_behavior = true;
  const std::vector<interp::Finding> findings = {finding};
  const std::vector<ProgramSource> sources = {{"k.cl", "kernel void k() {}\n"}};
  LaunchFindings launch{.kernel = "k",
                        .launch = 3,
                        .program = "program 1",
                        .sources = sources,
                        .findings = findings,
                        .end = interp::LaunchEnd::kTimeLimit,
                        .message = "too long",
                        .frames = {{"/bin/app", 9, ""}},
                        .job = "/tmp/job.json"};
  log.Tell(launch);
  log.Tell(launch);
  log.TellEnd({.calls = 10, .launches = 2});
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 1u);
  const ProcessLog& process = logs[0];
  EXPECT_EQ(process.pid, static_cast<std::uint64_t>(getpid()));
  EXPECT_EQ(process.program, fs::read_symlink("/proc/self/exe"));
  EXPECT_FALSE(process.arguments.empty());
  EXPECT_EQ(process.folder, fs::current_path());
  EXPECT_EQ(process.damaged_lines, 0u);
  ASSERT_EQ(process.calls.size(), 1u);
  const ApiFinding& call = process.calls[0].finding;
  EXPECT_EQ(call.rule, interp::Rule::kHostOverRelease);
  EXPECT_EQ(call.call, "clReleaseMemObject");
  EXPECT_EQ(call.code, "CL_INVALID_MEM_OBJECT");
  EXPECT_EQ(call.message, "the buffer was released before");
  EXPECT_EQ(call.remedy, "remove it");
  EXPECT_EQ(call.frames, Call(0x40).frames);
  EXPECT_THAT(call.history, ElementsAre("created here: app.c:3"));
  ASSERT_EQ(call.related.size(), 1u);
  EXPECT_EQ(call.related[0].what, "buffer 3 was created");
  EXPECT_EQ(call.related[0].frames, Call(0x40).related[0].frames);
  ASSERT_EQ(process.findings.size(), 1u);
  const LoggedFinding& read = process.findings[0];
  EXPECT_EQ(read.finding.rule, finding.rule);
  EXPECT_EQ(read.finding.finding_class, finding.finding_class);
  EXPECT_EQ(read.finding.message, finding.message);
  EXPECT_EQ(read.finding.source, finding.source);
  EXPECT_EQ(read.finding.instruction, finding.instruction);
  EXPECT_EQ(read.finding.place.instruction, 7u);
  EXPECT_EQ(read.finding.place.calls, finding.place.calls);
  EXPECT_EQ(read.finding.global_id, finding.global_id);
  EXPECT_EQ(read.finding.group_id, finding.group_id);
  EXPECT_EQ(read.finding.object, finding.object);
  EXPECT_EQ(read.finding.history, finding.history);
  EXPECT_EQ(read.finding.count, 10u);
  EXPECT_TRUE(read.finding.after_undefined_behavior);
  EXPECT_EQ(read.launches, 2u);
  EXPECT_EQ(read.launch.kernel, "k");
  EXPECT_EQ(read.launch.launch, 3u);
  EXPECT_EQ(read.launch.job, "/tmp/job.json");
  EXPECT_EQ(read.launch.frames, launch.frames);
  const std::string digest = process.sources.at({"k.cl", "program 1"});
  EXPECT_EQ(ReadSource(folder_, digest), sources[0].text);
  EXPECT_EQ(ReadSource(folder_, "../" + digest), "");
  ASSERT_EQ(process.ends.size(), 1u);
  EXPECT_EQ(process.ends[0].end, "time-limit");
  EXPECT_EQ(process.ends[0].launches, 2u);
  ASSERT_TRUE(process.end);
  EXPECT_EQ(process.end->calls, 10u);
  EXPECT_EQ(process.end->launches, 2u);
}

TEST_F(LogTest, ThreadsLoseNothing) {
  constexpr std::uint64_t kThreads = 8, kPlaces = 50, kTimes = 40;
  {
    Log log(InFolder());
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (std::uint64_t i = 0; i < kPlaces * kTimes; ++i) log.Tell(Call(i % kPlaces));
      });
    }
    threads.clear();
    log.TellEnd({});
  }
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].damaged_lines, 0u);
  ASSERT_EQ(logs[0].calls.size(), kPlaces);
  for (const auto& call : logs[0].calls) EXPECT_EQ(call.count, kThreads * kTimes);
}

TEST_F(LogTest, AKilledProcessLosesNoFinding) {
  const int status = InChild([&] {
    Log log(InFolder());
    for (std::uint64_t i = 0; i < 20; ++i) log.Tell(Call(i));
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].calls.size(), 20u);
  EXPECT_FALSE(logs[0].end);
}

TEST_F(LogTest, AForkedProcessHasItsOwnFileAndNoneWithoutAFinding) {
  Log log(InFolder());
  log.Tell(Call(1));
  EXPECT_EQ(InChild([&] {
              log.Tell(Call(1));
              log.TellEnd({.calls = 7});
            }),
            0);
  EXPECT_EQ(InChild([&] { log.TellEnd({.calls = 9}); }), 0);
  log.TellEnd({.calls = 1});
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_NE(logs[0].pid, logs[1].pid);
  EXPECT_EQ(logs[1].parent, logs[0].pid);
  for (const ProcessLog& one : logs) {
    ASSERT_EQ(one.calls.size(), 1u);
    EXPECT_EQ(one.calls[0].count, 1u);
    ASSERT_TRUE(one.end);
  }
  EXPECT_EQ(logs[0].end->calls, 1u);
  EXPECT_EQ(logs[1].end->calls, 7u);
}

TEST_F(LogTest, AForkWhileThreadsTellDoesNotHang) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "GCC 12's AddressSanitizer forks with its allocator's locks as they are, so a child "
         "waits forever for one that another thread held";
#endif
  Log log(InFolder());
  std::atomic<bool> stop = false;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; !stop; ++i) log.Tell(Call(i % 100));
    });
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(InChild([&] {
                alarm(20);
                log.Tell(Call(1000));
              }),
              0);
  }
  stop = true;
  threads.clear();
  EXPECT_EQ(Logs().size(), 21u);
}

TEST_F(LogTest, AMillionEqualFindingsAreALineAndACount) {
  constexpr std::uint64_t kCount = 1'000'000;
  Log log(InFolder());
  for (std::uint64_t i = 0; i < kCount; ++i) log.Tell(Call(1));
  log.TellEnd({});
  const auto logs = Logs();
  ASSERT_EQ(logs[0].calls.size(), 1u);
  EXPECT_EQ(logs[0].calls[0].count, kCount);
  EXPECT_LT(Bytes(), 20'000u);
}

TEST_F(LogTest, ManyDifferentFindingsAreKeptUpToANumberAndCounted) {
  Settings settings = InFolder();
  settings.keep_findings = 10;
  Log log(settings);
  for (std::uint64_t i = 0; i < 5000; ++i) log.Tell(Call(i));
  log.Tell(Call(6000, interp::Rule::kHostLeak));
  log.TellEnd({});
  const auto logs = Logs();
  EXPECT_EQ(logs[0].calls.size(), 10u);
  EXPECT_EQ(logs[0].left_out.at("host-over-release"), 4990u);
  EXPECT_EQ(logs[0].left_out.at("host-leak"), 1u);
  EXPECT_LT(Bytes(), 20'000u);
}

TEST_F(LogTest, CountsOfAProcessThatIsKilledLaterAreWrittenNowAndThen) {
  const int status = InChild([&] {
    Log log(InFolder());
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
    while (std::chrono::steady_clock::now() < end) {
      log.Tell(Call(1));
      usleep(1000);
    }
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_GT(Logs()[0].calls[0].count, 1u);
}

TEST_F(LogTest, DescriptorsOfTheApplicationAreItsOwn) {
  const std::string other = folder_ + "/other";
  EXPECT_EQ(InChild([&] {
              Log log(InFolder());
              log.Tell(Call(1));
              for (int i = 3; i < 1024; ++i) close(i);
              for (int i = 0; i < 64; ++i) open(other.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
              errno = ETIMEDOUT;
              log.Tell(Call(2));
              log.TellEnd({});
              _exit(errno == ETIMEDOUT ? 0 : 1);
            }),
            0);
  EXPECT_EQ(fs::file_size(other), 0u);
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].calls.size(), 2u);
}

TEST_F(LogTest, AFileSizeLimitDoesNotEndTheApplication) {
  EXPECT_EQ(InChild([&] {
              const int null = open("/dev/null", O_WRONLY);
              dup2(null, STDERR_FILENO);
              const rlimit none{2000, 2000};
              setrlimit(RLIMIT_FSIZE, &none);
              Log log(InFolder());
              for (std::uint64_t i = 0; i < 100; ++i) log.Tell(Call(i));
            }),
            0);
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_GT(logs[0].calls.size(), 0u);
}

// What a child that runs `function` writes on stderr.
std::string StderrOf(const std::function<void()>& function) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    function();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

TEST_F(LogTest, WithoutAFolderTheFirstFindingsAreText) {
  const std::string text = StderrOf([] {
    Log log{Settings()};
    for (std::uint64_t i = 0; i < 500; ++i) log.Tell(Call(i / 5));
    log.TellEnd({});
  });
  EXPECT_THAT(text, HasSubstr("assay: error[host-over-release]: clReleaseMemObject: the buffer was "
                              "released before\n  = returned CL_INVALID_MEM_OBJECT\n"));
  EXPECT_THAT(text, HasSubstr("/bin/app(main+0x13)"));
  EXPECT_EQ(text.find("main+0x14"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("more findings are not shown"));
}

TEST_F(LogTest, WhereTheFolderIsGoneTheFindingsAreText) {
  Settings settings = InFolder();
  settings.report_folder += "/gone";
  const std::string text = StderrOf([&] {
    Log log(settings);
    log.Tell(Call(1));
  });
  EXPECT_THAT(text, HasSubstr("cannot write the findings of process "));
  EXPECT_THAT(text, HasSubstr("error[host-over-release]"));
}

TEST_F(LogTest, WithoutChecksNothingIsTold) {
  Settings settings = InFolder();
  settings.checks = false;
  Log log(settings);
  EXPECT_FALSE(log.IsOn());
  log.Tell(Call(1));
  const auto logs = Logs();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_FALSE(logs[0].checks);
  EXPECT_TRUE(logs[0].calls.empty());
}

TEST_F(LogTest, DamagedLinesAreCountedAndLeftOut) {
  {
    Log log(InFolder());
    log.Tell(Call(1));
    log.TellEnd({});
  }
  const fs::path path = fs::directory_iterator(folder_)->path();
  std::ofstream(path, std::ios::app)
      << "{\"type\":\"api\",\"rule\":\"no-rule\"}\n[1]\n{\"type\":\"counts\",\"counts\":[[1]]}\n"
         "{\"type\":\"api\",\"rule\":\"host-leak\",\"frames\":7,\"call\":[],\"id\":-1}\n{\"type\":";
  const auto logs = Logs();
  EXPECT_EQ(logs[0].damaged_lines, 4u);
  ASSERT_EQ(logs[0].calls.size(), 2u);
  EXPECT_EQ(logs[0].calls[1].finding.call, "");
}

TEST(FramesTest, LoadersOfPackagesAreLoaders) {
  for (const char* path : {"/usr/lib/libOpenCL.so", "/usr/lib/libOpenCL.so.1.0.0",
                           "/x/pyopencl.libs/libOpenCL-6a1b2c3d.so.1.0.0"}) {
    EXPECT_TRUE(IsLoader(path)) << path;
  }
  for (const char* path : {"", "/usr/lib/libOpenCLUtils.so", "/usr/lib/libOpenCL-tools/libx.so",
                           "/bin/libOpenCL", "/usr/lib/libx.so"}) {
    EXPECT_FALSE(IsLoader(path)) << path;
  }
}

TEST(FramesTest, TheCallerIsInTheProgram) {
  const auto frames = CaptureFrames();
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].module, fs::read_symlink("/proc/self/exe"));
  EXPECT_LE(frames.size(), static_cast<std::size_t>(kMaxFrames));
}

TEST(FramesTest, AnAddressBehindAFunctionIsNotInIt) {
  auto* exported = static_cast<char*>(dlsym(RTLD_DEFAULT, "strtoul"));
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  ASSERT_NE(dladdr1(exported, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)),
                    RTLD_DL_SYMENT),
            0);
  CallStack stack;
  stack.count = 2;
  stack.addresses[0] = exported + symbol->st_size;  // the last byte, as the address of a call
  stack.addresses[1] = exported + symbol->st_size + 1;
  const auto frames = FramesOf(stack);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_NE(frames[0].function, "");
  EXPECT_NE(frames[1].function, frames[0].function);
}

}  // namespace
}  // namespace assay::driver
