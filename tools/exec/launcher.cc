#include "tools/exec/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace assay::tools {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

// Of a job: stopping and continuing are the shell's and the kernel's matter, and what a program
// does wrong itself (SIGSEGV) is not sent.
bool IsPassedOn(int number) {
  switch (number) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGABRT:
    case SIGSYS:
    case SIGPIPE:
    case SIGXFSZ:
    case SIGXCPU:
      return false;
    default:
      return true;
  }
}

// The signals that the parent takes while the program runs, and what was before.
struct Signals {
  sigset_t taken{};
  sigset_t mask_before{};
  std::vector<std::pair<int, struct sigaction>> actions_before;

  Signals() {
    sigemptyset(&taken);
    for (int number = 1; number <= SIGRTMAX; ++number) {
      struct sigaction before {};
      if (sigaction(number, nullptr, &before) != 0) continue;  // the C library's own
      if (number != SIGCHLD && !IsPassedOn(number)) continue;
      actions_before.emplace_back(number, before);
      sigaddset(&taken, number);
    }
    // Ignored by whoever started this: then the ends of children could not be waited for.
    signal(SIGCHLD, SIG_DFL);
    pthread_sigmask(SIG_BLOCK, &taken, &mask_before);
  }
  ~Signals() {
    // A Ctrl-C that ended the program must not end this one before its report.
    const timespec now{};
    while (sigtimedwait(&taken, nullptr, &now) > 0) {
    }
    Restore();
    pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  void Restore() const {
    for (const auto& [number, action] : actions_before) sigaction(number, &action, nullptr);
  }

  // Between fork and exec: no handler of this program may run there.
  void BecomeTheProgram() const {
    for (const auto& [number, action] : actions_before) {
      signal(number, action.sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL);
    }
    signal(SIGXFSZ, SIG_DFL);  // main has a handler for it
    pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
  }
};

void SetVariables(const Program& program) {
  for (const std::string& name : program.unset_variables) unsetenv(name.c_str());
  for (const auto& [name, value] : program.set_variables) setenv(name.c_str(), value.c_str(), 1);
}

// In the child.  The parent reads errno from the pipe, which exec closes.
[[noreturn]] void Execute(const Program& program, const Signals& signals, int failure,
                          pid_t parent) {
  // Whoever kills the parent, which cannot prevent it, ends the program.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotFound);
  std::vector<char*> words;
  for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  SetVariables(program);
  signals.BecomeTheProgram();
  execvp(words[0], words.data());
  const int error = errno;
  const ssize_t ignored = write(failure, &error, sizeof error);
  static_cast<void>(ignored);
  _exit(kNotFound);
}

struct Waiting {
  pid_t program = -1;
  std::optional<int> status;  // of the program, once it has ended
};

// Takes the ends of all children that have ended; false where there are no more children.
bool TakeEnds(Waiting* waiting) {
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == 0) return true;
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return false;
    if (ended == waiting->program) waiting->status = status;
  }
}

ProgramEnd EndOf(int status, bool left_others) {
  ProgramEnd end{.left_others = left_others};
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.exit_code = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(status);
  return end;
}

// The processes whose parent this one is.
std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    // "12 (name) S 3 ...": the name may have any characters.
    const std::size_t end = line.rfind(')');
    if (end == std::string::npos || end + 4 > line.size()) continue;
    if (std::atoi(line.c_str() + end + 4) == getpid()) children.push_back(std::stoi(name));
  }
  return children;
}

// Ends the program and all that it started, because nobody waits for them any more.  Children of
// those that end become this process' own.
[[noreturn]] void EndAll(const Program& program) {
  for (std::vector<pid_t> children = Children(); !children.empty(); children = Children()) {
    for (const pid_t child : children) kill(child, SIGKILL);
    for (const pid_t child : children) waitpid(child, nullptr, 0);
  }
  std::string where;
  for (const auto& [variable, what] :
       {std::pair("ASSAY_REPORT_DIR", "reported"), std::pair("ASSAY_CAPTURE_DIR", "captured")}) {
    const auto folder = program.set_variables.find(variable);
    if (folder == program.set_variables.end()) continue;
    where += fmt::format("; what it had {} is in {}", what, folder->second);
  }
  std::fprintf(stderr, "assay: exec was killed, and the program has been ended%s\n", where.c_str());
  _exit(128 + SIGKILL);
}

// `parent` is who waits for this process.
ProgramEnd Wait(pid_t child, const Signals& signals, const Program& program, pid_t parent) {
  Waiting waiting{.program = child};
  bool was_told = false;
  while (TakeEnds(&waiting)) {
    if (getppid() != parent) EndAll(program);
    siginfo_t info{};
    // Once the program has ended, a second is what helpers need to end, too.
    const timespec second{.tv_sec = 1};
    const bool tells = waiting.status && !was_told;
    const int number =
        tells ? sigtimedwait(&signals.taken, &info, &second) : sigwaitinfo(&signals.taken, &info);
    if (getppid() != parent) EndAll(program);
    if (number < 0 && errno == EAGAIN && tells) {
      was_told = true;
      std::fprintf(stderr,
                   "assay: the program has ended; processes that it started still run and are "
                   "waited for (Ctrl-C: report without them)\n");
    }
    if (number <= 0 || number == SIGCHLD) continue;
    if (waiting.status) {
      if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
        return EndOf(*waiting.status, true);
      }
      continue;
    }
    // The terminal sends to all processes of the job.
    if (info.si_code != SI_KERNEL) kill(child, number);
  }
  return EndOf(waiting.status.value_or(0), false);
}

// In a process of its own, that `parent` waits for.
Expected<ProgramEnd> Run(const Program& program, const Signals& signals, pid_t parent,
                         int* not_started) {
  std::array<int, 2> failure{};
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    return Fail(ErrorKind::kDevice, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  // Processes whose parents end become children of this one.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // It is waited for, and not passed on: it also comes where another thread of the parent is still
  // about to end.  Then that thread is the parent, and the signal comes again when it has ended.
  prctl(PR_SET_PDEATHSIG, SIGCHLD);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) Execute(program, signals, failure[1], self);
  const int fork_error = errno;
  close(failure[1]);
  if (child < 0) {
    close(failure[0]);
    return Fail(ErrorKind::kDevice,
                fmt::format("cannot start a process: {}", std::strerror(fork_error)));
  }
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(failure[0], &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  close(failure[0]);
  const ProgramEnd end = Wait(child, signals, program, parent);
  if (got != sizeof error) return end;
  *not_started = error == ENOENT ? kNotFound : kNotExecutable;
  return Fail(ErrorKind::kUsage, fmt::format("cannot run '{}': {}; write the program's path, or a "
                                             "name that PATH has",
                                             program.words[0], std::strerror(error)));
}

// What the process in between tells, as bytes of a pipe; an error's message is behind it.
struct Told {
  ProgramEnd end;
  int not_started = 0;
  bool is_error = false;
  ErrorKind kind{};
};

void Tell(int pipe, const Expected<ProgramEnd>& end, int not_started) {
  const Told told{.end = end ? *end : ProgramEnd(),
                  .not_started = not_started,
                  .is_error = !end,
                  .kind = end ? ErrorKind() : end.error().kind};
  std::string bytes(reinterpret_cast<const char*>(&told), sizeof told);
  if (!end) bytes += end.error().message;
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = write(pipe, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += static_cast<std::size_t>(count);
  }
}

Expected<ProgramEnd> Hear(int pipe, int* not_started) {
  std::string bytes;
  std::array<char, 4096> chunk{};
  while (true) {
    const ssize_t count = read(pipe, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    bytes.append(chunk.data(), static_cast<std::size_t>(count));
  }
  Told told;
  if (bytes.size() < sizeof told) {
    return Fail(ErrorKind::kDevice, "the process that waits for the program has been ended");
  }
  std::memcpy(&told, bytes.data(), sizeof told);
  if (!told.is_error) return told.end;
  *not_started = told.not_started;
  return Fail(told.kind, bytes.substr(sizeof told));
}

}  // namespace

Expected<ProgramEnd> RunProgramBeside(const Program& program, int* not_started,
                                      const std::function<void()>& beside) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return Fail(ErrorKind::kDevice, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  const Signals signals;
  const pid_t self = getpid();
  const pid_t between = fork();
  if (between == 0) {
    // Signals stay blocked to its end: handlers of this program are not the copy's.
    int code = *not_started;
    const Expected<ProgramEnd> end = Run(program, signals, self, &code);
    Tell(pipe[1], end, code);
    _exit(0);
  }
  const int fork_error = errno;
  close(pipe[1]);
  if (between < 0) {
    close(pipe[0]);
    return Fail(ErrorKind::kDevice,
                fmt::format("cannot start a process: {}", std::strerror(fork_error)));
  }
  beside();
  while (true) {
    const pid_t ended = waitpid(between, nullptr, WNOHANG);
    if (ended == between || (ended < 0 && errno != EINTR)) break;
    siginfo_t info{};
    const int number = sigwaitinfo(&signals.taken, &info);
    if (number <= 0 || number == SIGCHLD) continue;
    // The terminal sends to all processes of the job.
    if (info.si_code != SI_KERNEL) kill(between, number);
  }
  auto end = Hear(pipe[0], not_started);
  close(pipe[0]);
  return end;
}

Expected<ProgramEnd> RunProgram(const Program& program, int* not_started) {
  return RunProgramBeside(program, not_started, [] {});
}

}  // namespace assay::tools
