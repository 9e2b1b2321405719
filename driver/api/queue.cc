// Command queues (OpenCL API, 5.1), flush and finish (5.15), markers and barriers (5.12).
#include "driver/objects/queue.h"

#include <CL/cl_ext.h>
#include <fmt/format.h>

#include "driver/api/entries.h"
#include "driver/core/info.h"
#include "driver/objects/scheduler.h"

namespace assay::driver::api {

namespace {

constexpr cl_command_queue_properties kHostProperties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
constexpr cl_command_queue_properties kDeviceProperties =
    CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
constexpr cl_uint kMaxQueueBytes = 256 * 1024;

void CheckDevice(const Context& context, const Device& device) {
  if (!context.Has(&device)) {
    Refuse(CL_INVALID_DEVICE, fmt::format("{} is not in {}", device.Name(), context.Name()));
  }
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties,
                                                  cl_int* errcode_ret) {
  return Create<cl_command_queue>("clCreateCommandQueue", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    auto& on = call.Find<Device>(device);
    CheckDevice(in, on);
    RefuseIf((properties & ~(kHostProperties | kDeviceProperties)) != 0, CL_INVALID_VALUE,
             "properties has bits that the API does not");
    RefuseIf((properties & kDeviceProperties) != 0, CL_INVALID_QUEUE_PROPERTIES,
             "a queue on the device is made by clCreateCommandQueueWithProperties");
    TellIfInCallback(call.name());
    return new Queue(&in, &on, properties);
  });
}

cl_command_queue CL_API_CALL
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                   const cl_queue_properties* properties, cl_int* errcode_ret) {
  return Create<cl_command_queue>(
      "clCreateCommandQueueWithProperties", errcode_ret, [&](Call& call) {
        auto& in = call.Find<Context>(context);
        auto& on = call.Find<Device>(device);
        CheckDevice(in, on);
        cl_command_queue_properties flags = 0;
        cl_uint bytes = 0;
        bool is_hinted = false;
        std::vector<cl_queue_properties> given;
        for (const cl_queue_properties* at = properties; at != nullptr && *at != 0; at += 2) {
          for (std::size_t i = 0; i < given.size(); i += 2) {
            RefuseIf(given[i] == at[0], CL_INVALID_VALUE, "a property is given twice");
          }
          if (at[0] == CL_QUEUE_PROPERTIES) {
            flags = at[1];
            RefuseIf((flags & ~(kHostProperties | kDeviceProperties)) != 0, CL_INVALID_VALUE,
                     "CL_QUEUE_PROPERTIES has bits that the API does not");
          } else if (at[0] == CL_QUEUE_SIZE) {
            RefuseIf(at[1] > kMaxQueueBytes, CL_INVALID_QUEUE_PROPERTIES,
                     "CL_QUEUE_SIZE is beyond CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE");
            bytes = static_cast<cl_uint>(at[1]);
          } else if (at[0] == CL_QUEUE_PRIORITY_KHR || at[0] == CL_QUEUE_THROTTLE_KHR) {
            RefuseIf(at[1] != 1 && at[1] != 2 && at[1] != 4, CL_INVALID_VALUE,
                     "the hint is none of high, medium and low");
            is_hinted = true;
          } else {
            Refuse(CL_INVALID_VALUE, fmt::format("{:#x} is no property of command queues", at[0]));
          }
          given.insert(given.end(), {at[0], at[1]});
        }
        if (properties != nullptr) given.push_back(0);
        const bool on_device = (flags & CL_QUEUE_ON_DEVICE) != 0;
        RefuseIf(
            on_device && (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0, CL_INVALID_VALUE,
            "a queue on the device executes out of order: CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
        RefuseIf(!on_device && (flags & CL_QUEUE_ON_DEVICE_DEFAULT) != 0, CL_INVALID_VALUE,
                 "CL_QUEUE_ON_DEVICE_DEFAULT is given without CL_QUEUE_ON_DEVICE");
        RefuseIf(!on_device && bytes != 0, CL_INVALID_VALUE,
                 "CL_QUEUE_SIZE is given without CL_QUEUE_ON_DEVICE");
        RefuseIf(on_device && is_hinted, CL_INVALID_QUEUE_PROPERTIES,
                 "a queue on the device has neither priority nor throttle hints");
        if ((flags & CL_QUEUE_ON_DEVICE_DEFAULT) != 0) {
          // There is one default queue for each context and device: a second one is the first
          // again.
          if (const auto found = in.default_queues.find(&on); found != in.default_queues.end()) {
            found->second->Retain();
            return found->second;
          }
        }
        TellIfInCallback(call.name());
        auto* queue = new Queue(&in, &on, flags);
        if ((flags & CL_QUEUE_ON_DEVICE_DEFAULT) != 0) in.default_queues[&on] = queue;
        queue->given = std::move(given);
        if (on_device) queue->size = bytes == 0 ? kMaxQueueBytes : bytes;
        return queue;
      });
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  return Enter("clRetainCommandQueue", [&](Call& call) { call.Find<Queue>(queue).Retain(); });
}
cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  return Enter("clReleaseCommandQueue", [&](Call& call) {
    auto& released = call.FindReference<Queue>(queue);
    Driver::Get().scheduler->Flush(&released);
    released.Release();
    Driver::Get().scheduler->Wake();
  });
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue handle, cl_command_queue_info name,
                                         size_t size, void* value, size_t* size_ret) {
  return Enter("clGetCommandQueueInfo", [&](Call& call) {
    const Queue& queue = call.Find<Queue>(handle);
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_QUEUE_CONTEXT:
        return info.Put(ToApi<cl_context>(queue.context.get()));
      case CL_QUEUE_DEVICE:
        return info.Put(ToApi<cl_device_id>(queue.device.get()));
      case CL_QUEUE_REFERENCE_COUNT:
        return info.Put<cl_uint>(queue.references());
      case CL_QUEUE_PROPERTIES:
        return info.Put(queue.properties);
      case CL_QUEUE_SIZE:
        RefuseIf(!queue.IsOnDevice(), CL_INVALID_COMMAND_QUEUE, "the queue is none on the device");
        return info.Put(queue.size);
      case CL_QUEUE_DEVICE_DEFAULT: {
        const auto& defaults = queue.context->default_queues;
        const auto found = defaults.find(queue.device.get());
        return info.Put(ToApi<cl_command_queue>(found == defaults.end() ? nullptr : found->second));
      }
      case CL_QUEUE_PROPERTIES_ARRAY:
        return info.PutAll<cl_queue_properties>(queue.given);
      default:
        Info::Unknown();
    }
  });
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue handle) {
  return Enter("clSetDefaultDeviceCommandQueue", [&](Call& call) {
    auto& in = call.Find<Context>(context);
    auto& on = call.Find<Device>(device);
    CheckDevice(in, on);
    auto& queue = call.Find<Queue>(handle);
    RefuseIf(!queue.IsOnDevice() || queue.context.get() != &in || queue.device.get() != &on,
             CL_INVALID_COMMAND_QUEUE, "the queue is none on this device and of this context");
    in.default_queues[&on] = &queue;
  });
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue, cl_command_queue_properties, cl_bool,
                                             cl_command_queue_properties*) {
  return Enter("clSetCommandQueueProperty",
               [](Call&) { Refuse(CL_INVALID_OPERATION, "it was removed in OpenCL 1.1"); });
}

cl_int CL_API_CALL clFlush(cl_command_queue handle) {
  return Enter("clFlush", [&](Call& call) {
    Driver::Get().scheduler->Flush(&FindHostQueue(&call, handle));
    Driver::Get().scheduler->Wake();
  });
}

cl_int CL_API_CALL clFinish(cl_command_queue handle) {
  return Enter("clFinish", [&](Call& call) {
    const Ref<Queue> queue = &FindHostQueue(&call, handle);
    TellIfInCallback(call.name());
    const Clock all = queue->order.all;
    queue->TellUnflushed(call.name());
    if (queue->pending.empty()) return queue->context->order.Saw(all);
    Driver::Get().scheduler->Flush(queue.get());
    // What is enqueued later, by another thread, is not waited for.
    const std::vector<Event*> now(queue->pending.begin(), queue->pending.end());
    const std::vector<Ref<Event>> events(now.begin(), now.end());
    std::size_t next = 0;
    Driver::Get().scheduler->RunUntil(&call.lock(), [&] {
      while (next < events.size() && events[next]->IsDone()) ++next;
      return next == events.size();
    });
    queue->context->order.Saw(all);
  });
}

cl_int Synchronize(const char* name, cl_command_queue handle, const Waits& waits,
                   cl_command_type type, Order order) {
  return Enter(name, [&](Call& call) {
    return Submit(&call, &FindHostQueue(&call, handle), waits, {.type = type, .order = order});
  });
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                               const cl_event* list, cl_event* event) {
  return Synchronize("clEnqueueMarkerWithWaitList", queue, {count, list, event}, CL_COMMAND_MARKER,
                     Order::kAfterAll);
}
cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                                const cl_event* list, cl_event* event) {
  return Synchronize("clEnqueueBarrierWithWaitList", queue, {count, list, event},
                     CL_COMMAND_BARRIER, Order::kBarrier);
}
cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event* event) {
  if (event == nullptr) {
    return Enter("clEnqueueMarker", [](Call&) { Refuse(CL_INVALID_VALUE, "event is null"); });
  }
  return Synchronize("clEnqueueMarker", queue, {0, nullptr, event}, CL_COMMAND_MARKER,
                     Order::kAfterAll);
}
cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  return Synchronize("clEnqueueBarrier", queue, {0, nullptr, nullptr}, CL_COMMAND_BARRIER,
                     Order::kBarrier);
}
cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count,
                                          const cl_event* list) {
  if (count == 0 || list == nullptr) {
    return Enter("clEnqueueWaitForEvents",
                 [](Call&) { Refuse(CL_INVALID_VALUE, "there are no events"); });
  }
  return Synchronize("clEnqueueWaitForEvents", queue, {count, list, nullptr}, CL_COMMAND_BARRIER,
                     Order::kBarrier);
}

}  // namespace

void AddQueue(Entries* entries) {
  ASSAY_ENTRY(clCreateCommandQueue);
  ASSAY_ENTRY(clCreateCommandQueueWithProperties);
  entries->by_name["clCreateCommandQueueWithPropertiesKHR"] =
      reinterpret_cast<void*>(&clCreateCommandQueueWithProperties);
  ASSAY_ENTRY(clRetainCommandQueue);
  ASSAY_ENTRY(clReleaseCommandQueue);
  ASSAY_ENTRY(clGetCommandQueueInfo);
  ASSAY_ENTRY(clSetDefaultDeviceCommandQueue);
  ASSAY_ENTRY(clSetCommandQueueProperty);
  ASSAY_ENTRY(clFlush);
  ASSAY_ENTRY(clFinish);
  ASSAY_ENTRY(clEnqueueMarkerWithWaitList);
  ASSAY_ENTRY(clEnqueueBarrierWithWaitList);
  ASSAY_ENTRY(clEnqueueMarker);
  ASSAY_ENTRY(clEnqueueBarrier);
  ASSAY_ENTRY(clEnqueueWaitForEvents);
}

}  // namespace assay::driver::api
