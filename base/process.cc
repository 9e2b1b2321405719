#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

namespace assay::base {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kLastWordsLimit = 2048;
constexpr long kPollMilliseconds = 250;  // how late an interrupt may be noticed

void CloseFd(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// A write to a child that is gone must be an error here and not the end of this program.  The
// signal is blocked for this thread only, and taken off the queue if it came.
class PipeSignalGuard {
 public:
  PipeSignalGuard() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) != 0;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalGuard() {
    const timespec now = {0, 0};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalGuard(const PipeSignalGuard&) = delete;
  PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

struct PipePair {
  int read = -1;
  int write = -1;
  bool Open() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return false;
    read = fds[0];
    write = fds[1];
    return true;
  }
  ~PipePair() {
    CloseFd(&read);
    CloseFd(&write);
  }
  int Take(int* end) {
    const int fd = *end;
    *end = -1;
    return fd;
  }
};

// Runs in the new process before exec; makes only async-signal-safe calls.
[[noreturn]] void BecomeChild(char* const* argv, int in, int out, int err, int inherited,
                              int report, pid_t parent) {
  setpgid(0, 0);  // Ctrl-C is for assay, which ends its children itself
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it ended before it was watched
  const rlimit none_dumped = {0, 0};
  setrlimit(RLIMIT_CORE, &none_dumped);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  // Out of the way of 0 to 3 first, so that no dup2 closes another's source.
  int fds[5] = {in, out, err, report, inherited};
  for (int& fd : fds) {
    if (fd >= 0) fd = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  }
  dup2(fds[0], 0);
  dup2(fds[1], 1);
  dup2(fds[2], 2);
  if (fds[4] >= 0) dup2(fds[4], Process::kInheritedFd);
  execvp(argv[0], argv);
  const int code = errno;
  [[maybe_unused]] const ssize_t written = write(fds[3], &code, sizeof code);
  _exit(127);
}

// Starts processes for threads that may end before them.  The kernel's signal at a parent's death
// is sent at the end of the thread that forked: this one lives as long as the program.
class Starter {
 public:
  static pid_t Fork(const std::function<void()>& child) {
    if (gettid() == getpid()) return ForkHere(child);
    static std::mutex mutex;
    static Starter* starter = nullptr;
    const std::lock_guard lock(mutex);
    // A forked copy of this program has not got the thread.
    if (starter == nullptr || starter->owner_ != getpid()) starter = new Starter;
    return starter->Ask(child);
  }

 private:
  Starter() {
    sigset_t all, before;
    sigfillset(&all);  // signals are for other threads
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { Work(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  static pid_t ForkHere(const std::function<void()>& child) {
    const pid_t pid = fork();
    if (pid == 0) child();
    return pid;
  }

  pid_t Ask(const std::function<void()>& child) {
    std::unique_lock lock(mutex_);
    wanted_ = &child;
    changed_.notify_all();
    changed_.wait(lock, [this] { return wanted_ == nullptr; });
    errno = error_;
    return pid_;
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return wanted_ != nullptr; });
      pid_ = ForkHere(*wanted_);
      error_ = errno;
      wanted_ = nullptr;
      changed_.notify_all();
    }
  }

  pid_t owner_ = getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* wanted_ = nullptr;
  pid_t pid_ = -1;
  int error_ = 0;
};

using Clock = std::chrono::steady_clock;

Clock::time_point After(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string SignalText(int number) {
  const char* text = strsignal(number);
  return fmt::format("signal {} ({})", number, text == nullptr ? "unknown" : text);
}

}  // namespace

Expected<std::unique_ptr<Process>> Process::Start(const std::vector<std::string>& argv,
                                                  std::string label, int inherited_fd) {
  PipePair in, out, err, report;
  if (!in.Open() || !out.Open() || !err.Open() || !report.Open()) {
    return Fail(ErrorKind::kDevice,
                fmt::format("cannot make pipes for `{}`: {}", label, std::strerror(errno)));
  }
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = Starter::Fork([&] {
    BecomeChild(arguments.data(), in.read, out.write, err.write, inherited_fd, report.write,
                parent);
  });
  if (pid < 0) {
    return Fail(ErrorKind::kDevice,
                fmt::format("cannot start `{}`: {}", label, std::strerror(errno)));
  }
  CloseFd(&report.write);
  int code = 0;
  ssize_t got = 0;
  do {
    got = read(report.read, &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof code)) {
    waitpid(pid, nullptr, 0);
    return Fail(ErrorKind::kUsage,
                fmt::format("cannot start `{}`: {}: {}", label, argv[0], std::strerror(code)));
  }
  std::unique_ptr<Process> process(new Process(std::move(label)));
  process->pid_ = pid;
  process->leftover_.emplace(pid);
  process->in_ = in.Take(&in.write);
  process->out_ = out.Take(&out.read);
  process->err_ = err.Take(&err.read);
  for (int fd : {process->in_, process->out_, process->err_}) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  fcntl(process->in_, F_SETPIPE_SZ, 1 << 20);
  fcntl(process->out_, F_SETPIPE_SZ, 1 << 20);
  return process;
}

Process::~Process() { Kill(); }

void Process::Kill() {
  CloseFd(&in_);
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  leftover_.reset();
  CloseFd(&out_);
  CloseFd(&err_);
}

tl::unexpected<Error> Process::Abort(const std::string& why) {
  CollectErrors();
  Kill();
  failure_ = fmt::format("`{}` {}{}", label_, why, Farewell());
  return Fail(ErrorKind::kDevice, failure_);
}

std::string Process::Farewell() const {
  std::string words = last_words_;
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  return words.empty() ? "" : fmt::format("; its last words:\n{}", words);
}

// The child closed its output: wait for its end (it may still be dumping core) and say which.
tl::unexpected<Error> Process::Ended() {
  int status = 0;
  pid_t waited = 0;
  for (int tries = 0; tries < 500 && waited == 0; ++tries) {
    waited = waitpid(pid_, &status, WNOHANG);
    if (waited == 0) {
      CollectErrors();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  if (waited != pid_) return Abort("closed its output without ending");
  kill(-pid_, SIGKILL);  // its remaining child processes
  pid_ = -1;
  if (WIFSIGNALED(status)) return Abort("was killed by " + SignalText(WTERMSIG(status)));
  exit_status_ = WEXITSTATUS(status);
  return Abort(fmt::format("ended with exit status {} before it answered", exit_status_));
}

void Process::CollectErrors() {
  char buffer[4096];
  // A child that writes as fast as this reads must not keep it here beyond the deadline.
  constexpr int kMostReads = 64;
  for (int reads = 0; err_ >= 0 && reads < kMostReads; ++reads) {
    const ssize_t got = read(err_, buffer, sizeof buffer);
    if (got == 0) CloseFd(&err_);
    if (got <= 0) return;
    last_words_.append(buffer, static_cast<std::size_t>(got));
    if (last_words_.size() > 2 * kLastWordsLimit) {
      last_words_.erase(0, last_words_.size() - kLastWordsLimit);
      last_words_.erase(0, last_words_.find('\n') + 1);
    }
  }
}

// True where the child took something.
bool Process::Flush() {
  const PipeSignalGuard guard;
  const std::size_t before = sent_;
  while (sent_ < pending_.size()) {
    const ssize_t put = write(in_, pending_.data() + sent_, pending_.size() - sent_);
    if (put < 0) {
      // A broken pipe is diagnosed from the child's end of output, with its exit status.
      if (errno != EAGAIN && errno != EINTR) CloseFd(&in_);
      return sent_ > before;
    }
    sent_ += static_cast<std::size_t>(put);
  }
  pending_.clear();
  sent_ = 0;
  return true;
}

// False at the end of the child's output.
bool Process::Receive() {
  if (consumed_ == received_.size()) {
    received_.clear();
    consumed_ = 0;
  }
  const std::size_t size = received_.size();
  received_.resize(size + kChunk);
  const ssize_t got = read(out_, received_.data() + size, kChunk);
  received_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got != 0;
}

Expected<void> Process::Pump(Wait wait, double seconds) {
  const auto latest = [&] {
    const Clock::time_point silent = After(seconds);
    return total_deadline_ ? std::min(silent, *total_deadline_) : silent;
  };
  Clock::time_point deadline = latest();
  bool ending = false;
  while (true) {
    if (!ending && stop_ != nullptr && stop_->load()) {
      ending = true;
      deadline = std::min(deadline, After(kGraceSeconds));
    }
    const bool sending = sent_ < pending_.size();
    if (wait == Wait::kDrained && !sending) return {};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return Abort(ending ? "was ended, because the run was interrupted"
                          : fmt::format("did not answer within {:g} s", seconds));
    }
    pollfd fds[3] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {sending ? in_ : -1, POLLOUT, 0}};
    const int ready = poll(fds, 3, static_cast<int>(std::min<long>(left, kPollMilliseconds)));
    if (ready < 0 && errno != EINTR) {
      return Abort(fmt::format("cannot be waited for: {}", std::strerror(errno)));
    }
    if (ready <= 0) continue;
    if (fds[1].revents != 0) CollectErrors();
    if (fds[2].revents != 0 && Flush() && !ending) deadline = latest();
    if (fds[0].revents != 0) {
      if (!Receive()) return Ended();
      if (wait == Wait::kInput) return {};
    }
  }
}

void Process::LimitTotal(double seconds) {
  total_deadline_.reset();
  if (seconds >= 0) total_deadline_ = After(seconds);
}

Expected<void> Process::ExpectSilence(double seconds) {
  constexpr std::size_t kShown = 60;
  if (!Alive()) return {};
  if (consumed_ == received_.size()) {
    pollfd output = {out_, POLLIN, 0};
    // The end of its output is for the next exchange to tell.
    if (poll(&output, 1, static_cast<int>(seconds * 1000)) <= 0 || !Receive()) return {};
  }
  if (consumed_ == received_.size()) return {};
  const std::string_view surplus = std::string_view(received_).substr(consumed_);
  std::string shown;
  for (char c : surplus.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7f && c != '\\';
    shown += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return Abort(fmt::format("sent what nobody asked for, after its answer: '{}'{}", shown,
                           surplus.size() > kShown ? "..." : ""));
}

void Process::Queue(std::string_view text) { pending_.append(text); }
void Process::Queue(std::span<const std::byte> data) {
  pending_.append(reinterpret_cast<const char*>(data.data()), data.size());
}

Expected<void> Process::Write(std::string_view text, double seconds) {
  if (!Alive()) return Fail(ErrorKind::kDevice, failure_);
  Queue(text);
  return Pump(Wait::kDrained, seconds);
}

Expected<void> Process::Write(std::span<const std::byte> data, double seconds) {
  return Write(std::string_view(reinterpret_cast<const char*>(data.data()), data.size()), seconds);
}

Expected<void> Process::Read(void* data, std::size_t size, double seconds) {
  if (!Alive()) return Fail(ErrorKind::kDevice, failure_);
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    const std::size_t part = std::min(size, received_.size() - consumed_);
    std::memcpy(to, received_.data() + consumed_, part);
    consumed_ += part;
    to += part;
    size -= part;
    if (size == 0) break;
    if (auto pumped = Pump(Wait::kInput, seconds); !pumped) return pumped;
  }
  return {};
}

Expected<std::string> Process::ReadLine(double seconds, std::size_t limit) {
  if (!Alive()) return Fail(ErrorKind::kDevice, failure_);
  std::size_t searched = consumed_;
  while (true) {
    const std::size_t end = received_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = received_.substr(consumed_, end - consumed_);
      consumed_ = end + 1;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    if (received_.size() - consumed_ > limit) {
      return Abort(fmt::format("sent a line of more than {} bytes", limit));
    }
    const std::size_t unread = received_.size() - consumed_;
    if (auto pumped = Pump(Wait::kInput, seconds); !pumped) {
      return tl::unexpected<Error>(pumped.error());
    }
    searched = consumed_ + unread;
  }
}

}  // namespace assay::base
