// Events and commands.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "driver/objects/context.h"

namespace assay::driver {

class Queue;
struct Command;

class Event : public Object {
 public:
  static constexpr Kind kKind = Kind::kEvent;
  // Of a command; of a user event without a queue.
  Event(Context* in, Queue* on, cl_command_type of);
  ~Event() override;  // where Queue is complete

  bool IsDone() const { return status <= CL_COMPLETE; }
  // Wakes who waits, and calls or queues the callbacks.  Only forwards.
  void SetStatus(cl_int to);

  Ref<Context> context;
  Ref<Queue> queue;
  cl_command_type type;
  cl_int status;  // CL_QUEUED to CL_COMPLETE, or an error below 0
  // CL_PROFILING_COMMAND_QUEUED, _SUBMIT, _START, _END and _COMPLETE, in nanoseconds.
  std::array<cl_ulong, 5> times = {};
  struct Callback {
    cl_int status;
    void(CL_CALLBACK* function)(cl_event, cl_int, void*);
    void* data;
  };
  std::vector<Callback> callbacks;
  // At once where the command is in that state already.
  void AddCallback(const Callback& callback);
  struct Dependent {
    Command* command;
    bool is_listed;  // in its event_wait_list: an error of this event is one of the command, too
  };
  std::vector<Dependent> dependents;

  // Null: it comes before what the host has seen, or is a user event, or nobody asks.
  std::shared_ptr<const Ordering> order;
  // A command that is enqueued now and waits for this one would be unsettled.
  bool IsUnsettled() const {
    return !IsDone() && (!IsOfCommand() || (order != nullptr && order->is_unsettled));
  }
  bool IsOfCommand() const { return type != CL_COMMAND_USER; }
  std::uint64_t place = 0;  // of a command: its number on its queue
  // Or the host has seen its end.
  bool IsFlushed() const;
  bool is_awaited = false;  // a user event in a wait list, before it has a status
  // The host has seen its end.
  void Saw();
};

// Something that a queue executes.
struct Command {
  Ref<Event> event;
  Ref<Queue> queue;
  // Without the driver's lock; one command is executed at a time.  Returns CL_SUCCESS or the error
  // that the event gets.  Empty for a marker.
  std::function<cl_int()> work;
  std::uint32_t waits = 0;       // for so many events
  bool has_failed_wait = false;  // one of them ended with an error
  bool is_flushed = false;
  std::vector<Ref<Object>> uses;  // what must exist until the command has ended
};

// The time in nanoseconds of CL_PROFILING_COMMAND_* and clGetHostTimer.
cl_ulong Now();

}  // namespace assay::driver
