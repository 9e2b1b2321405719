#include "driver/build/build_client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "frontend/opencl_c.h"

namespace assay::driver {
namespace {

namespace fs = std::filesystem;
using frontend::BuildAnswer;
using frontend::BuildStatus;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kSmall[] = "kernel void k(global int* p) { p[0] = 1; }\n";

// Takes the compiler some seconds.
std::string SlowSource() {
  std::string source = "#define A0(x) x+x+x+x+x+x+x+x\n";
  for (int i = 1; i < 6; ++i) {
    const std::string number = std::to_string(i), before = std::to_string(i - 1);
    source += "#define A" + number + "(x) A" + before + "(A" + before + "(x))\n";
  }
  return source +
         "kernel void k(global int* p) { p[0] = A2(p[1]) + A2(p[2]) + A2(p[3]) + A2(p[4]); }\n";
}

// A folder with a program of its own name, so that its servers are found among all processes.
class BuildClientTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::DefaultCompiler()) {
      GTEST_SKIP() << "no compiler (./dev setup)";
    }
    std::string name = (fs::path(testing::TempDir()) / "assay-driver-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    program_ = folder_ / "assay";
    fs::create_symlink(ASSAY_BINARY, program_);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ASSAY_PROGRAM");
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  std::vector<pid_t> Servers() const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      // A process may end meanwhile.
      std::string line;
      std::getline(std::ifstream(entry.path() / "cmdline", std::ios::binary), line);
      if (line == program_.string() + '\0' + "build-server" + '\0') {
        found.push_back(std::stoi(name));
      }
    }
    return found;
  }
  bool Await(const std::function<bool()>& condition) const {
    for (int i = 0; i < 1000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  std::string Script(const std::string& text) const {
    const fs::path path = folder_ / "script";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  // Runs in a copy of this process, which it may spoil.  True where `work` answers true there.
  static bool InFork(const std::function<bool()>& work) {
    const pid_t pid = fork();
    if (pid == 0) _exit(work() ? 0 : 1);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  bool Builds() const {
    BuildClient client(program_);
    return client.Build({.source = kSmall}).status == BuildStatus::kSuccess;
  }

  fs::path folder_;
  fs::path program_;
};

TEST_F(BuildClientTest, OneServerAnswersManyRequestsAndEndsWithTheClient) {
  {
    BuildClient client(program_);
    const BuildAnswer first = client.Build({.source = kSmall});
    ASSERT_EQ(first.status, BuildStatus::kSuccess) << first.log;
    EXPECT_FALSE(first.from_cache);
    const BuildAnswer second = client.Build({.source = kSmall});
    EXPECT_TRUE(second.from_cache);
    EXPECT_EQ(first.words, second.words);
    const BuildAnswer compiled = client.Compile({.source = "int f(int x) { return x; }\n"});
    EXPECT_EQ(compiled.status, BuildStatus::kSuccess) << compiled.log;
    EXPECT_EQ(client.Link({.modules = {first.words, compiled.words}}).status,
              BuildStatus::kSuccess);
    const std::string bytes(reinterpret_cast<const char*>(first.words.data()),
                            first.words.size() * sizeof(frontend::Word));
    EXPECT_EQ(client.CheckIl({.bytes = bytes}).status, BuildStatus::kSuccess);
    EXPECT_EQ(client.Build({.source = "nonsense"}).status, BuildStatus::kFailure);
    EXPECT_EQ(client.Build({.source = "", .options = "-nonsense"}).status,
              BuildStatus::kInvalidOptions);
    EXPECT_EQ(Servers().size(), 1u);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "the application has no child of ours";
    EXPECT_EQ(errno, ECHILD);
  }
  EXPECT_TRUE(Await([&] { return Servers().empty(); }));
}

TEST_F(BuildClientTest, EightThreadsHaveFourServers) {
  BuildClient client(program_);
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 2; ++j) {
        const std::string value = std::to_string(i * 10 + j);
        const BuildAnswer answer = client.Build({.source = kSmall, .options = "-DVALUE=" + value});
        good += answer.status == BuildStatus::kSuccess ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 16);
  EXPECT_LE(Servers().size(), 4u);
}

TEST_F(BuildClientTest, ASourceOfAMebibyte) {
  std::string source = kSmall;
  for (int i = 0; source.size() < std::size_t{1} << 20; ++i) {
    source += "/* a comment as long as comments are */ int f" + std::to_string(i) + "(int x);\n";
  }
  BuildClient client(program_);
  const BuildAnswer answer = client.Build({.source = source});
  EXPECT_EQ(answer.status, BuildStatus::kSuccess) << answer.log.substr(0, 1000);
}

TEST_F(BuildClientTest, AServerThatIsKilledIsStartedAgain) {
  BuildClient client(program_);
  ASSERT_EQ(client.Build({.source = kSmall}).status, BuildStatus::kSuccess);
  for (const pid_t server : Servers()) kill(server, SIGKILL);
  EXPECT_EQ(client.Build({.source = kSmall}).status, BuildStatus::kSuccess);
}

TEST_F(BuildClientTest, KilledInARequestOnceAndTwice) {
  for (const int kills : {1, 2}) {
    ASSERT_TRUE(Await([&] { return Servers().empty(); })) << "those of the round before";
    BuildClient client(program_);
    BuildAnswer answer;
    std::thread asking([&] {
      answer = client.Build({.source = SlowSource(), .options = "-DN=" + std::to_string(kills)});
    });
    std::vector<pid_t> killed;
    EXPECT_TRUE(Await([&] {
      for (const pid_t server : Servers()) {
        // The intermediate process has the same name and ends by itself.
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        if (kill(server, 0) != 0 || std::ranges::find(killed, server) != killed.end()) continue;
        kill(server, SIGKILL);
        killed.push_back(server);
        break;
      }
      return killed.size() == static_cast<std::size_t>(kills);
    }));
    asking.join();
    if (kills == 1) {
      EXPECT_EQ(answer.status, BuildStatus::kSuccess) << answer.log;
    } else {
      EXPECT_EQ(answer.status, BuildStatus::kFailure);
      EXPECT_THAT(answer.log, HasSubstr("the build server ended twice"));
    }
  }
}

TEST_F(BuildClientTest, TheServerEndsWithAnApplicationThatIsKilledInARequest) {
  const pid_t application = fork();
  if (application == 0) {
    BuildClient client(program_);
    client.Build({.source = SlowSource()});
    _exit(0);
  }
  ASSERT_TRUE(Await([&] { return !Servers().empty(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(application, SIGKILL);
  waitpid(application, nullptr, 0);
  EXPECT_TRUE(Await([&] { return Servers().empty(); }));
}

TEST_F(BuildClientTest, AForkOfTheApplicationHasServersOfItsOwn) {
  BuildClient client(program_);
  ASSERT_EQ(client.Build({.source = kSmall}).status, BuildStatus::kSuccess);
  EXPECT_TRUE(
      InFork([&] { return client.Build({.source = kSmall}).status == BuildStatus::kSuccess; }));
  EXPECT_EQ(client.Build({.source = kSmall}).status, BuildStatus::kSuccess);
}

TEST_F(BuildClientTest, TheApplicationsSignalsDoNotMatter) {
  EXPECT_TRUE(InFork([&] {
    signal(SIGCHLD, SIG_IGN);
    return Builds();
  })) << "ignored";
  EXPECT_TRUE(InFork([&] {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      const int saved = errno;
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      errno = saved;
    };
    sigaction(SIGCHLD, &action, nullptr);
    return Builds();
  })) << "reaped by the application";
  EXPECT_TRUE(InFork([&] {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (const int number : {SIGPIPE, SIGTERM, SIGINT, SIGHUP}) signal(number, SIG_IGN);
    return Builds();
  })) << "blocked";
}

TEST_F(BuildClientTest, TheApplicationsEnvironmentDoesNotMatter) {
  EXPECT_TRUE(InFork([&] {
    setenv("LD_PRELOAD", "/nonexistent.so", 1);
    setenv("LD_LIBRARY_PATH", folder_.c_str(), 1);
    setenv("LC_ALL", "tr_TR.UTF-8", 1);
    setenv("OPENCL_LAYERS", "/nonexistent.so", 1);
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    setenv("CPATH", "/nonexistent", 1);
    std::ofstream(folder_ / "libLLVM-15.so.1") << "no library";
    return Builds();
  })) << "variables";
  EXPECT_TRUE(InFork([&] {
    umask(0777);
    return Builds();
  })) << "umask";
  EXPECT_TRUE(InFork([&] {
    const fs::path gone = folder_ / "gone";
    fs::create_directory(gone);
    if (chdir(gone.c_str()) != 0) return false;
    fs::remove(gone);
    return Builds();
  })) << "a folder that is removed";
  EXPECT_TRUE(InFork([&] {
    for (const int descriptor : {0, 1, 2}) close(descriptor);
    return Builds();
  })) << "standard streams that are closed";
}

TEST_F(BuildClientTest, AFullTableOfDescriptorsIsAnErrorAndNoEnd) {
  EXPECT_TRUE(InFork([&] {
    BuildClient client(program_);
    rlimit limit = {64, 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    std::vector<int> taken;
    for (int next = open("/dev/null", O_RDONLY); next >= 0; next = open("/dev/null", O_RDONLY)) {
      taken.push_back(next);
    }
    const BuildAnswer full = client.Build({.source = kSmall});
    if (full.status != BuildStatus::kCompilerNotAvailable ||
        full.log.find("cannot be started: Too many open files") == full.log.npos) {
      return false;
    }
    for (const int descriptor : taken) close(descriptor);
    return client.Build({.source = kSmall}).status == BuildStatus::kSuccess;
  }));
}

TEST_F(BuildClientTest, WhereTheProgramIsLookedFor) {
  setenv("ASSAY_PROGRAM", program_.c_str(), 1);
  EXPECT_EQ(FindBuildProgram().value_or(""), program_.string());
  BuildClient named;
  EXPECT_EQ(named.Build({.source = kSmall}).status, BuildStatus::kSuccess);
  setenv("ASSAY_PROGRAM", "/nonexistent/assay", 1);
  BuildClient missing;
  const BuildAnswer answer = missing.Build({.source = kSmall});
  EXPECT_EQ(answer.status, BuildStatus::kCompilerNotAvailable);
  EXPECT_THAT(answer.log, AllOf(HasSubstr("ASSAY_PROGRAM"), HasSubstr("/nonexistent/assay")));
  unsetenv("ASSAY_PROGRAM");
  EXPECT_EQ(FindBuildProgram().value_or(""), fs::canonical(ASSAY_BINARY).string())
      << "beside the tests";
}

TEST_F(BuildClientTest, ProgramsThatAreNoBuildServer) {
  const auto ask = [](const std::string& program) {
    BuildClient client(program);
    return client.Build({.source = kSmall});
  };
  EXPECT_THAT(ask(Script("exit 1")).log, HasSubstr("the build server ended twice"));
  EXPECT_EQ(ask((folder_ / "nothing").string()).status, BuildStatus::kCompilerNotAvailable);
  EXPECT_EQ(ask(folder_.string()).status, BuildStatus::kCompilerNotAvailable);
}

TEST_F(BuildClientTest, WithoutCompilersTheRemedyIsTold) {
  EXPECT_TRUE(InFork([&] {
    setenv("PATH", folder_.c_str(), 1);
    BuildClient client(program_);
    const BuildAnswer answer = client.Build({.source = kSmall});
    return answer.status == BuildStatus::kCompilerNotAvailable &&
           answer.log.find("apt install clang-15") != answer.log.npos;
  }));
}

}  // namespace
}  // namespace assay::driver
