// Command queues, and how commands get into them.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "driver/core/call.h"
#include "driver/objects/accesses.h"
#include "driver/objects/event.h"

namespace assay::driver {

class Queue : public Object {
 public:
  static constexpr Kind kKind = Kind::kQueue;
  Queue(Context* in, Device* on, cl_command_queue_properties how);
  ~Queue() override;

  bool IsInOrder() const { return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0; }
  bool IsOnDevice() const { return (properties & CL_QUEUE_ON_DEVICE) != 0; }
  bool HasProfiling() const { return (properties & CL_QUEUE_PROFILING_ENABLE) != 0; }

  Ref<Context> context;
  Ref<Device> device;
  cl_command_queue_properties properties;
  std::vector<cl_queue_properties> given;  // as given, with the terminating zero
  cl_uint size = 0;                        // of a queue on the device, in bytes
  // Commands that a queue on the device holds.
  std::uint32_t Capacity() const { return std::max<std::uint32_t>(size / kCommandBytes, 1); }
  // Of a queue's size for each command, which is stored elsewhere.
  static constexpr std::uint32_t kCommandBytes = 16;
  // Commands that have not ended, in the order of their enqueueing.
  std::deque<Event*> pending;
  // The last barrier, while it is pending: commands after it wait for it.
  Ref<Event> barrier;
  QueueOrder order;
  // By their numbers: commands that were enqueued, and those of them that were flushed.
  std::uint64_t enqueued = 0;
  std::uint64_t flushed = 0;
  // Commands that wait for an event of another queue that was not flushed then.
  struct ForeignWait {
    Ref<Event> event;
    std::string call;
    CallStack stack;
  };
  std::vector<ForeignWait> foreign;
  void NoteForeign(const char* call, Event* event);
  // The host waits for this queue: tells of such an event that is not flushed yet.
  void TellUnflushed(const char* call);

 protected:
  void OnLastRelease() override;  // an implicit clFlush
};

// What every clEnqueue* function is given beside its own arguments.
struct Waits {
  cl_uint count;
  const cl_event* list;
  cl_event* event;  // where the command's event is to be returned, or null
};

enum class Order : std::uint8_t {
  kAsQueue,
  kAfterAll,  // a marker without a list, or a barrier: after all before it
  kBarrier,   // ... and before all that come later
};

struct Submission {
  cl_command_type type = 0;
  bool is_blocking = false;
  Order order = Order::kAsQueue;
  std::vector<Ref<Object>> uses;
  std::vector<MemoryAccess> accesses;  // that are known before it is executed
  HostBytes host = {};
  std::function<cl_int()> work;
  // Makes the work of one execution of a kernel, whose event it gets, instead of `work`; may be
  // empty.  With the driver's lock held.
  std::function<std::function<cl_int()>(const Event&)> make_work = {};
  std::vector<Ref<Object>> arguments = {};  // of a kernel
  std::vector<Ref<Event>> after;            // waited for as if they were in the list
  std::function<void(Event*)>
      on_enqueued;  // gets the command's event before it can end; may be empty
};

// While one exists, what its thread submits is recorded instead of enqueued: recording a command
// has the checks of enqueueing it.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  // This thread's; null if it has none.
  static Recorder* Current();

  std::vector<Submission> commands;
};

// The events of the list; throws CL_INVALID_EVENT_WAIT_LIST or CL_INVALID_CONTEXT.  Every
// clEnqueue* calls it before anything is done.
std::vector<Event*> CheckWaits(Call* call, const Context& context, const Waits& waits);

// Enqueues.  A blocking one returns the error of the command, or of those that it waited for.
cl_int Submit(Call* call, Queue* queue, const Waits& waits, Submission submission);

// A queue of the host: throws CL_INVALID_COMMAND_QUEUE for one on the device.
Queue& FindHostQueue(Call* call, cl_command_queue handle);

}  // namespace assay::driver
