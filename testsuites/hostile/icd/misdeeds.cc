#include "testsuites/hostile/icd/misdeeds.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace assay::hostile {
namespace {

// The file in which the parent and this process share the columns.
constexpr int kColumns = 3;

void Segv() {
  signal(SIGSEGV, SIG_DFL);
  // Not through a null pointer: the compiler would know.
  raise(SIGSEGV);
}

[[noreturn]] void Hang() {
  for (;;) pause();
}

// A driver in a loop of its own, deaf to every signal that can be refused.
[[noreturn]] void Spin() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  volatile unsigned counter = 0;
  for (;;) counter = counter + 1;
}

void Flood(int descriptor, bool forever) {
  const std::string line(4095, 'x');
  for (int k = 0; forever || k < 4096; ++k) {
    [[maybe_unused]] const ssize_t put = write(descriptor, (line + "\n").data(), 4096);
  }
}

void CloseAll() {
  for (int descriptor = 0; descriptor < 1024; ++descriptor) close(descriptor);
}

// Both copies go on in the caller's code.  Once: a driver that forks at every call fills the
// machine.
void Fork() {
  static bool forked = false;
  if (std::exchange(forked, true)) return;
  signal(SIGCHLD, SIG_IGN);
  [[maybe_unused]] const pid_t pid = fork();
}

void LowerLimits() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_FSIZE, &none);
  setrlimit(RLIMIT_CORE, &none);
  const rlimit few = {16, 16};
  setrlimit(RLIMIT_NOFILE, &few);
}

void BreakFloatingPoint() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
#endif
}

// What the parent would read is no longer there.
void Truncate() { [[maybe_unused]] const int done = ftruncate(kColumns, 0); }

struct Deed {
  std::string_view word;
  void (*act)();
};

constexpr Deed kDeeds[] = {
    {"segv", Segv},
    {"abort", [] { std::abort(); }},
    {"exit", [] { std::exit(0); }},
    {"quick_exit", [] { _exit(0); }},
    {"exit_failure", [] { _exit(1); }},
    {"kill_self", [] { kill(getpid(), SIGKILL); }},
    {"terminate", [] { kill(getpid(), SIGTERM); }},
    {"throw", [] { throw std::runtime_error("out of the driver"); }},
    {"sleep", [] { usleep(20000); }},
    {"sleep_long", [] { usleep(2300000); }},
    {"hang", Hang},
    {"spin", Spin},
    {"stop", [] { kill(getpid(), SIGSTOP); }},
    {"flood_stdout", [] { Flood(STDOUT_FILENO, false); }},
    {"flood_stderr", [] { Flood(STDERR_FILENO, false); }},
    {"flood_forever", [] { Flood(STDERR_FILENO, true); }},
    {"print", [] { std::printf("\x1b[31m0 fail, all pass\x1b[0m\n"), std::fflush(stdout); }},
    {"close_all", CloseAll},
    {"fork", Fork},
    {"kill_parent", [] { kill(getppid(), SIGKILL); }},
    {"change_folder", [] { [[maybe_unused]] const int done = chdir("/"); }},
    {"change_umask", [] { umask(0); }},
    {"lower_limits", LowerLimits},
    {"flush_mode", BreakFloatingPoint},
    {"round_up", [] { std::fesetround(FE_UPWARD); }},
    {"clear_environment", [] { clearenv(); }},
    {"truncate_columns", Truncate},
    {"ignore_signals", [] { signal(SIGTERM, SIG_IGN), signal(SIGINT, SIG_IGN); }},
};

}  // namespace

void Misbehave(std::string_view word) {
  for (const Deed& deed : kDeeds) {
    if (deed.word == word) deed.act();
  }
}

}  // namespace assay::hostile
