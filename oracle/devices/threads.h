// The threads of a driver in the process that serves it.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

#include "oracle/devices/kernel_request.h"

namespace assay::oracle {

// Spreads the threads of a driver over the processors; the main thread stays free to move.  On a
// busy machine the scheduler may keep two threads on one processor for seconds; then a race between
// them never shows.
class DriverThreads {
 public:
  DriverThreads();
  // Of a device that computes by them; the threads of another one only wait for it.  Where some are
  // new since the last call, all are placed.  What cannot be done is left undone.
  void SpreadFor(const AnswersKernels& device);

 private:
  void Spread();

  std::vector<int> processors_;  // those of the thread that made it
  std::set<pid_t> spread_;
};

}  // namespace assay::oracle
