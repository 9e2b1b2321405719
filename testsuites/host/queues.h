/* What programs with several queues share. */
#pragma once

#include "testsuites/host/host.h"

static inline cl_command_queue MakeQueue(cl_command_queue_properties properties) {
  const cl_queue_properties given[] = {CL_QUEUE_PROPERTIES, properties, 0};
  cl_int code = -1;
  cl_command_queue made = clCreateCommandQueueWithProperties(context, device, given, &code);
  Need(code, "clCreateCommandQueueWithProperties");
  return made;
}

static inline cl_event UserEvent(void) {
  cl_int code = -1;
  cl_event made = clCreateUserEvent(context, &code);
  Need(code, "clCreateUserEvent");
  return made;
}

/* Four bytes of a buffer. */
static inline void Fill(cl_command_queue on, cl_mem buffer, size_t offset, cl_uint waits,
                        const cl_event* list, cl_event* event) {
  const int value = 7;
  Need(clEnqueueFillBuffer(on, buffer, &value, sizeof value, offset, sizeof value, waits, list,
                           event),
       "clEnqueueFillBuffer");
}

/* Kernel `put`: four ints of the buffer. */
static inline void Put(cl_command_queue on, cl_mem buffer, cl_uint waits, const cl_event* list,
                       cl_event* event) {
  const int value = 7;
  const size_t size = 4;
  if (kernel == NULL) Build();
  Need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
  Need(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &size, NULL, waits, list, event),
       "clEnqueueNDRangeKernel");
}
