// Ctrl-C and SIGTERM ask a long command to stop and to keep what it has.
#pragma once

#include <atomic>

namespace assay::tools {

// Set by the first SIGINT or SIGTERM once HandleInterrupts was called.
extern std::atomic<bool> g_interrupted;

// A second signal ends the program at once, but only one to two seconds after the first: `timeout`
// and service managers send the same signal to the process and to its group.
void HandleInterrupts();

}  // namespace assay::tools
