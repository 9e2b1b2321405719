#include "base/run_tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/limits.h"

namespace assay::base {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kWatch = std::chrono::milliseconds(50);  // how late a limit may be noticed

std::string ErrnoText(int code) { return std::generic_category().message(code); }

enum class Outcome : std::uint8_t { kEnded, kTime, kMemory, kStopped };

// The reading end of a child's output, and the child with everything that it started.
class Child {
 public:
  Child(pid_t pid, int output) : pid_(pid), output_(output), leftover_(pid) {}
  ~Child() {
    close(output_);
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      Wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Reads until every holder of the writing end has closed it, and the program has ended.
  Outcome Finish(const ResourceLimits& limits, std::size_t max_output, ToolResult* result) {
    const auto start = Clock::now();
    auto watched = start;
    bool reading = true;
    for (;;) {
      if (reading) reading = Read(max_output, &result->output);
      if (!reading && HasEnded()) break;
      const auto now = Clock::now();
      if (limits.seconds > 0 && now - start > std::chrono::duration<double>(limits.seconds)) {
        return Outcome::kTime;
      }
      if (limits.stop != nullptr && limits.stop->load()) return Outcome::kStopped;
      if (now - watched < kWatch) continue;
      watched = now;
      const bool counted = limits.memory_bytes != 0;
      if (counted && MemoryInUse(pid_) > limits.memory_bytes + kToolMemory) return Outcome::kMemory;
    }
    kill(-pid_, SIGKILL);  // what it may have left behind
    pid_ = -1;
    result->exit_status = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    // 1 means errors in the source; their text is untrusted.
    if (result->exit_status <= 1 || limits.memory_bytes == 0) return Outcome::kEnded;
    const auto peak = static_cast<std::uint64_t>(usage_.ru_maxrss) << 10;
    const bool full = peak + peak / 8 > limits.memory_bytes + kToolMemory;
    return full || SaysNoMemory(result->output) ? Outcome::kMemory : Outcome::kEnded;
  }

 private:
  // False at the end of the output.  Waits for a moment where there is none.
  bool Read(std::size_t max_output, std::string* text) {
    char chunk[65536];
    pollfd waiting = {output_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(kWatch.count())) <= 0) return true;
    const ssize_t count = read(output_, chunk, sizeof chunk);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (count <= 0) return false;
    const std::size_t room = max_output - std::min(max_output, text->size());
    text->append(chunk, std::min(room, static_cast<std::size_t>(count)));
    return true;
  }

  bool HasEnded() {
    const pid_t ended = wait4(pid_, &status_, WNOHANG, &usage_);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) return true;
    const timespec pause = {0, 500'000};
    nanosleep(&pause, nullptr);
    return false;
  }

  void Wait() {
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  pid_t pid_;
  int output_;
  int status_ = 0;
  rusage usage_ = {};
  Leftover leftover_;
};

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Start {
  char* const* argv;
  char* const* environment;
  const Confinement* confinement;  // null: none
  const ResourceLimits* limits;
  pid_t parent;
  int output, report;
};

// Runs in the new process before exec, in the memory of this one: makes only async-signal-safe
// calls, and changes nothing but errno.
[[noreturn]] void BecomeTool(const Start& start) {
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(start.output, STDOUT_FILENO);
  dup2(start.output, STDERR_FILENO);
  errno = 0;
  const bool good = LimitThisProcess(*start.limits, start.parent) &&
                    (start.confinement == nullptr || start.confinement->Enter());
  if (good) execve(start.argv[0], start.argv, start.environment);
  const int code = errno;
  [[maybe_unused]] const ssize_t written = write(start.report, &code, sizeof code);
  _exit(127);
}

// Not fork(): that copies the page tables of this process, which has large memory.  No handler of
// this process runs in the new one.
pid_t StartTool(const Start& start) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = vfork();
  if (pid == 0) BecomeTool(start);
  const int code = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = code;
  return pid;
}

struct Pipe {
  int read = -1, write = -1;
  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  ~Pipe() {
    CloseWrite();
    if (read >= 0) close(read);
  }
  void CloseWrite() {
    if (write >= 0) close(write);
    write = -1;
  }
};

tl::unexpected<Error> Ended(Outcome outcome, const std::string& name,
                            const ResourceLimits& limits) {
  switch (outcome) {
    case Outcome::kTime:
      return Fail(ErrorKind::kDevice,
                  fmt::format("{} reached the time limit (--timeout) after {:.3g} s", name,
                              limits.seconds));
    case Outcome::kMemory:
      return Fail(ErrorKind::kDevice,
                  fmt::format("{} reached the memory limit of {} (--max-memory)", name,
                              FormatBytes(limits.memory_bytes)));
    case Outcome::kEnded:
    case Outcome::kStopped:
      break;
  }
  return Fail(ErrorKind::kDevice,
              fmt::format("{} was ended, because the run was interrupted", name));
}

}  // namespace

Expected<ToolResult> RunTool(const ToolRequest& request) {
  const std::string& name = request.argv[0];
  const auto failed = [&](std::string_view what, int code) {
    return Fail(code == ENOENT ? ErrorKind::kUsage : ErrorKind::kDevice,
                fmt::format("{}: {}: {}", name, what, ErrnoText(code)));
  };
  std::vector<std::string> argv = request.argv;
  argv[0] = FindProgram(name);
  if (argv[0].empty()) return failed("cannot be started", ENOENT);
  std::optional<Confinement> confinement;
  if (request.view) confinement.emplace(argv, *request.view, BestWall());
  const std::vector<char*> arguments = Pointers(confinement ? confinement->argv() : argv);
  const std::vector<char*> environment =
      confinement ? Pointers(confinement->environment()) : std::vector<char*>();
  Pipe output, report;
  if (!output.Open() || !report.Open()) return failed("no pipe", errno);
  const Start start = {.argv = arguments.data(),
                       .environment = confinement ? environment.data() : environ,
                       .confinement = confinement ? &*confinement : nullptr,
                       .limits = &request.limits,
                       .parent = getpid(),
                       .output = output.write,
                       .report = report.write};
  const pid_t pid = StartTool(start);
  if (pid < 0) return failed("cannot be started", errno);
  Child child(pid, std::exchange(output.read, -1));
  output.CloseWrite();
  report.CloseWrite();
  int code = 0;
  ssize_t got = 0;
  while ((got = read(report.read, &code, sizeof code)) < 0 && errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof code)) return failed("cannot be started", code);
  ToolResult result;
  const Outcome outcome = child.Finish(request.limits, request.max_output, &result);
  if (outcome != Outcome::kEnded) return Ended(outcome, name, request.limits);
  return result;
}

Expected<ToolResult> RunTool(const std::vector<std::string>& argv, double seconds,
                             std::size_t max_output) {
  return RunTool(
      {.argv = argv, .limits = {.seconds = seconds}, .view = {}, .max_output = max_output});
}

bool SaysNoMemory(std::string_view output) {
  return output.find("out of memory") != std::string_view::npos ||
         output.find("bad_alloc") != std::string_view::npos ||
         output.find("Allocation failed") != std::string_view::npos;
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

}  // namespace assay::base
