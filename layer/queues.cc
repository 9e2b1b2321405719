// Queues, commands and user events.
#include "layer/follow.h"

namespace assay::layer {

namespace {

// --- Queues ---

cl_command_queue Added(cl_command_queue queue, cl_context context, cl_device_id device) {
  AskOtherLoaders();
  if (queue == nullptr) return queue;
  auto record = std::make_shared<QueueRecord>();
  record->context = context;
  record->device = device;
  Layer::Get().queues.Add(queue, std::move(record));
  return queue;
}

cl_command_queue CreateQueue(cl_context context, cl_device_id device,
                             cl_command_queue_properties properties, cl_int* error) {
  return Added(Target(context).clCreateCommandQueue(context, device, properties, error), context,
               device);
}

cl_command_queue CreateQueueWithProperties(cl_context context, cl_device_id device,
                                           const cl_queue_properties* properties, cl_int* error) {
  return Added(
      Target(context).clCreateCommandQueueWithProperties(context, device, properties, error),
      context, device);
}

cl_int RetainQueue(cl_command_queue queue) {
  const cl_int status = Target(queue).clRetainCommandQueue(queue);
  if (status == CL_SUCCESS) Layer::Get().queues.Retain(queue);
  return status;
}

cl_int ReleaseQueue(cl_command_queue queue) {
  Layer::Get().queues.Release(queue);
  return Target(queue).clReleaseCommandQueue(queue);
}

cl_int Finish(cl_command_queue queue) {
  const auto record = Layer::Get().queues.Find(queue);
  const std::uint64_t commands = record ? record->commands.load() : 0;
  const cl_int status = Target(queue).clFinish(queue);
  if (record && status == CL_SUCCESS) record->finished.store(commands);
  return status;
}

// --- Commands ---

template <typename T>
void Names(T) {}  // an argument that is no object of memory
void Names(cl_mem memory) { Written(memory); }

// A function that enqueues a command, of any arguments.
template <auto entry>
struct Command;
template <typename... Arguments, cl_int (*cl_icd_dispatch::*entry)(cl_command_queue, Arguments...)>
struct Command<entry> {
  static cl_int Call(cl_command_queue queue, Arguments... arguments) {
    Enqueued(queue);
    (Names(arguments), ...);
    return (Target(queue).*entry)(queue, arguments...);
  }
};

template <auto entry>
void FollowCommand(cl_icd_dispatch* table) {
  Replace(entry, &Command<entry>::Call, table);
}

void* MapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                size_t offset, size_t size, cl_uint waits, const cl_event* wait_list,
                cl_event* event, cl_int* error) {
  Enqueued(queue);
  Written(buffer);
  return Target(queue).clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, waits,
                                          wait_list, event, error);
}

void* MapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
               const size_t* origin, const size_t* region, size_t* row_pitch, size_t* slice_pitch,
               cl_uint waits, const cl_event* wait_list, cl_event* event, cl_int* error) {
  Enqueued(queue);
  Written(image);
  return Target(queue).clEnqueueMapImage(queue, image, blocking, flags, origin, region, row_pitch,
                                         slice_pitch, waits, wait_list, event, error);
}

// --- User events ---

cl_event CreateUserEvent(cl_context context, cl_int* error) {
  const cl_event event = Target(context).clCreateUserEvent(context, error);
  if (event == nullptr) return event;
  Layer::Get().user_events.Add(event, std::make_shared<UserEventRecord>());
  ++Layer::Get().open_user_events;
  return event;
}

cl_int SetUserEventStatus(cl_event event, cl_int value) {
  const cl_int status = Target(event).clSetUserEventStatus(event, value);
  const auto record = Layer::Get().user_events.Find(event);
  if (record && status == CL_SUCCESS && !record->is_complete.exchange(true)) {
    --Layer::Get().open_user_events;
  }
  return status;
}

cl_int RetainEvent(cl_event event) {
  const cl_int status = Target(event).clRetainEvent(event);
  if (status == CL_SUCCESS) Layer::Get().user_events.Retain(event);
  return status;
}

// One that is released before it is complete stays open: commands may wait for it for ever.
cl_int ReleaseEvent(cl_event event) {
  Layer::Get().user_events.Release(event);
  return Target(event).clReleaseEvent(event);
}

void FollowTransfers(cl_icd_dispatch* table) {
  using T = cl_icd_dispatch;
  FollowCommand<&T::clEnqueueReadBuffer>(table);
  FollowCommand<&T::clEnqueueWriteBuffer>(table);
  FollowCommand<&T::clEnqueueCopyBuffer>(table);
  FollowCommand<&T::clEnqueueReadBufferRect>(table);
  FollowCommand<&T::clEnqueueWriteBufferRect>(table);
  FollowCommand<&T::clEnqueueCopyBufferRect>(table);
  FollowCommand<&T::clEnqueueFillBuffer>(table);
  FollowCommand<&T::clEnqueueReadImage>(table);
  FollowCommand<&T::clEnqueueWriteImage>(table);
  FollowCommand<&T::clEnqueueCopyImage>(table);
  FollowCommand<&T::clEnqueueCopyImageToBuffer>(table);
  FollowCommand<&T::clEnqueueCopyBufferToImage>(table);
  FollowCommand<&T::clEnqueueFillImage>(table);
  FollowCommand<&T::clEnqueueUnmapMemObject>(table);
  FollowCommand<&T::clEnqueueMigrateMemObjects>(table);
  FollowCommand<&T::clEnqueueSVMFree>(table);
  FollowCommand<&T::clEnqueueSVMMemcpy>(table);
  FollowCommand<&T::clEnqueueSVMMemFill>(table);
  FollowCommand<&T::clEnqueueSVMMap>(table);
  FollowCommand<&T::clEnqueueSVMUnmap>(table);
  FollowCommand<&T::clEnqueueSVMMigrateMem>(table);
  FollowCommand<&T::clEnqueueNativeKernel>(table);
  FollowCommand<&T::clEnqueueAcquireGLObjects>(table);
  FollowCommand<&T::clEnqueueReleaseGLObjects>(table);
  FollowCommand<&T::clEnqueueAcquireEGLObjectsKHR>(table);
  FollowCommand<&T::clEnqueueReleaseEGLObjectsKHR>(table);
}

}  // namespace

void FollowQueues(cl_icd_dispatch* table) {
  using T = cl_icd_dispatch;
  Replace(&T::clCreateCommandQueue, &CreateQueue, table);
  Replace(&T::clCreateCommandQueueWithProperties, &CreateQueueWithProperties, table);
  Replace(&T::clRetainCommandQueue, &RetainQueue, table);
  Replace(&T::clReleaseCommandQueue, &ReleaseQueue, table);
  Replace(&T::clFinish, &Finish, table);
  Replace(&T::clEnqueueMapBuffer, &MapBuffer, table);
  Replace(&T::clEnqueueMapImage, &MapImage, table);
  Replace(&T::clCreateUserEvent, &CreateUserEvent, table);
  Replace(&T::clSetUserEventStatus, &SetUserEventStatus, table);
  Replace(&T::clRetainEvent, &RetainEvent, table);
  Replace(&T::clReleaseEvent, &ReleaseEvent, table);
  FollowTransfers(table);
}

}  // namespace assay::layer
