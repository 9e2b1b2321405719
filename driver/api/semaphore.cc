// Semaphores (OpenCL API, 5.13; cl_khr_semaphore).
#include "driver/objects/semaphore.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/api/entries.h"
#include "driver/core/info.h"
#include "driver/objects/memory_flags.h"
#include "driver/objects/queue.h"

namespace assay::driver {

bool Semaphore::BelongsTo(const Device* device) const {
  return std::ranges::find(devices, device, [](const Ref<Device>& each) { return each.get(); }) !=
         devices.end();
}

namespace api {

namespace {

constexpr cl_semaphore_properties_khr kDeviceList = 0x2053;  // CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR

// The devices of the list; `at` is then behind its end.
void ReadDevices(Call* call, const cl_semaphore_properties_khr** at, Semaphore* semaphore) {
  for (; **at != 0; ++*at) {
    auto& device = call->Find<Device>(reinterpret_cast<const void*>(**at));
    RefuseIf(!semaphore->context->Has(&device), CL_INVALID_DEVICE,
             "a device is not in the context");
    semaphore->devices.emplace_back(&device);
    semaphore->properties.push_back(**at);
  }
  semaphore->properties.push_back(*(*at)++);
  RefuseIf(semaphore->devices.size() != 1, CL_INVALID_DEVICE,
           "the list of devices has not exactly one");
}

cl_semaphore_khr CL_API_CALL clCreateSemaphoreWithPropertiesKHR(
    cl_context context, const cl_semaphore_properties_khr* properties, cl_int* errcode_ret) {
  return Create<
      cl_semaphore_khr>("clCreateSemaphoreWithPropertiesKHR", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    RefuseIf(properties == nullptr, CL_INVALID_VALUE, "sema_props is null");
    NewObject<Semaphore> semaphore(&in);
    bool has_type = false;
    for (const auto* at = properties; *at != 0;) {
      const cl_semaphore_properties_khr name = *at++;
      semaphore->properties.push_back(name);
      if (name == CL_SEMAPHORE_TYPE_KHR) {
        RefuseIf(has_type, CL_INVALID_PROPERTY, "CL_SEMAPHORE_TYPE_KHR is given twice");
        RefuseIf(*at != CL_SEMAPHORE_TYPE_BINARY_KHR, CL_INVALID_PROPERTY,
                 "the type is not CL_SEMAPHORE_TYPE_BINARY_KHR");
        semaphore->properties.push_back(*at++);
        has_type = true;
      } else if (name == kDeviceList) {
        RefuseIf(!semaphore->devices.empty(), CL_INVALID_PROPERTY,
                 "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is given twice");
        ReadDevices(&call, &at, semaphore.object);
      } else {
        Refuse(CL_INVALID_PROPERTY, fmt::format("{:#x} is no property of semaphores", name));
      }
    }
    semaphore->properties.push_back(0);
    RefuseIf(!has_type, CL_INVALID_VALUE, "CL_SEMAPHORE_TYPE_KHR is not given");
    RefuseIf(
        semaphore->devices.empty() && in.devices.size() > 1, CL_INVALID_PROPERTY,
        "the context has several devices, and CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is not given");
    if (semaphore->devices.empty()) semaphore->devices = in.devices;
    return semaphore.Keep();
  });
}

cl_int CL_API_CALL clRetainSemaphoreKHR(cl_semaphore_khr semaphore) {
  return Enter("clRetainSemaphoreKHR",
               [&](Call& call) { call.Find<Semaphore>(semaphore).Retain(); });
}
cl_int CL_API_CALL clReleaseSemaphoreKHR(cl_semaphore_khr semaphore) {
  return Enter("clReleaseSemaphoreKHR", [&](Call& call) { call.Release<Semaphore>(semaphore); });
}

cl_int CL_API_CALL clGetSemaphoreInfoKHR(cl_semaphore_khr handle, cl_semaphore_info_khr name,
                                         size_t size, void* value, size_t* size_ret) {
  return Enter("clGetSemaphoreInfoKHR", [&](Call& call) {
    const auto& semaphore = call.Find<Semaphore>(handle);
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_SEMAPHORE_CONTEXT_KHR:
        return info.Put(ToApi<cl_context>(semaphore.context.get()));
      case CL_SEMAPHORE_REFERENCE_COUNT_KHR:
        return info.Put<cl_uint>(semaphore.references());
      case CL_SEMAPHORE_PROPERTIES_KHR:
        return info.PutAll<cl_semaphore_properties_khr>(semaphore.properties);
      case CL_SEMAPHORE_TYPE_KHR:
        return info.Put<cl_semaphore_type_khr>(CL_SEMAPHORE_TYPE_BINARY_KHR);
      case CL_SEMAPHORE_PAYLOAD_KHR:
        return info.Put(semaphore.payload);
      case kDeviceList: {
        std::vector<cl_device_id> devices;
        for (const auto& device : semaphore.devices)
          devices.push_back(ToApi<cl_device_id>(device.get()));
        return info.PutAll<cl_device_id>(devices);
      }
      default:
        Info::Unknown();
    }
  });
}

std::vector<Semaphore*> FindSemaphores(Call* call, const Queue& queue, cl_uint num,
                                       const cl_semaphore_khr* list) {
  RefuseIf(num == 0 || list == nullptr, CL_INVALID_VALUE, "there are no semaphores");
  std::vector<Semaphore*> all;
  for (cl_uint i = 0; i < num; ++i) {
    auto& semaphore = call->Find<Semaphore>(list[i]);
    RefuseIf(semaphore.context.get() != queue.context.get(), CL_INVALID_CONTEXT,
             "a semaphore and the queue are of different contexts");
    RefuseIf(!semaphore.BelongsTo(queue.device.get()), CL_INVALID_COMMAND_QUEUE,
             "a semaphore is of another device than the queue");
    all.push_back(&semaphore);
  }
  return all;
}

// "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the execution status of any of the events in
// event_wait_list is a negative integer value."
void CheckStatus(const std::vector<Event*>& events) {
  for (const Event* event : events) {
    RefuseIf(event->status < 0, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
             "an event of event_wait_list ended with an error");
  }
}

void TellOrder(const char* call, const Semaphore& semaphore, const char* what,
               const char* between) {
  TellMisuse(call, interp::Rule::kHostSemaphoreOrder,
             fmt::format("{} is {} twice, and no {} was enqueued between", semaphore.Name(), what,
                         between));
}

cl_int CL_API_CALL clEnqueueWaitSemaphoresKHR(cl_command_queue queue, cl_uint num,
                                              const cl_semaphore_khr* list,
                                              const cl_semaphore_payload_khr*, cl_uint count,
                                              const cl_event* events, cl_event* event) {
  return Enter("clEnqueueWaitSemaphoresKHR", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    const auto semaphores = FindSemaphores(&call, on, num, list);
    CheckStatus(CheckWaits(&call, *on.context, {count, events, event}));
    Submission submission{.type = CL_COMMAND_SEMAPHORE_WAIT_KHR};
    for (Semaphore* semaphore : semaphores) {
      submission.uses.emplace_back(semaphore);
      if (!semaphore->signals.empty()) {
        submission.after.push_back(semaphore->signals.front());
        semaphore->signals.pop_front();
      } else {
        if (!semaphore->waits.empty()) TellOrder(call.name(), *semaphore, "waited on", "signal");
        auto* later = new Event(on.context.get(), nullptr, CL_COMMAND_USER);
        submission.after.emplace_back(later);
        semaphore->waits.emplace_back(later);
        later->ForgetReference();
      }
    }
    submission.work = [semaphores]() -> cl_int {
      const std::lock_guard lock(Driver::Get().mutex);
      for (Semaphore* semaphore : semaphores) semaphore->payload = 0;
      return CL_SUCCESS;
    };
    return Submit(&call, &on, {count, events, event}, std::move(submission));
  });
}

cl_int CL_API_CALL clEnqueueSignalSemaphoresKHR(cl_command_queue queue, cl_uint num,
                                                const cl_semaphore_khr* list,
                                                const cl_semaphore_payload_khr*, cl_uint count,
                                                const cl_event* events, cl_event* event) {
  return Enter("clEnqueueSignalSemaphoresKHR", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    const auto semaphores = FindSemaphores(&call, on, num, list);
    CheckStatus(CheckWaits(&call, *on.context, {count, events, event}));
    Submission submission{.type = CL_COMMAND_SEMAPHORE_SIGNAL_KHR};
    // A wait that was enqueued before gets this signal; else the next wait that is enqueued does.
    std::vector<Ref<Event>> waits;
    std::vector<Semaphore*> unawaited;
    for (Semaphore* semaphore : semaphores) {
      submission.uses.emplace_back(semaphore);
      if (semaphore->waits.empty()) {
        if (!semaphore->signals.empty()) TellOrder(call.name(), *semaphore, "signaled", "wait");
        unawaited.push_back(semaphore);
      } else {
        waits.push_back(semaphore->waits.front());
        semaphore->waits.pop_front();
      }
    }
    submission.work = [semaphores, waits = std::move(waits)]() mutable -> cl_int {
      const std::lock_guard lock(Driver::Get().mutex);
      for (Semaphore* semaphore : semaphores) semaphore->payload = 1;
      for (const auto& wait : waits) wait->SetStatus(CL_COMPLETE);
      waits.clear();
      return CL_SUCCESS;
    };
    submission.on_enqueued = [unawaited](Event* signal) {
      for (Semaphore* semaphore : unawaited) semaphore->signals.emplace_back(signal);
    };
    return Submit(&call, &on, {count, events, event}, std::move(submission));
  });
}

// Of cl_khr_external_semaphore, whose handle types this device has none of.  An application may ask
// for the function's address all the same.
cl_int CL_API_CALL clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr handle, cl_device_id device,
                                                  cl_external_semaphore_handle_type_khr type,
                                                  size_t, void*, size_t*) {
  return Enter("clGetSemaphoreHandleForTypeKHR", [&](Call& call) {
    const auto& semaphore = call.Find<Semaphore>(handle);
    if (!semaphore.BelongsTo(&call.Find<Device>(device)))
      Refuse(CL_INVALID_DEVICE, fmt::format("{} is not of this device", semaphore.Name()));
    Refuse(CL_INVALID_VALUE,
           fmt::format("{} was not created with the handle type {:#x}", semaphore.Name(), type));
  });
}

}  // namespace

void AddSemaphore(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clCreateSemaphoreWithPropertiesKHR);
  ASSAY_EXTENSION_ENTRY(clRetainSemaphoreKHR);
  ASSAY_EXTENSION_ENTRY(clReleaseSemaphoreKHR);
  ASSAY_EXTENSION_ENTRY(clGetSemaphoreInfoKHR);
  ASSAY_EXTENSION_ENTRY(clEnqueueWaitSemaphoresKHR);
  ASSAY_EXTENSION_ENTRY(clEnqueueSignalSemaphoresKHR);
  ASSAY_EXTENSION_ENTRY(clGetSemaphoreHandleForTypeKHR);
}

}  // namespace api
}  // namespace assay::driver
