// Temporary folders and child processes that must end with this program, also when a signal ends
// it.
#pragma once

#include <sys/types.h>

#include <string>

namespace assay::base {

// While it lives, SIGINT, SIGTERM and SIGHUP remove the folder, or end the process group, before
// they end the program.  They do nothing of it where the program handles them itself
// (RemoveLeftovers).
class Leftover {
 public:
  explicit Leftover(const std::string& folder);
  explicit Leftover(pid_t group);
  ~Leftover();
  Leftover(Leftover&& other) noexcept : slot_(other.slot_) { other.slot_ = -1; }
  Leftover& operator=(Leftover&&) = delete;

 private:
  int slot_ = -1;  // -1: the table is full, and only the ordinary end cleans up
};

// Ends and removes all of them.  Async-signal-safe, for handlers that end the program.
void RemoveLeftovers() noexcept;

}  // namespace assay::base
