#include "driver/objects/event.h"

#include <chrono>
#include <utility>

#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/objects/queue.h"
#include "driver/objects/scheduler.h"

namespace assay::driver {

cl_ulong Now() {
  return static_cast<cl_ulong>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

Event::Event(Context* in, Queue* on, cl_command_type of)
    : Object(kKind),
      context(in),
      queue(on),
      type(of),
      status(on == nullptr ? CL_SUBMITTED : CL_QUEUED) {
  times[0] = Now();
}

Event::~Event() = default;

void Event::AddCallback(const Callback& callback) {
  if (status > callback.status) {
    callbacks.push_back(callback);
    return;
  }
  // Of a command that runs: what it comes after has ended.
  if (status <= CL_RUNNING) Saw();
  const cl_int told = status < 0 ? status : callback.status;
  Driver::Get().scheduler->CallBack([callback, told, event = Ref<Event>(this)] {
    const InCallback scope("an event");
    callback.function(ToApi<cl_event>(event.get()), told, callback.data);
  });
}

bool Event::IsFlushed() const {
  if (place <= queue->flushed || order == nullptr) return true;
  return context->order.HasSeen(order->chain, order->place);
}

void Event::Saw() {
  if (order != nullptr) context->order.Saw(order->clock);
}

void Event::SetStatus(cl_int to) {
  if (to >= status) return;
  status = to;
  if (to == CL_SUBMITTED) times[1] = Now();
  Driver& driver = Driver::Get();
  // A function that was registered for a state is called when the command is there or beyond.
  for (const Callback& callback : std::exchange(callbacks, {})) AddCallback(callback);
  if (!IsDone()) return;
  if (order != nullptr) context->order.Ended(*order);
  if (is_awaited) --driver.awaited_user_events;
  const Ref<Event> self = this;
  driver.scheduler->Ended(this);
  driver.changed.notify_all();
}

}  // namespace assay::driver
