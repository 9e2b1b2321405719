// The state of the driver in a process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "driver/core/object.h"

namespace assay::driver {

class Scheduler;
class Device;
class Platform;

// There is one, from the first call of the API on.  It is never destroyed: applications call the
// API while a process ends, too.
class Driver {
 public:
  static Driver& Get();

  // Held by every call of the API, but not while a command is executed, a program is built, or a
  // function of the application is called.
  std::mutex mutex;
  // Something changed that a call may wait for: the status of a command, or a build.
  std::condition_variable changed;

  std::uint64_t calls = 0;  // of the API
  // User events without a status that commands have in their lists.
  std::uint64_t awaited_user_events = 0;

  // Calls that change these objects, which threads must not make at the same time.  With a lock of
  // its own: they are counted from before they wait for the driver's.
  std::mutex changes_mutex;
  std::unordered_map<const void*, std::uint32_t> changes;

  Handles handles;
  void* loader_data = nullptr;  // of cl_khr_icd 2.0
  Platform* platform = nullptr;
  Device* device = nullptr;  // the root device
  Scheduler* scheduler = nullptr;
  std::uint64_t other_types = 0;  // calls that asked for devices of another type

  // A signal handler has left something to the next call of the API, or to the end of the command
  // that is executed: it is told with the lock held.
  std::atomic<bool> has_postponed = false;
  void (*tell_postponed)() = nullptr;
  void TellPostponed() {
    if (has_postponed.load(std::memory_order_relaxed) && has_postponed.exchange(false)) {
      tell_postponed();
    }
  }
  // Whether the calling thread is in a call of the API, or executes commands for the driver.
  static bool IsInCall();
  class InCall {
   public:
    InCall();
    ~InCall();
    InCall(const InCall&) = delete;
  };

  // In a child of fork(): the driver's threads are gone.
  void StartAgainAfterFork();

 private:
  Driver() = default;
};

// Makes the platform, the device and the scheduler; called by Get() once, defined in
// driver/objects.
void Start(Driver* driver);

}  // namespace assay::driver
