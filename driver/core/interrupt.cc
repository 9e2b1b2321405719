#include "driver/core/interrupt.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace assay::driver {
namespace {

struct Watched {
  int number = 0;
  struct sigaction before {};  // the application's
  bool is_ours = false;
  std::atomic<bool> has_come = false;
};

std::array<Watched, 2>& All() {
  static std::array<Watched, 2> all{Watched{.number = SIGINT}, Watched{.number = SIGTERM}};
  return all;
}

bool HasHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// Only async-signal-safe calls; All() has been made.
void OnSignal(int number, siginfo_t* info, void* context) {
  for (Watched& one : All()) {
    if (one.number != number) continue;
    one.has_come = true;
    if (!HasHandler(one.before)) return;
    if ((one.before.sa_flags & SA_SIGINFO) != 0) {
      return one.before.sa_sigaction(number, info, context);
    }
    return one.before.sa_handler(number);
  }
}

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == OnSignal;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  for (Watched& one : All()) {
    one.has_come = false;
    one.is_ours = sigaction(one.number, nullptr, &one.before) == 0 && !IsOurs(one.before) &&
                  (HasHandler(one.before) || one.before.sa_handler == SIG_DFL);
    if (!one.is_ours) continue;
    struct sigaction ours = one.before;
    ours.sa_flags = (ours.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
    if (!HasHandler(one.before)) ours.sa_flags |= SA_RESTART;
    ours.sa_sigaction = OnSignal;
    sigaction(one.number, &ours, nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (Watched& one : All()) {
    struct sigaction now {};
    // The application may have set another one meanwhile.
    if (!one.is_ours || sigaction(one.number, nullptr, &now) != 0 || !IsOurs(now)) continue;
    sigaction(one.number, &one.before, nullptr);
    if (one.has_come && !HasHandler(one.before)) raise(one.number);
  }
}

bool InterruptWatch::IsInterrupted() {
  for (const Watched& one : All()) {
    if (one.has_come) return true;
  }
  return false;
}

}  // namespace assay::driver
