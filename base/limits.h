// Limits on the time and memory of a run.
//
// Code that may take long or allocate much calls IsExceeded now and then (it reads the clock), and
// returns Reached() if a limit is exceeded.  For code that does not call it, such as a library, a
// thread calls the function that was given to Start some time after the limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace assay::base {

// 0: no limit.
struct RunLimits {
  double seconds = 0;
  std::uint64_t memory_bytes = 0;
};

// Memory of a program that has nothing to do yet, which is not counted against a limit.
inline constexpr std::uint64_t kProgramBytes = std::uint64_t{64} << 20;
// How long after a time limit a command that has not ended is killed.
inline constexpr double kOverrunSeconds = 1.25;

// Three quarters of the machine's memory, but at most `most`.
std::uint64_t DefaultMemoryLimit(std::uint64_t most = std::uint64_t{8} << 30);

// Resident bytes of a process: of this one for 0.  0 where that cannot be known.
std::uint64_t ResidentBytes(int process = 0);

// "512 MiB", "1000 bytes".
std::string FormatBytes(std::uint64_t bytes);

// The limits of a run since its start.  Copies are about the same run; one that is made by the
// default constructor has no limits.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  // Called in the watching thread, once, with a sentence: the process is far beyond a limit.
  using Overrun = std::function<void(const std::string& message)>;

  Budget() = default;
  // Time counts from here.  The watching thread ends with the last copy.
  static Budget Start(const RunLimits& limits, Overrun overrun = nullptr);

  // The same memory, but time counts from here; none is waited for by the watching thread any more.
  Budget Renewed() const;
  // The same memory, and all the time there is.
  Budget WithoutTime() const;

  bool IsTimeExceeded() const { return deadline_ && Clock::now() > *deadline_; }
  bool IsMemoryExceeded() const;
  bool IsExceeded() const { return IsMemoryExceeded() || IsTimeExceeded(); }
  // kDevice with the limit that was exceeded, and the activity (see Doing).
  tl::unexpected<Error> Reached() const;
  // The same where a child process reached the limit on memory.
  tl::unexpected<Error> MemoryReached() const;
  Expected<void> Check() const {
    if (IsExceeded()) return Reached();
    return {};
  }
  // Checks whether this much memory can be allocated in addition; kDevice if not.
  Expected<void> Fits(std::uint64_t bytes, std::string_view what) const;
  // The remaining limits, for a child process; never 0 if there is a limit.
  RunLimits Left() const;
  const RunLimits& limits() const { return limits_; }

 private:
  friend class Doing;
  struct Watch;
  std::string WhatIsDone() const;

  RunLimits limits_;
  std::optional<Clock::time_point> deadline_;
  std::shared_ptr<Watch> watch_;
};

// Names the present activity for messages during its lifetime: "validating m.spv".
class Doing {
 public:
  Doing(const Budget& budget, std::string what);
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  std::shared_ptr<Budget::Watch> watch_;
  std::string before_;
};

}  // namespace assay::base
