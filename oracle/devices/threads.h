// The threads of a driver in the process that serves it.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

namespace assay::oracle {

// Spreads the threads of a driver over the processors; the main thread stays free to move.  On a
// busy machine the scheduler may keep two threads on one processor for seconds; then a race between
// them never shows.
class DriverThreads {
 public:
  DriverThreads();
  // Threads that are new since the last call.  What cannot be done is left undone.
  void Spread();

 private:
  std::vector<int> processors_;  // those of the thread that made it
  std::set<pid_t> spread_;
};

}  // namespace assay::oracle
