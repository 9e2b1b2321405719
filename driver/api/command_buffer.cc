// Command buffers (OpenCL API, 5.17; cl_khr_command_buffer 0.9.8).
//
// A command is recorded by the function that enqueues it, so that both check the same.
#include "driver/objects/command_buffer.h"

#include <fmt/format.h>

#include "driver/api/entries.h"
#include "driver/api/recording.h"
#include "driver/core/call.h"
#include "driver/core/dispatch.h"
#include "driver/core/info.h"
#include "driver/objects/memory_flags.h"
#include "driver/objects/newer.h"

namespace assay::driver::api {

namespace {

const cl_icd_dispatch& Api() { return *static_cast<const cl_icd_dispatch*>(DispatchTable()); }

cl_command_buffer_khr CL_API_CALL clCreateCommandBufferKHR(cl_uint num_queues,
                                                           const cl_command_queue* queues,
                                                           const cl_properties* properties,
                                                           cl_int* errcode_ret) {
  return Create<cl_command_buffer_khr>("clCreateCommandBufferKHR", errcode_ret, [&](Call& call) {
    RefuseIf(num_queues != 1 || queues == nullptr, CL_INVALID_VALUE,
             "there is not exactly one queue");
    auto& queue = FindHostQueue(&call, queues[0]);
    std::vector<cl_properties> given;
    cl_properties flags = 0;
    cl_bitfield asserts = 0;
    for (const auto* at = properties; at != nullptr && *at != 0; at += 2) {
      for (std::size_t i = 0; i < given.size(); i += 2) {
        if (given[i] == at[0])
          Refuse(CL_INVALID_VALUE, fmt::format("property {:#x} is given twice", at[0]));
      }
      given.insert(given.end(), {at[0], at[1]});
      if (at[0] == kCommandBufferFlags) {
        constexpr cl_properties kOwn =
            kCommandBufferFlagSimultaneousUse | kCommandBufferFlagMutable;
        RefuseIf((at[1] & ~kCommandBufferExtensionFlags) != 0, CL_INVALID_VALUE,
                 "CL_COMMAND_BUFFER_FLAGS_KHR has bits that the API does not");
        RefuseIf((at[1] & ~kOwn) != 0, CL_INVALID_PROPERTY,
                 "the device has no command buffers with these flags");
        flags = at[1];
      } else if (at[0] == kCommandBufferMutableDispatchAsserts) {
        RefuseIf((at[1] & ~kMutableDispatchNoAdditionalWorkGroups) != 0, CL_INVALID_VALUE,
                 "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR has bits that the API does not");
        asserts = at[1];
      } else {
        Refuse(CL_INVALID_VALUE, fmt::format("{:#x} is no property of command buffers", at[0]));
      }
    }
    if (properties != nullptr) given.push_back(0);
    auto* buffer = new CommandBuffer(&queue);
    buffer->properties = std::move(given);
    buffer->flags = flags;
    buffer->asserts = asserts;
    return buffer;
  });
}

cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr buffer) {
  return Enter("clRetainCommandBufferKHR",
               [&](Call& call) { call.Find<CommandBuffer>(buffer).Retain(); });
}
cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr buffer) {
  return Enter("clReleaseCommandBufferKHR",
               [&](Call& call) { call.Release<CommandBuffer>(buffer); });
}

cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr handle) {
  const ObjectChange change(handle);
  return Enter("clFinalizeCommandBufferKHR", [&](Call& call) {
    auto& buffer = call.Find<CommandBuffer>(handle);
    TellConcurrentChange(call.name(), change, buffer);
    RefuseIf(buffer.is_final, CL_INVALID_OPERATION, "the command buffer was finalized before");
    buffer.is_final = true;
  });
}

cl_int CL_API_CALL clGetCommandBufferInfoKHR(cl_command_buffer_khr handle, cl_uint name,
                                             size_t size, void* value, size_t* size_ret) {
  return Enter("clGetCommandBufferInfoKHR", [&](Call& call) {
    const auto& buffer = call.Find<CommandBuffer>(handle);
    const Info info(size, value, size_ret);
    switch (name) {
      case kCommandBufferNumQueues:
        return info.Put<cl_uint>(1);
      case kCommandBufferQueues:
        return info.Put(ToApi<cl_command_queue>(buffer.queue.get()));
      case kCommandBufferReferenceCount:
        return info.Put<cl_uint>(buffer.references());
      case kCommandBufferState:
        if (!buffer.is_final) return info.Put<cl_uint>(0);
        return info.Put(buffer.IsComplete() ? kCommandBufferExecutable : kCommandBufferFinalized);
      case kCommandBufferProperties:
        return info.PutAll<cl_properties>(buffer.properties);
      case kCommandBufferContext:
        return info.Put(ToApi<cl_context>(buffer.queue->context.get()));
      default:
        Info::Unknown();
    }
  });
}

// "Applications should ensure that objects passed as arguments to kernels recorded to a
// command-buffer are not deleted until the command-buffer has been released."
void TellReleasedArguments(const char* call, const CommandBuffer& buffer) {
  for (const RecordedCommand& command : buffer.commands) {
    for (const Ref<Object>& argument : command.submission->arguments) {
      if (argument->references() != 0) continue;
      TellMisuse(call, interp::Rule::kHostCommandBufferArgument,
                 fmt::format("{} was released, and is an argument of a kernel that {} has",
                             argument->Name(), buffer.Name()));
      return;
    }
  }
}

// "... submitted for execution without a prerequisite on all the previous submissions".
void TellSimultaneousUse(const char* call, const CommandBuffer& buffer, const Event& execution) {
  if ((buffer.flags & kCommandBufferFlagSimultaneousUse) != 0) return;
  if (buffer.last == nullptr || execution.order == nullptr || execution.order->is_unsettled) return;
  if (execution.context->order.has_unseen_order || ComesBefore(*buffer.last, *execution.order)) {
    return;
  }
  TellMisuse(
      call, interp::Rule::kHostCommandBufferInUse,
      fmt::format("nothing orders this execution of {} and the one before it", buffer.Name()));
}

cl_int CL_API_CALL clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue* queues,
                                             cl_command_buffer_khr handle, cl_uint count,
                                             const cl_event* list, cl_event* event) {
  return Enter("clEnqueueCommandBufferKHR", [&](Call& call) {
    auto& buffer = call.Find<CommandBuffer>(handle);
    RefuseIf(!buffer.is_final, CL_INVALID_OPERATION, "the command buffer is not finalized");
    RefuseIf(!buffer.IsComplete(), CL_INVALID_OPERATION,
             "an argument of a kernel that the command buffer has was never set");
    RefuseIf((num_queues == 0) != (queues == nullptr) || num_queues > 1, CL_INVALID_VALUE,
             "queues and num_queues do not go together, or are not one queue");
    Queue& queue = queues == nullptr ? *buffer.queue : FindHostQueue(&call, queues[0]);
    RefuseIf(queue.context.get() != buffer.queue->context.get(), CL_INVALID_CONTEXT,
             "the queue is of another context than the command buffer");
    RefuseIf(queue.device.get() != buffer.queue->device.get(), CL_INVALID_DEVICE,
             "the queue is of another device than the command buffer");
    TellReleasedArguments(call.name(), buffer);
    Submission submission{.type = kCommandCommandBuffer, .uses = {&buffer}};
    // Updates are for later executions.
    std::vector<std::shared_ptr<const Submission>> commands;
    for (const RecordedCommand& command : buffer.commands) {
      commands.push_back(command.submission);
      submission.accesses.insert(submission.accesses.end(), command.submission->accesses.begin(),
                                 command.submission->accesses.end());
    }
    submission.make_work = [&commands](const Event& execution) -> std::function<cl_int()> {
      std::vector<std::function<cl_int()>> works;
      for (const auto& command : commands) {
        works.push_back(command->make_work ? command->make_work(execution) : command->work);
      }
      return [commands, works = std::move(works)]() -> cl_int {
        for (const auto& work : works) {
          const cl_int code = work ? work() : CL_SUCCESS;
          if (code != CL_SUCCESS) return code;
        }
        return CL_SUCCESS;
      };
    };
    submission.on_enqueued = [&buffer, &call](Event* enqueued) {
      TellSimultaneousUse(call.name(), buffer, *enqueued);
      buffer.last = enqueued->order;
    };
    return Submit(&call, &queue, {count, list, event}, std::move(submission));
  });
}

}  // namespace

void TellConcurrentChange(const char* call, const ObjectChange& change,
                          const CommandBuffer& buffer) {
  if (!change.IsConcurrent()) return;
  TellMisuse(call, interp::Rule::kHostCommandBufferInUse,
             fmt::format("another thread is in a call that changes {}, too", buffer.Name()));
}

CommandBuffer& FindRecording(Call* call, const Recorded& given) {
  auto& buffer = call->Find<CommandBuffer>(given.buffer);
  RefuseIf(given.queue != nullptr, CL_INVALID_COMMAND_QUEUE, "command_queue is not null");
  RefuseIf(buffer.is_final, CL_INVALID_OPERATION, "the command buffer is finalized");
  RefuseIf((given.num_points == 0) != (given.points == nullptr),
           CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
           "sync_point_wait_list and num_sync_points_in_wait_list do not go together");
  for (cl_uint i = 0; i < given.num_points; ++i) {
    RefuseIf(
        given.points[i] == 0 || given.points[i] > buffer.commands.size(),
        CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
        "an element of sync_point_wait_list is no synchronization point of the command buffer");
  }
  return buffer;
}

namespace {

// enqueue(queue) is the call that enqueues the command.
template <typename Enqueue>
cl_int Record(const char* name, const Recorded& given, Enqueue&& enqueue) {
  Ref<CommandBuffer> buffer;
  cl_int code = Enter(name, [&](Call& call) {
    buffer = &FindRecording(&call, given);
    RefuseIf(given.properties != nullptr && *given.properties != 0, CL_INVALID_VALUE,
             "the command has no properties");
    RefuseIf(given.mutable_handle != nullptr, CL_INVALID_VALUE, "mutable_handle is not null");
  });
  if (code != CL_SUCCESS) return code;
  Recorder recorder;
  code = enqueue(ToApi<cl_command_queue>(buffer->queue.get()));
  return Enter(name, [&](Call&) -> cl_int {
    // References are ended with the lock held.
    const Ref<CommandBuffer> to = std::move(buffer);
    if (code != CL_SUCCESS) return code;
    for (Submission& command : recorder.commands)
      to->commands.push_back({std::make_shared<const Submission>(std::move(command))});
    recorder.commands.clear();
    if (given.point != nullptr) *given.point = static_cast<cl_sync_point_khr>(to->commands.size());
    return CL_SUCCESS;
  });
}

cl_int CL_API_CALL clCommandCopyBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_properties* properties, cl_mem from, cl_mem to,
                                          size_t from_offset, size_t to_offset, size_t size,
                                          cl_uint num_points, const cl_sync_point_khr* points,
                                          cl_sync_point_khr* point, void** mutable_handle) {
  return Record("clCommandCopyBufferKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueCopyBuffer(on, from, to, from_offset, to_offset, size, 0,
                                                   nullptr, nullptr);
                });
}

cl_int CL_API_CALL clCommandCopyBufferRectKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                              const cl_properties* properties, cl_mem from,
                                              cl_mem to, const size_t* from_origin,
                                              const size_t* to_origin, const size_t* region,
                                              size_t from_row, size_t from_slice, size_t to_row,
                                              size_t to_slice, cl_uint num_points,
                                              const cl_sync_point_khr* points,
                                              cl_sync_point_khr* point, void** mutable_handle) {
  return Record("clCommandCopyBufferRectKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueCopyBufferRect(on, from, to, from_origin, to_origin, region,
                                                       from_row, from_slice, to_row, to_slice, 0,
                                                       nullptr, nullptr);
                });
}

cl_int CL_API_CALL clCommandCopyBufferToImageKHR(cl_command_buffer_khr buffer,
                                                 cl_command_queue queue,
                                                 const cl_properties* properties, cl_mem from,
                                                 cl_mem to, size_t offset, const size_t* origin,
                                                 const size_t* region, cl_uint num_points,
                                                 const cl_sync_point_khr* points,
                                                 cl_sync_point_khr* point, void** mutable_handle) {
  return Record("clCommandCopyBufferToImageKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueCopyBufferToImage(on, from, to, offset, origin, region, 0,
                                                          nullptr, nullptr);
                });
}

cl_int CL_API_CALL clCommandCopyImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_properties* properties, cl_mem from, cl_mem to,
                                         const size_t* from_origin, const size_t* to_origin,
                                         const size_t* region, cl_uint num_points,
                                         const cl_sync_point_khr* points, cl_sync_point_khr* point,
                                         void** mutable_handle) {
  return Record("clCommandCopyImageKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueCopyImage(on, from, to, from_origin, to_origin, region, 0,
                                                  nullptr, nullptr);
                });
}

cl_int CL_API_CALL clCommandCopyImageToBufferKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue, const cl_properties* properties,
    cl_mem from, cl_mem to, const size_t* origin, const size_t* region, size_t offset,
    cl_uint num_points, const cl_sync_point_khr* points, cl_sync_point_khr* point,
    void** mutable_handle) {
  return Record("clCommandCopyImageToBufferKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueCopyImageToBuffer(on, from, to, origin, region, offset, 0,
                                                          nullptr, nullptr);
                });
}

cl_int CL_API_CALL clCommandFillBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_properties* properties, cl_mem to,
                                          const void* pattern, size_t pattern_size, size_t offset,
                                          size_t size, cl_uint num_points,
                                          const cl_sync_point_khr* points, cl_sync_point_khr* point,
                                          void** mutable_handle) {
  return Record("clCommandFillBufferKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueFillBuffer(on, to, pattern, pattern_size, offset, size, 0,
                                                   nullptr, nullptr);
                });
}

cl_int CL_API_CALL clCommandFillImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_properties* properties, cl_mem to,
                                         const void* color, const size_t* origin,
                                         const size_t* region, cl_uint num_points,
                                         const cl_sync_point_khr* points, cl_sync_point_khr* point,
                                         void** mutable_handle) {
  return Record("clCommandFillImageKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueFillImage(on, to, color, origin, region, 0, nullptr,
                                                  nullptr);
                });
}

cl_int CL_API_CALL clCommandSVMMemFillKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_properties* properties, void* to,
                                          const void* pattern, size_t pattern_size, size_t size,
                                          cl_uint num_points, const cl_sync_point_khr* points,
                                          cl_sync_point_khr* point, void** mutable_handle) {
  return Record("clCommandSVMMemFillKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueSVMMemFill(on, to, pattern, pattern_size, size, 0, nullptr,
                                                   nullptr);
                });
}

cl_int CL_API_CALL clCommandSVMMemcpyKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_properties* properties, void* to,
                                         const void* from, size_t size, cl_uint num_points,
                                         const cl_sync_point_khr* points, cl_sync_point_khr* point,
                                         void** mutable_handle) {
  return Record("clCommandSVMMemcpyKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueSVMMemcpy(on, CL_FALSE, to, from, size, 0, nullptr,
                                                  nullptr);
                });
}

cl_int CL_API_CALL clCommandBarrierWithWaitListKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue, const cl_properties* properties,
    cl_uint num_points, const cl_sync_point_khr* points, cl_sync_point_khr* point,
    void** mutable_handle) {
  return Record("clCommandBarrierWithWaitListKHR",
                {buffer, queue, properties, num_points, points, point, mutable_handle},
                [&](cl_command_queue on) {
                  return Api().clEnqueueBarrierWithWaitList(on, 0, nullptr, nullptr);
                });
}

}  // namespace

void AddCommandBuffer(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clCreateCommandBufferKHR);
  ASSAY_EXTENSION_ENTRY(clRetainCommandBufferKHR);
  ASSAY_EXTENSION_ENTRY(clReleaseCommandBufferKHR);
  ASSAY_EXTENSION_ENTRY(clFinalizeCommandBufferKHR);
  ASSAY_EXTENSION_ENTRY(clGetCommandBufferInfoKHR);
  ASSAY_EXTENSION_ENTRY(clEnqueueCommandBufferKHR);
  ASSAY_EXTENSION_ENTRY(clCommandCopyBufferKHR);
  ASSAY_EXTENSION_ENTRY(clCommandCopyBufferRectKHR);
  ASSAY_EXTENSION_ENTRY(clCommandCopyBufferToImageKHR);
  ASSAY_EXTENSION_ENTRY(clCommandCopyImageKHR);
  ASSAY_EXTENSION_ENTRY(clCommandCopyImageToBufferKHR);
  ASSAY_EXTENSION_ENTRY(clCommandFillBufferKHR);
  ASSAY_EXTENSION_ENTRY(clCommandFillImageKHR);
  ASSAY_EXTENSION_ENTRY(clCommandSVMMemFillKHR);
  ASSAY_EXTENSION_ENTRY(clCommandSVMMemcpyKHR);
  ASSAY_EXTENSION_ENTRY(clCommandBarrierWithWaitListKHR);
}

}  // namespace assay::driver::api
