#include "frontend/run_tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace assay::frontend {
namespace {

using Clock = std::chrono::steady_clock;

// The reading end of a child's output, and the child with everything that it started.
class Child {
 public:
  Child(pid_t pid, int output) : pid_(pid), output_(output) {}
  ~Child() {
    close(output_);
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      Wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Reads until every holder of the writing end has closed it; false at the deadline.
  bool ReadAll(Clock::time_point deadline, std::size_t max_output, std::string* text) {
    char chunk[65536];
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0) return false;
      pollfd waiting = {output_, POLLIN, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
      if (ready < 0 && errno != EINTR) return false;
      if (ready <= 0) continue;
      const ssize_t count = read(output_, chunk, sizeof chunk);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return true;
      const std::size_t room = max_output - std::min(max_output, text->size());
      text->append(chunk, std::min(room, static_cast<std::size_t>(count)));
    }
  }

  // A program that closed its output ends soon, or is ended.
  int Finish(Clock::time_point deadline) {
    int status = 0;
    for (;;) {
      const pid_t ended = waitpid(pid_, &status, WNOHANG);
      if (ended == pid_ || (ended < 0 && errno != EINTR)) break;
      if (Clock::now() > deadline) {
        kill(-pid_, SIGKILL);
        status = Wait();
        break;
      }
      const timespec pause = {0, 1'000'000};
      nanosleep(&pause, nullptr);
    }
    kill(-pid_, SIGKILL);  // what it may have left behind
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int Wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  pid_t pid_;
  int output_;
};

// posix_spawn's two sets of attributes.
struct SpawnSetup {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  explicit SpawnSetup(int output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

std::string ErrnoText(int code) { return std::generic_category().message(code); }

}  // namespace

Expected<ToolResult> RunTool(const std::vector<std::string>& argv, double seconds,
                             std::size_t max_output) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    return Fail(ErrorKind::kDevice, fmt::format("{}: no pipe: {}", argv[0], ErrnoText(errno)));
  }
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  int failure;
  {
    const SpawnSetup setup(pipe_ends[1]);
    failure = posix_spawnp(&pid, arguments[0], &setup.actions, &setup.attributes, arguments.data(),
                           environ);
  }
  close(pipe_ends[1]);
  if (failure != 0) {
    close(pipe_ends[0]);
    return Fail(failure == ENOENT ? ErrorKind::kUsage : ErrorKind::kDevice,
                fmt::format("{}: cannot be started: {}", argv[0], ErrnoText(failure)));
  }
  Child child(pid, pipe_ends[0]);
  const auto deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  ToolResult result;
  if (!child.ReadAll(deadline, max_output, &result.output)) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: still running after {} s, ended", argv[0], seconds));
  }
  result.exit_status = child.Finish(deadline);
  return result;
}

std::string FindProgram(const std::string& name) {
  if (name.find('/') != name.npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (end != 0 && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

Expected<TemporaryFolder> TemporaryFolder::Make() {
  const char* base = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/assay-XXXXXX", base == nullptr || *base == 0 ? "/tmp" : base);
  if (mkdtemp(path.data()) == nullptr) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: no temporary folder can be made: {}", path, ErrnoText(errno)));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace assay::frontend
