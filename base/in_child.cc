#include "base/in_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>

#include "base/leftovers.h"

namespace assay::base {
namespace {

constexpr int kNoMemory = 3, kThrew = 4;  // the child's exit status
constexpr int kAnswerPollMilliseconds = 5;
constexpr int kPipeBytes = 1 << 20;
constexpr int kMostEndPolls = 100;  // until it is killed
// Address space for the stack: a library that recurses as deep as its input reaches the memory
// limit, not the end of its stack.  Only used pages take memory.
constexpr std::size_t kStackBytes = std::size_t{16} << 30;

// Asks a child to end.  LLVM in an OpenCL driver takes SIGUSR1 and SIGUSR2 for itself.
int EndSignal() { return SIGRTMAX - 1; }

struct Task {
  int out;
  const std::function<std::string()>* work;
};

// Returns nothing: the process ends.
void* Perform(void* of) {
  const auto& [out, work] = *static_cast<const Task*>(of);
  int status = 0;
  try {
    const std::string bytes = (*work)();
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t put = write(out, bytes.data() + sent, bytes.size() - sent);
      if (put < 0 && errno != EINTR) _exit(kThrew);
      sent += static_cast<std::size_t>(std::max<ssize_t>(put, 0));
    }
  } catch (const std::bad_alloc&) {
    status = kNoMemory;
  } catch (...) {
    status = kThrew;
  }
  _exit(status);
}

void OnEnd(int) {
  RemoveLeftovers();
  _exit(kThrew);
}

[[noreturn]] void Work(int out, pid_t parent, bool is_stopped_by_parent,
                       const std::function<std::string()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_stopped_by_parent) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(EndSignal(), OnEnd);
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, EndSignal());
    pthread_sigmask(SIG_UNBLOCK, &end, nullptr);
  }
  if (getppid() != parent) _exit(kThrew);
  Task task = {out, &work};
  void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  pthread_attr_t attributes;
  pthread_t thread;
  if (stack != MAP_FAILED && pthread_attr_init(&attributes) == 0 &&
      pthread_attr_setstack(&attributes, stack, kStackBytes) == 0 &&
      pthread_create(&thread, &attributes, Perform, &task) == 0) {
    pthread_join(thread, nullptr);
  }
  Perform(&task);  // where there is no address space or no thread for it: on this stack
  _exit(kThrew);
}

// A child that is waited for at the latest when this goes.
class Child {
 public:
  Child(pid_t pid, int in) : pid_(pid), in_(in) {}
  ~Child() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    Wait();
    close(in_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int in() const { return in_; }
  pid_t pid() const { return pid_; }
  // Gives it the time to clean up.
  void End() {
    kill(pid_, EndSignal());
    for (int i = 0; i < kMostEndPolls && pid_ > 0; ++i) {
      if (waitpid(pid_, nullptr, WNOHANG) != 0) {
        pid_ = -1;
      } else {
        poll(nullptr, 0, kAnswerPollMilliseconds);
      }
    }
  }
  int Wait() {
    int status = 0;
    while (pid_ > 0 && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
  int in_;
};

Expected<std::string> Finish(int status, std::string_view doing, std::string bytes) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return bytes;
  std::string what;
  if (WIFSIGNALED(status)) {
    const char* name = strsignal(WTERMSIG(status));
    what = fmt::format("signal {} ({})", WTERMSIG(status), name == nullptr ? "unknown" : name);
  } else if (WEXITSTATUS(status) == kNoMemory) {
    what = "the end of the machine's memory";
  } else {
    what = "an exception";
  }
  return Fail(ErrorKind::kDevice, fmt::format("{} was ended by {}", doing, what));
}

}  // namespace

Expected<std::string> InChild(const Budget& budget, std::string_view doing,
                              const std::function<std::string()>& work,
                              const std::atomic<bool>* stop) {
  const Doing said(budget, std::string(doing));
  const auto cannot = [&](std::string_view what) {
    return Fail(ErrorKind::kDevice, fmt::format("{}: {}: {}", doing, what, std::strerror(errno)));
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return cannot("no pipe can be made");
  const pid_t parent = getpid();
  // Memory that both processes share counts once.
  const std::uint64_t shared = budget.limits().memory_bytes == 0 ? 0 : ResidentBytes();
  const std::uint64_t most = budget.Left().memory_bytes;
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return cannot("no process can be made");
  }
  if (pid == 0) {
    close(ends[0]);
    Work(ends[1], parent, stop != nullptr, work);
  }
  close(ends[1]);
  fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);
  Child child(pid, ends[0]);
  std::string bytes;
  while (true) {
    pollfd ready = {child.in(), POLLIN, 0};
    if (poll(&ready, 1, kAnswerPollMilliseconds) > 0) {
      const std::size_t size = bytes.size();
      bytes.resize(size + std::size_t{kPipeBytes});
      const ssize_t got = read(child.in(), bytes.data() + size, std::size_t{kPipeBytes});
      bytes.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got == 0) break;
    }
    if (stop != nullptr && stop->load()) {
      child.End();
      return Fail(ErrorKind::kDevice,
                  fmt::format("{} was ended, because the run was interrupted", doing));
    }
    if (budget.IsExceeded()) return budget.Reached();
    if (most == 0) continue;
    const std::uint64_t resident = ResidentBytes(child.pid());
    if (resident > shared && resident - shared + bytes.size() > most) {
      return budget.MemoryReached();
    }
  }
  return Finish(child.Wait(), doing, std::move(bytes));
}

void Packed::Add(std::uint64_t number) {
  bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void Packed::Add(std::string_view text) {
  Add(std::uint64_t{text.size()});
  bytes_.append(text);
}

std::uint64_t Packed::Number() {
  std::uint64_t number = 0;
  if (bytes_.size() - at_ < sizeof number) return 0;
  std::memcpy(&number, bytes_.data() + at_, sizeof number);
  at_ += sizeof number;
  return number;
}

std::string Packed::Text() {
  const std::uint64_t said = Number();  // before the rest is measured: it takes of the rest
  const std::uint64_t size = std::min<std::uint64_t>(said, bytes_.size() - at_);
  at_ += size;
  return bytes_.substr(at_ - size, size);
}

}  // namespace assay::base
