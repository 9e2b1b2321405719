/* Command queues and events. */
#include "testsuites/host/misuse/cases.h"

#define QUEUES "5.1 Command-Queues"
#define EVENTS "5.11 Event Objects"
#define MARKERS "5.12 Markers, Barriers and Waiting for Events"

static cl_int NewQueue(cl_queue_properties name, cl_queue_properties value) {
  const cl_queue_properties given[] = {name, value, 0};
  cl_int code = -1;
  cl_command_queue made = clCreateCommandQueueWithProperties(context, device, given, &code);
  if (made != NULL) clReleaseCommandQueue(made);
  return code;
}
static cl_event UserEvent(cl_context in) {
  cl_int code = -1;
  cl_event made = clCreateUserEvent(in, &code);
  Need(code, "clCreateUserEvent");
  return made;
}
static cl_command_queue DeviceQueue(void) {
  const cl_queue_properties given[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_int code = -1;
  cl_command_queue made = clCreateCommandQueueWithProperties(context, device, given, &code);
  Need(code, "clCreateCommandQueueWithProperties");
  return made;
}
static void CL_CALLBACK Done(cl_event event, cl_int status, void* user) {
  (void)event, (void)status, (void)user;
}

MISUSE(queue_of_unknown_property, "host-api-error", clCreateCommandQueueWithProperties,
       CL_INVALID_VALUE, QUEUES, "a property is none of command queues") {
  return NewQueue(wrong ? 0x1234 : CL_QUEUE_PROPERTIES, 0);
}
MISUSE(queue_of_unknown_bits, "host-api-error", clCreateCommandQueueWithProperties,
       CL_INVALID_VALUE, QUEUES, "CL_QUEUE_PROPERTIES has a bit that the API does not") {
  return NewQueue(CL_QUEUE_PROPERTIES, wrong ? 1 << 20 : CL_QUEUE_PROFILING_ENABLE);
}
MISUSE(queue_on_device_in_order, "host-api-error", clCreateCommandQueueWithProperties,
       CL_INVALID_VALUE, QUEUES, "a queue on the device is in order") {
  return NewQueue(CL_QUEUE_PROPERTIES,
                  CL_QUEUE_ON_DEVICE | (wrong ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
}
MISUSE(queue_size_on_host, "host-api-error", clCreateCommandQueueWithProperties, CL_INVALID_VALUE,
       QUEUES, "CL_QUEUE_SIZE is given for a queue on the host") {
  return NewQueue(wrong ? CL_QUEUE_SIZE : CL_QUEUE_PROPERTIES, wrong ? 4096 : 0);
}
MISUSE(queue_size_of_host_queue, "host-api-error", clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE,
       QUEUES, "CL_QUEUE_SIZE is asked of a queue on the host") {
  return clGetCommandQueueInfo(queue, wrong ? CL_QUEUE_SIZE : CL_QUEUE_REFERENCE_COUNT, 4, bytes,
                               NULL);
}
MISUSE(command_on_device_queue, "host-api-error", clEnqueueWriteBuffer, CL_INVALID_COMMAND_QUEUE,
       QUEUES, "the host enqueues a command on a queue on the device") {
  cl_command_queue on_device = DeviceQueue();
  const cl_int code =
      clEnqueueWriteBuffer(wrong ? on_device : queue, buffer, CL_TRUE, 0, 8, bytes, 0, NULL, NULL);
  clReleaseCommandQueue(on_device);
  return code;
}
MISUSE(default_queue_of_host, "host-api-error", clSetDefaultDeviceCommandQueue,
       CL_INVALID_COMMAND_QUEUE, QUEUES, "the default queue on the device is a queue on the host") {
  cl_command_queue on_device = DeviceQueue();
  const cl_int code = clSetDefaultDeviceCommandQueue(context, device, wrong ? queue : on_device);
  clReleaseCommandQueue(on_device);
  return code;
}
MISUSE(flush_of_a_buffer, "host-invalid-handle", clFlush, CL_INVALID_COMMAND_QUEUE,
       "5.15 Flush and Finish", "a buffer is given as command queue") {
  return clFlush(wrong ? (cl_command_queue)buffer : queue);
}
MISUSE(wait_list_without_events, "host-api-error", clEnqueueMarkerWithWaitList,
       CL_INVALID_EVENT_WAIT_LIST, MARKERS,
       "event_wait_list is null, and num_events_in_wait_list is 1") {
  return clEnqueueMarkerWithWaitList(queue, wrong ? 1 : 0, NULL, NULL);
}
MISUSE(wait_list_without_count, "host-api-error", clEnqueueBarrierWithWaitList,
       CL_INVALID_EVENT_WAIT_LIST, MARKERS,
       "event_wait_list is a list, and num_events_in_wait_list is 0") {
  cl_event event = UserEvent(context);
  cl_int code = clSetUserEventStatus(event, CL_COMPLETE);
  code = clEnqueueBarrierWithWaitList(queue, wrong ? 0 : 1, &event, NULL);
  clReleaseEvent(event);
  return code;
}
MISUSE(wait_list_of_null, "host-api-error", clEnqueueMarkerWithWaitList, CL_INVALID_EVENT_WAIT_LIST,
       MARKERS, "an event of the list is null") {
  const cl_event none = NULL;
  return clEnqueueMarkerWithWaitList(queue, wrong ? 1 : 0, wrong ? &none : NULL, NULL);
}
MISUSE(wait_list_of_other_context, "host-api-error", clEnqueueWriteBuffer, CL_INVALID_CONTEXT,
       "5.2.2 Reading, Writing and Copying Buffer Objects",
       "an event of the list is of another context") {
  cl_event event = UserEvent(wrong ? other_context : context);
  cl_int code = clSetUserEventStatus(event, CL_COMPLETE);
  code = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 8, bytes, 1, &event, NULL);
  clReleaseEvent(event);
  return code;
}
MISUSE(wait_for_two_contexts, "host-api-error", clWaitForEvents, CL_INVALID_CONTEXT, EVENTS,
       "the events are of different contexts") {
  cl_event events[2];
  cl_int code = -1;
  events[0] = UserEvent(context);
  events[1] = UserEvent(wrong ? other_context : context);
  clSetUserEventStatus(events[0], CL_COMPLETE);
  clSetUserEventStatus(events[1], CL_COMPLETE);
  code = clWaitForEvents(2, events);
  clReleaseEvent(events[0]);
  clReleaseEvent(events[1]);
  return code;
}
MISUSE(wait_for_released_event, "host-released-object", clWaitForEvents, CL_INVALID_EVENT, EVENTS,
       "the event was released before") {
  cl_event event = NULL;
  cl_int code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
  Need(code, "clEnqueueMarkerWithWaitList");
  clFinish(queue);
  if (wrong) clReleaseEvent(event);
  code = clWaitForEvents(1, &event);
  if (!wrong) clReleaseEvent(event);
  return code;
}
MISUSE(user_event_running, "host-api-error", clSetUserEventStatus, CL_INVALID_VALUE, EVENTS,
       "the status is CL_RUNNING") {
  cl_event event = UserEvent(context);
  const cl_int code = clSetUserEventStatus(event, wrong ? CL_RUNNING : CL_COMPLETE);
  clReleaseEvent(event);
  return code;
}
MISUSE(user_event_set_twice, "host-api-error", clSetUserEventStatus, CL_INVALID_OPERATION, EVENTS,
       "the status was set before") {
  cl_event event = UserEvent(context);
  cl_int code = clSetUserEventStatus(event, CL_COMPLETE);
  if (wrong) code = clSetUserEventStatus(event, CL_COMPLETE);
  clReleaseEvent(event);
  return code;
}
MISUSE(status_of_command_set, "host-api-error", clSetUserEventStatus, CL_INVALID_EVENT, EVENTS,
       "the event is that of a command") {
  cl_event event = wrong ? NULL : UserEvent(context);
  cl_int code = wrong ? clEnqueueMarkerWithWaitList(queue, 0, NULL, &event) : CL_SUCCESS;
  Need(code, "clEnqueueMarkerWithWaitList");
  code = clSetUserEventStatus(event, CL_COMPLETE);
  clFinish(queue);
  clReleaseEvent(event);
  return code;
}
MISUSE(event_callback_null, "host-api-error", clSetEventCallback, CL_INVALID_VALUE, EVENTS,
       "pfn_event_notify is null") {
  cl_event event = UserEvent(context);
  const cl_int code = clSetEventCallback(event, CL_COMPLETE, wrong ? NULL : Done, NULL);
  clSetUserEventStatus(event, CL_COMPLETE);
  clReleaseEvent(event);
  return code;
}
MISUSE(event_callback_for_queued, "host-api-error", clSetEventCallback, CL_INVALID_VALUE, EVENTS,
       "a callback is set for CL_QUEUED") {
  cl_event event = UserEvent(context);
  const cl_int code = clSetEventCallback(event, wrong ? CL_QUEUED : CL_COMPLETE, Done, NULL);
  clSetUserEventStatus(event, CL_COMPLETE);
  clReleaseEvent(event);
  return code;
}
MISUSE(times_without_profiling, "host-api-error", clGetEventProfilingInfo,
       CL_PROFILING_INFO_NOT_AVAILABLE, "5.14 Profiling Operations on Memory Objects and Kernels",
       "the queue is made without CL_QUEUE_PROFILING_ENABLE") {
  const cl_queue_properties given[] = {CL_QUEUE_PROPERTIES, wrong ? 0 : CL_QUEUE_PROFILING_ENABLE,
                                       0};
  cl_event event = NULL;
  cl_int code = -1;
  cl_command_queue timed = clCreateCommandQueueWithProperties(context, device, given, &code);
  Need(code, "clCreateCommandQueueWithProperties");
  Need(clEnqueueMarkerWithWaitList(timed, 0, NULL, &event), "clEnqueueMarkerWithWaitList");
  clFinish(timed);
  code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, bytes, NULL);
  clReleaseEvent(event);
  clReleaseCommandQueue(timed);
  return code;
}
MISUSE(event_answer_without_room, "host-api-error", clGetEventInfo, CL_INVALID_VALUE, EVENTS,
       "param_value_size is less than the answer's size") {
  cl_event event = UserEvent(context);
  const cl_int code = clGetEventInfo(event, CL_EVENT_CONTEXT, wrong ? 4 : 8, bytes, NULL);
  clReleaseEvent(event);
  return code;
}
