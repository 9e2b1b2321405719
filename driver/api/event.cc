// Events (OpenCL API, 5.11, 5.14).
#include <fmt/format.h>

#include "driver/api/entries.h"
#include "driver/core/info.h"
#include "driver/objects/queue.h"
#include "driver/objects/scheduler.h"

namespace assay::driver::api {

namespace {

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int* errcode_ret) {
  return Create<cl_event>("clCreateUserEvent", errcode_ret, [&](Call& call) {
    return new Event(&call.Find<Context>(context), nullptr, CL_COMMAND_USER);
  });
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event handle, cl_int status) {
  return Enter("clSetUserEventStatus", [&](Call& call) {
    auto& event = call.Find<Event>(handle);
    RefuseIf(event.type != CL_COMMAND_USER, CL_INVALID_EVENT, "the event is no user event");
    RefuseIf(status > CL_COMPLETE, CL_INVALID_VALUE,
             "the status is neither CL_COMPLETE nor negative");
    RefuseIf(event.IsDone(), CL_INVALID_OPERATION, "the status was set before");
    event.SetStatus(status);
  });
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* list) {
  return Enter("clWaitForEvents", [&](Call& call) {
    RefuseIf(count == 0 || list == nullptr, CL_INVALID_VALUE, "there are no events");
    TellIfInCallback(call.name());
    std::vector<Ref<Event>> events;
    for (cl_uint i = 0; i < count; ++i) events.emplace_back(&call.Find<Event>(list[i]));
    bool has_failed = false;
    for (const auto& event : events) {
      if (event->context.get() != events[0]->context.get()) {
        Refuse(CL_INVALID_CONTEXT, "the events are of different contexts");
      }
      if (event->queue) Driver::Get().scheduler->Flush(event->queue.get());
    }
    // After the flushes, which are of the queues of all these events.
    for (const auto& event : events) {
      if (event->queue && event->queue->IsInOrder()) event->queue->TellUnflushed(call.name());
    }
    for (const auto& event : events) {
      Driver::Get().scheduler->RunUntil(&call.lock(), [&event] { return event->IsDone(); });
      has_failed |= event->status < 0;
      event->Saw();
    }
    return has_failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
  });
}

cl_int CL_API_CALL clGetEventInfo(cl_event handle, cl_event_info name, size_t size, void* value,
                                  size_t* size_ret) {
  return Enter("clGetEventInfo", [&](Call& call) {
    auto& event = call.Find<Event>(handle);
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_EVENT_COMMAND_QUEUE:
        return info.Put(ToApi<cl_command_queue>(event.queue.get()));
      case CL_EVENT_CONTEXT:
        return info.Put(ToApi<cl_context>(event.context.get()));
      case CL_EVENT_COMMAND_TYPE:
        return info.Put(event.type);
      case CL_EVENT_COMMAND_EXECUTION_STATUS:
        if (event.status <= CL_RUNNING) event.Saw();  // what it comes after has ended
        return info.Put(event.status);
      case CL_EVENT_REFERENCE_COUNT:
        return info.Put<cl_uint>(event.references());
      default:
        Info::Unknown();
    }
  });
}

cl_int CL_API_CALL clRetainEvent(cl_event event) {
  return Enter("clRetainEvent", [&](Call& call) { call.Find<Event>(event).Retain(); });
}
cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  return Enter("clReleaseEvent", [&](Call& call) { call.Release<Event>(event); });
}

cl_int CL_API_CALL clSetEventCallback(cl_event handle, cl_int type,
                                      void(CL_CALLBACK* notify)(cl_event, cl_int, void*),
                                      void* user_data) {
  return Enter("clSetEventCallback", [&](Call& call) {
    auto& event = call.Find<Event>(handle);
    RefuseIf(notify == nullptr, CL_INVALID_VALUE, "pfn_event_notify is null");
    RefuseIf(type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE, CL_INVALID_VALUE,
             "command_exec_callback_type is none of CL_SUBMITTED, CL_RUNNING and CL_COMPLETE");
    event.AddCallback({type, notify, user_data});
  });
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event handle, cl_profiling_info name, size_t size,
                                           void* value, size_t* size_ret) {
  return Enter("clGetEventProfilingInfo", [&](Call& call) {
    auto& event = call.Find<Event>(handle);
    if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_COMPLETE) Info::Unknown();
    const char* why = event.type == CL_COMMAND_USER ? "the event is a user event"
                      : !event.queue->HasProfiling()
                          ? "its queue was made without CL_QUEUE_PROFILING_ENABLE"
                      : event.status != CL_COMPLETE ? "the command has not been completed"
                                                    : nullptr;
    RefuseIf(why != nullptr, CL_PROFILING_INFO_NOT_AVAILABLE, why == nullptr ? "" : why);
    event.Saw();
    return Info(size, value, size_ret).Put(event.times[name - CL_PROFILING_COMMAND_QUEUED]);
  });
}

}  // namespace

void AddEvent(Entries* entries) {
  ASSAY_ENTRY(clCreateUserEvent);
  ASSAY_ENTRY(clSetUserEventStatus);
  ASSAY_ENTRY(clWaitForEvents);
  ASSAY_ENTRY(clGetEventInfo);
  ASSAY_ENTRY(clRetainEvent);
  ASSAY_ENTRY(clReleaseEvent);
  ASSAY_ENTRY(clSetEventCallback);
  ASSAY_ENTRY(clGetEventProfilingInfo);
}

}  // namespace assay::driver::api
