#include "oracle/devices/call_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

namespace assay::oracle {
namespace {

constexpr std::uint32_t kStickyFlags = 0x3f;  // of MXCSR: they are results, not modes
constexpr int kTimers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

// Which modes differ, in words; the bits are those of the Intel SDM, volume 1, 8.1.5 and 10.2.3.
std::string Differences(const ProcessorState& before, const ProcessorState& now) {
  std::vector<std::string_view> words;
  const std::uint32_t sse = before.mxcsr ^ now.mxcsr;
  const auto x87 = static_cast<std::uint32_t>(before.x87_control ^ now.x87_control);
  const auto add = [&](bool differs, std::string_view word) {
    if (differs) words.push_back(word);
  };
  add((sse & 0x8000) != 0, "flush-to-zero");
  add((sse & 0x0040) != 0, "denormals-are-zero");
  add((sse & 0x6000) != 0, "rounding mode");
  add((sse & 0x1f80) != 0, "exception masks");
  add((x87 & 0x0c00) != 0, "x87 rounding mode");
  add((x87 & 0x0300) != 0, "x87 precision");
  add((x87 & 0x003f) != 0, "x87 exception masks");
  add(before.x87_in_use != now.x87_in_use, "x87 registers in use");
  add(before.backwards != now.backwards, "direction flag");
  return fmt::format("{}", fmt::join(words, ", "));
}

bool SameHandler(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_flags == b.sa_flags && a.sa_sigaction == b.sa_sigaction;
}

bool SameMask(const sigset_t& a, const sigset_t& b) {
  for (int number = 1; number < 65; ++number) {
    if (sigismember(&a, number) != sigismember(&b, number)) return false;
  }
  return true;
}

// fork's handlers take no argument: what they are to do stands here.
std::atomic<int> g_no_copies{0};
std::atomic<int> g_forks{0};

// A byte that is 1 here and 0 in every copy of this process; null where the kernel cannot do so.
// Asking for the process's id is a system call, which costs as much as some of the functions
// called.
const volatile char* MarkOfTheOriginal() {
  static const volatile char* const kMark = []() -> const volatile char* {
    void* page = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return nullptr;
    if (madvise(page, 1, MADV_WIPEONFORK) != 0) return nullptr;
    auto* mark = static_cast<volatile char*>(page);
    *mark = 1;
    return mark;
  }
  ();
  return kMark;
}

}  // namespace

#if defined(__x86_64__)
ProcessorState ProcessorState::Now() {
  // FXSAVE's area: the x87 control word, two bytes on its status, then the tags, a bit a register
  // that is in use; MXCSR at 24.
  alignas(16) unsigned char area[512];
  asm volatile("fxsave64 %0" : "=m"(area));
  std::uint64_t flags = 0;
  asm volatile("pushfq\n\tpopq %0" : "=r"(flags));
  ProcessorState state;
  std::memcpy(&state.x87_control, area, sizeof state.x87_control);
  std::memcpy(&state.mxcsr, area + 24, sizeof state.mxcsr);
  state.mxcsr &= ~kStickyFlags;
  state.x87_in_use = area[4] != 0;
  state.backwards = (flags & 0x400) != 0;
  return state;
}

void ProcessorState::Restore() const {
  asm volatile("cld\n\tfninit\n\tfldcw %0\n\tldmxcsr %1" : : "m"(x87_control), "m"(mxcsr));
}
#else
ProcessorState ProcessorState::Now() {
  ProcessorState state;
  state.mxcsr = static_cast<std::uint32_t>(std::fegetround());
  return state;
}

void ProcessorState::Restore() const { std::fesetround(static_cast<int>(mxcsr)); }
#endif

// The handling of signals before the first function was called.  RestoreProcess restores it after
// each function, so it need not be read again.
const CallEnvironment::Handlers& CallEnvironment::FirstHandlers() {
  static const Handlers kHandlers = [] {
    Handlers handlers{};
    for (std::size_t number = 1; number < handlers.size(); ++number) {
      sigaction(static_cast<int>(number), nullptr, &handlers[number]);
    }
    return handlers;
  }();
  return kHandlers;
}

CallEnvironment::CallEnvironment()
    : processor_(ProcessorState::Now()),
      self_(getpid()),
      mark_(MarkOfTheOriginal()),
      handlers_(FirstHandlers()) {
  had_children_ = waitpid(-1, nullptr, WNOHANG) >= 0;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
  sigaltstack(nullptr, &stack_);
  for (std::size_t k = 0; k < timers_.size(); ++k) getitimer(kTimers[k], &timers_[k]);
}

void CallEnvironment::Note(const std::string& note) {
  if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
}

void CallEnvironment::RestoreProcessor() {
  const ProcessorState now = ProcessorState::Now();
  processor_.Restore();
  Note("changes the floating-point environment: " + Differences(processor_, now));
}

void CallEnvironment::RestoreProcess() {
  if (ProcessorChanged()) RestoreProcessor();
  // Timers first: what they send would meet whichever function is called then.
  for (std::size_t k = 0; k < timers_.size(); ++k) {
    itimerval now{};
    getitimer(kTimers[k], &now);
    const bool running = now.it_value.tv_sec != 0 || now.it_value.tv_usec != 0;
    const bool ran = timers_[k].it_value.tv_sec != 0 || timers_[k].it_value.tv_usec != 0;
    if (!running || ran) continue;
    const itimerval none{};
    setitimer(kTimers[k], &none, nullptr);
    Note("leaves a timer running (alarm, setitimer)");
  }
  for (std::size_t number = 1; number < handlers_.size(); ++number) {
    struct sigaction now {};
    if (sigaction(static_cast<int>(number), nullptr, &now) != 0) continue;
    if (SameHandler(now, handlers_[number])) continue;
    sigaction(static_cast<int>(number), &handlers_[number], nullptr);
    Note("changes how signals are handled");
  }
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  if (!SameMask(mask, mask_)) {
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    Note("changes which signals are blocked");
  }
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  if (stack.ss_sp != stack_.ss_sp || stack.ss_flags != stack_.ss_flags) {
    sigaltstack(&stack_, nullptr);
    Note("changes the stack of signal handlers");
  }
}

bool CallEnvironment::IsCopy() const { return mark_ != nullptr ? *mark_ == 0 : getpid() != self_; }

bool CallEnvironment::HasNewChildren() {
  if (had_children_) return false;
  bool any = false;
  // Those that have ended are gone with this.
  while (true) {
    const pid_t child = waitpid(-1, nullptr, WNOHANG);
    if (child < 0) return any;
    any = true;
    if (child == 0) return true;
  }
}

void CallEnvironment::EndNewChildren() {
  constexpr int kTries = 100;
  for (int tries = 0; HasNewChildren() && tries < kTries; ++tries) {
    // Threads of the process have lists of their own; the called function runs in this one.
    std::ifstream children(fmt::format("/proc/self/task/{}/children", gettid()));
    pid_t child = 0;
    while (tries > kTries / 2 && children >> child) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::vector<std::string> CallEnvironment::TakeNotes() { return std::exchange(notes_, {}); }

NoCopies::NoCopies() {
  static const int kRegistered = pthread_atfork(
      nullptr, [] { g_forks += g_no_copies > 0 ? 1 : 0; },
      [] {
        if (g_no_copies > 0) _exit(0);
      });
  static_cast<void>(kRegistered);
  ++g_no_copies;
}

NoCopies::~NoCopies() { --g_no_copies; }

int NoCopies::Forks() { return g_forks; }

}  // namespace assay::oracle
