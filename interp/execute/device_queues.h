// Device queues of a launch: the kernels and markers that work-items enqueue, the events by which
// they wait for each other, and what has ended (OpenCL C 6.15.19; OpenCL API 3.2.3, Device-Side
// Enqueue).
//
// A kernel-instance is the launch itself or a block that was enqueued.  It has ended when all its
// work-items have returned, and is complete when all its children are, too.  Children are executed
// after their parent's work-items, which every flag allows; work-items of one thread enqueue in an
// order that depends neither on the number of threads nor on the width of batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/execute/launch_options.h"
#include "interp/program/memory.h"

namespace assay::interp {

class ChoiceSource;

// kernel_enqueue_flags_t
enum class EnqueueFlag : std::uint32_t { kNoWait = 0, kWaitKernel = 1, kWaitWorkGroup = 2 };

// What enqueue_kernel and enqueue_marker return (OpenCL C 6.15.19.1).
enum class EnqueueError : std::int32_t {
  kSuccess = 0,
  kOutOfResources = -5,
  kInvalidArgSize = -51,
  kInvalidEventWaitList = -57,
  kEventAllocationFailure = -100,
  kInvalidQueue = -102,
  kInvalidNdRange = -160,
  kQueueFull = -161,
};

// Handles, as kernels have them: no small numbers, and no addresses.
inline constexpr std::uint64_t kFirstQueue = 0x51000000;
inline constexpr std::uint64_t kFirstEvent = 0x45000000;
inline constexpr std::uint64_t kMaxQueues = 1024;

// The instances of which everything, and the work-groups of instances of which everything, happens
// before something.
class EndedBefore {
 public:
  void Add(std::uint32_t instance);
  void Add(std::uint32_t instance, std::uint64_t group) { groups_.emplace_back(instance, group); }
  void Join(const EndedBefore& other);
  bool Has(std::uint32_t instance, std::uint64_t group) const;
  void Clear() { *this = {}; }

 private:
  std::vector<std::uint64_t> instances_;  // a bit each
  std::vector<std::pair<std::uint32_t, std::uint64_t>> groups_;
};

class DeviceQueues {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Command {
    bool is_marker = false;
    std::uint32_t parent = 0;  // the instance that enqueued it
    std::uint64_t group = 0;   // ... in this group of it
    EnqueueFlag flag = EnqueueFlag::kNoWait;
    std::uint64_t queue = 0;
    std::uint32_t invoke = 0;  // the function
    NdRange range;
    std::vector<std::byte> literal;    // what the block captured
    std::vector<std::byte> undefined;  // 1 for each bit of it that is not defined; empty: none
    std::vector<std::uint64_t> local_sizes;
    std::vector<std::uint64_t> waits;  // events
    std::string by;                    // where and by whom it was enqueued
    std::uint32_t origin = 0;          // ... place in Module::instructions

    // Filled here.
    std::uint64_t event = 0;
    std::uint32_t open_waits = 0;
    std::uint32_t children = 0;  // that are not complete
    bool has_ended = false;
    bool is_complete = false;
    std::int32_t status = 0;           // negative: it was terminated
    std::uint64_t start = 0, end = 0;  // in instructions of the launch
    EndedBefore before;                // its begin; where accesses are kept
    EndedBefore done;                  // its completion
  };

  struct Event {
    std::uint32_t command = kNone;  // kNone: a user event
    std::uint32_t references = 0;   // of the kernel's
    bool was_returned = false;      // the kernel has had references
    std::int32_t status = 2;        // CL_SUBMITTED; 0: complete; negative: an error
    std::vector<std::uint32_t> waiting;
    EndedBefore set;  // of a user event: what was before its status was set
    bool is_captured = false;
    Address profile = 0;  // where its times are to be put
  };

  // The command that is number 0 is the launch itself.
  DeviceQueues(Memory* memory, const LaunchOptions& options);

  // Queues by their handles; the first one is the default queue.
  static std::uint64_t HandleOf(std::uint64_t queue) { return kFirstQueue + queue; }
  std::uint64_t DefaultQueue() const { return capacity_ == 0 ? 0 : HandleOf(0); }
  bool IsQueue(std::uint64_t handle) const;
  bool IsFull(std::uint64_t handle) const;

  // A valid event, or null.
  Event* Find(std::uint64_t handle);
  // What was an event, which the kernel has released as often as it had it.
  bool IsReleased(std::uint64_t handle) const;
  std::uint64_t CreateUserEvent();
  void Retain(Event* event) { ++event->references; }
  void Release(Event* event) { --event->references; }
  void SetStatus(std::uint64_t handle, std::int32_t status, std::uint32_t setter);
  // The times are written when the event is complete, or at once.
  void Capture(Event* event, Address address);

  // Adds a command and returns the handle of its event.
  std::uint64_t Add(Command command, bool returns_event);
  bool IsAtLimit() const { return commands_.size() > max_children_; }

  // Marks the instance's work-items as ended, at a time in instructions.
  void End(std::uint32_t instance, std::uint64_t time);
  // The next kernel to execute; `choices` decides between those that can begin, if it is not null.
  std::optional<std::uint32_t> Next(ChoiceSource* choices, std::uint64_t time);
  // The command has begun: what it captured is elsewhere.
  void Forget(std::uint32_t number) {
    commands_[number].literal = {};
    commands_[number].undefined = {};
  }
  // A command that can never begin.
  std::optional<std::uint32_t> FirstStuck() const;

  Command& command(std::uint32_t number) { return commands_[number]; }
  const Command& command(std::uint32_t number) const { return commands_[number]; }
  bool keeps_accesses = false;  // of each instance, for the race detector

 private:
  void Ready(std::uint32_t number);
  void Complete(std::uint32_t number, std::uint64_t time);
  void Signal(std::uint64_t handle, std::int32_t status, std::uint64_t time);
  const EndedBefore& BeforeEvent(const Event& event) const {
    return event.command == kNone ? event.set : commands_[event.command].done;
  }
  void WriteProfile(const Event& event, std::uint64_t time);

  Memory& memory_;
  std::uint32_t capacity_;            // of the default queue; 0: there is none
  std::vector<std::uint32_t> sizes_;  // of the next ones
  std::uint32_t max_children_;
  std::uint64_t time_ = 0;
  std::vector<Command> commands_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> held_;  // commands that each queue holds
  std::deque<std::uint32_t> ready_;
};

}  // namespace assay::interp
