#include "oracle/devices/threads.h"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace assay::oracle {

DriverThreads::DriverThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  for (int k = 0; k < CPU_SETSIZE; ++k) {
    if (CPU_ISSET(k, &set)) processors_.push_back(k);
  }
}

void DriverThreads::SpreadFor(const AnswersKernels& device) {
  if (device.RunsOnProcessors() && processors_.size() > 1) Spread();
}

void DriverThreads::Spread() {
  // In the order of their numbers: the workers of a driver are made one after the other.
  std::set<pid_t> threads;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const auto thread = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (thread != getpid()) threads.insert(thread);
  }
  if (error || threads == spread_) return;
  std::size_t next = 0;
  for (const pid_t thread : threads) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processors_[next++ % processors_.size()], &set);
    (void)sched_setaffinity(thread, sizeof set, &set);
  }
  spread_ = std::move(threads);
}

}  // namespace assay::oracle
