// The state that a function called in this process must not change: the modes of the floating-point
// units, the processor's flags, and the handling of signals.  A change would affect the results of
// the next function.  Here it is undone, and reported with the function's name.
#pragma once

#include <signal.h>
#include <sys/time.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::oracle {

// The modes in which this thread computes.
struct ProcessorState {
  std::uint32_t mxcsr = 0;        // SSE: flush-to-zero, rounding, masks; without its sticky flags
  std::uint16_t x87_control = 0;  // precision, rounding, masks
  bool x87_in_use = false;        // registers that a function has not emptied: MMX without emms
  bool backwards = false;         // the direction flag: string instructions go down
  bool operator==(const ProcessorState&) const = default;

  static ProcessorState Now();
  void Restore() const;
};

// For the calls of one function.  It is created before the first call, and undoes changes that the
// calls leave.
class CallEnvironment {
 public:
  CallEnvironment();

  // After a call, or after many: has the processor's state changed?  Costs as much as ten
  // additions.
  bool ProcessorChanged() const { return ProcessorState::Now() != processor_; }
  // Restores the processor's state and notes changes.
  void RestoreProcessor();

  // After the last call: restores the state of the process, and notes changes.
  void RestoreProcess();

  // Is this a copy of the process that took the measure?
  bool IsCopy() const;
  // Has the process children that it did not have before?
  bool HasNewChildren();
  // Waits a moment for new child processes and ends those that remain: a copy of this process would
  // write into the shared memory.
  void EndNewChildren();
  void Note(const std::string& note);

  std::vector<std::string> TakeNotes();

 private:
  using Handlers = std::array<struct sigaction, 65>;
  static const Handlers& FirstHandlers();

  ProcessorState processor_;
  pid_t self_;
  const volatile char* mark_;
  bool had_children_ = false;
  sigset_t mask_;
  stack_t stack_;
  const Handlers& handlers_;
  std::array<itimerval, 3> timers_;
  std::vector<std::string> notes_;
};

// During its lifetime, a copy of this process that fork makes ends at once, because it would send
// the same answers as the original.  For code that has no reason to fork; not for drivers, which
// start compilers by fork.
class NoCopies {
 public:
  NoCopies();
  ~NoCopies();
  NoCopies(const NoCopies&) = delete;
  NoCopies& operator=(const NoCopies&) = delete;
  // How often the original was forked so far.
  static int Forks();
};

}  // namespace assay::oracle
