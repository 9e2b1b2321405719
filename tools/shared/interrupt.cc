#include "tools/shared/interrupt.h"

#include <csignal>
#include <cstdlib>
#include <ctime>

#include "base/leftovers.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

std::atomic<std::time_t> g_first_signal{0};

// Only async-signal-safe calls.
void OnSignal(int) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!g_interrupted.exchange(true)) {
    g_first_signal = now.tv_sec;
  } else if (now.tv_sec > g_first_signal + 1) {
    base::RemoveLeftovers();
    std::_Exit(kExitInterrupted);
  }
}

}  // namespace

std::atomic<bool> g_interrupted{false};

void HandleInterrupts() {
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
}

}  // namespace assay::tools
