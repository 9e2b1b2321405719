#include "driver/objects/queue.h"

#include <fmt/format.h>

#include <functional>

#include "driver/objects/scheduler.h"
#include "driver/report/log.h"

namespace assay::driver {

Queue::Queue(Context* in, Device* on, cl_command_queue_properties how)
    : Object(kKind), context(in), device(on), properties(how) {
  if (!IsOnDevice()) context->order.AddQueue(IsInOrder());
}

Queue::~Queue() {
  auto& defaults = context->default_queues;
  const auto own = defaults.find(device.get());
  if (own != defaults.end() && own->second == this) defaults.erase(own);
}

void Queue::NoteForeign(const char* call, Event* event) {
  constexpr std::size_t kMost = 64;
  if (!event->queue || event->queue.get() == this || event->IsFlushed()) return;
  if (!Log::Get().IsOn() || foreign.size() == kMost) return;
  foreign.push_back({event, call, CaptureStack()});
}

void Queue::TellUnflushed(const char* call) {
  for (const ForeignWait& wait : foreign) {
    if (wait.event->IsFlushed()) continue;
    std::vector<std::string> history;
    if (const auto frames = FramesOf(wait.stack); !frames.empty()) {
      history.push_back(fmt::format("the command that waits for it: {}, enqueued by {}(+{:#x})",
                                    wait.call, frames[0].module, frames[0].offset));
    }
    TellMisuse(call, interp::Rule::kHostUnflushedWait,
               fmt::format("a command on {} waits for an event of {}, which was not flushed",
                           Name(), wait.event->queue->Name()),
               std::move(history));
    break;
  }
  foreign.clear();
}

void Queue::OnLastRelease() { Driver::Get().scheduler->Flush(this); }

namespace {
thread_local Recorder* recorder = nullptr;
}  // namespace

Recorder::Recorder() { recorder = this; }
Recorder::~Recorder() { recorder = nullptr; }
Recorder* Recorder::Current() { return recorder; }

Queue& FindHostQueue(Call* call, cl_command_queue handle) {
  auto& queue = call->Find<Queue>(handle);
  if (queue.IsOnDevice()) {
    Refuse(CL_INVALID_COMMAND_QUEUE, fmt::format("{} is a queue on the device", queue.Name()));
  }
  return queue;
}

std::vector<Event*> CheckWaits(Call* call, const Context& context, const Waits& waits) {
  if ((waits.count == 0) != (waits.list == nullptr)) {
    Refuse(CL_INVALID_EVENT_WAIT_LIST,
           waits.count == 0 ? "event_wait_list is a list, but num_events_in_wait_list is 0"
                            : "event_wait_list is null, but num_events_in_wait_list is not 0");
  }
  std::vector<Event*> events;
  for (cl_uint i = 0; i < waits.count; ++i) {
    try {
      events.push_back(&call->Find<Event>(waits.list[i]));
    } catch (const ApiError& error) {
      Refuse(CL_INVALID_EVENT_WAIT_LIST, fmt::format("event_wait_list[{}]: {}", i, error.message));
    }
    if (events.back()->context.get() != &context) {
      Refuse(CL_INVALID_CONTEXT, fmt::format("event_wait_list[{}] is of another context", i));
    }
  }
  return events;
}

namespace {

// What is wrong with an event_wait_list that has no error code.
void TellWaits(const char* call, Queue* queue, const Waits& waits,
               const std::vector<Event*>& listed) {
  const std::less<const cl_event*> before;  // pointers may be into different arrays
  if (waits.event != nullptr && waits.count != 0 && !before(waits.event, waits.list) &&
      before(waits.event, waits.list + waits.count)) {
    TellMisuse(call, interp::Rule::kHostEventInWaitList,
               fmt::format("event refers to event_wait_list[{}]", waits.event - waits.list));
  }
  for (Event* event : listed) {
    if (!event->IsOfCommand() && !event->IsDone() && !event->is_awaited) {
      event->is_awaited = true;
      ++Driver::Get().awaited_user_events;
    }
    queue->NoteForeign(call, event);
  }
}

// Where the next command of the queue stands that waits for these events.
std::shared_ptr<const Ordering> OrderOf(Queue* queue, const std::vector<Event*>& listed,
                                        const std::vector<Event*>& before, bool after_all) {
  Clock clock;
  if (after_all) clock.Join(queue->order.all);
  bool is_unsettled = false;
  for (const auto* events : {&listed, &before}) {
    for (const Event* event : *events) {
      is_unsettled |= event->IsUnsettled();
      if (event->order != nullptr) clock.Join(event->order->clock);
    }
  }
  return queue->context->order.Next(&queue->order, queue->IsInOrder(), std::move(clock),
                                    is_unsettled);
}

}  // namespace

cl_int Submit(Call* call, Queue* queue, const Waits& waits, Submission submission) {
  Scheduler& scheduler = *Driver::Get().scheduler;
  std::vector<Event*> listed = CheckWaits(call, *queue->context, waits);
  if (Recorder* const recording = Recorder::Current(); recording != nullptr) {
    recording->commands.push_back(std::move(submission));
    return CL_SUCCESS;
  }
  TellWaits(call->name(), queue, waits, listed);
  const bool has_list = !listed.empty();
  for (const Ref<Event>& event : submission.after) listed.push_back(event.get());
  auto command = std::make_unique<Command>();
  const Ref<Event> event = new Event(queue->context.get(), queue, submission.type);
  command->event = event;
  command->queue = queue;
  command->work = std::move(submission.work);
  command->uses = std::move(submission.uses);
  std::vector<Event*> before;
  // A marker or a barrier without a list waits for everything before it.
  const bool after_all = submission.order != Order::kAsQueue && !has_list;
  if (after_all) {
    before.assign(queue->pending.begin(), queue->pending.end());
  } else if (queue->IsInOrder()) {
    if (!queue->pending.empty()) before.push_back(queue->pending.back());
  } else if (queue->barrier) {
    before.push_back(queue->barrier.get());
  }
  if (Log::Get().IsOn()) {
    event->order = OrderOf(queue, listed, before, after_all);
    if (submission.order == Order::kBarrier) queue->order.barrier.Join(event->order->clock);
    CheckAccesses(call->name(), *queue, submission.type, event->order, submission.accesses,
                  submission.host);
  }
  event->place = ++queue->enqueued;
  queue->pending.push_back(event.get());
  if (submission.order == Order::kBarrier) queue->barrier = event;
  if (waits.event != nullptr) {
    *waits.event = ToApi<cl_event>(event.get());
  } else {
    event->ForgetReference();
  }
  if (submission.on_enqueued) submission.on_enqueued(event.get());
  if (submission.make_work) command->work = submission.make_work(*event);
  scheduler.Add(std::move(command), listed, before);
  if (!submission.is_blocking) return CL_SUCCESS;
  TellIfInCallback(call->name());
  if (queue->IsInOrder()) queue->TellUnflushed(call->name());
  scheduler.Flush(queue);
  for (Event* other : listed) {
    if (other->queue) scheduler.Flush(other->queue.get());
  }
  scheduler.RunUntil(&call->lock(), [&event] { return event->IsDone(); });
  event->Saw();
  return event->status < 0 ? event->status : CL_SUCCESS;
}

}  // namespace assay::driver
