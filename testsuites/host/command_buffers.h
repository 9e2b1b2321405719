/* The functions of cl_khr_command_buffer, by the types that version 0.9.8 has. */
#pragma once

#include "testsuites/host/queues.h"

/* Behind the version that host.h asks for. */
#include <CL/cl_ext.h>

static inline void* Function(const char* name) {
  cl_platform_id platform;
  void* found;
  Need(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
       "clGetDeviceInfo");
  found = clGetExtensionFunctionAddressForPlatform(platform, name);
  Need(found == NULL, name);
  return found;
}
static inline cl_command_buffer_khr MakeCommandBuffer(void) {
  cl_int code = -1;
  cl_command_buffer_khr made =
      ((cl_command_buffer_khr(*)(cl_uint, const cl_command_queue*, const void*, cl_int*))Function(
          "clCreateCommandBufferKHR"))(1, &queue, NULL, &code);
  Need(code, "clCreateCommandBufferKHR");
  return made;
}
/* Kernel `put` on the buffer. */
static inline void Record(cl_command_buffer_khr to, cl_mem buffer) {
  const int value = 7;
  const size_t size = 4;
  if (kernel == NULL) Build();
  Need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
  Need(((cl_int(*)(cl_command_buffer_khr, cl_command_queue, const void*, cl_kernel, cl_uint,
                   const size_t*, const size_t*, const size_t*, cl_uint, const cl_uint*, cl_uint*,
                   void**))Function("clCommandNDRangeKernelKHR"))(to, NULL, NULL, kernel, 1, NULL,
                                                                  &size, NULL, 0, NULL, NULL, NULL),
       "clCommandNDRangeKernelKHR");
  Need(((cl_int(*)(cl_command_buffer_khr))Function("clFinalizeCommandBufferKHR"))(to),
       "clFinalizeCommandBufferKHR");
}
/* A barrier, which accesses nothing. */
static inline void RecordBarrier(cl_command_buffer_khr to) {
  Need(((cl_int(*)(cl_command_buffer_khr, cl_command_queue, const void*, cl_uint, const cl_uint*,
                   cl_uint*, void**))Function("clCommandBarrierWithWaitListKHR"))(to, NULL, NULL, 0,
                                                                                  NULL, NULL, NULL),
       "clCommandBarrierWithWaitListKHR");
  Need(((cl_int(*)(cl_command_buffer_khr))Function("clFinalizeCommandBufferKHR"))(to),
       "clFinalizeCommandBufferKHR");
}
static inline cl_int Execute(cl_command_buffer_khr one, cl_command_queue on, cl_uint waits,
                             const cl_event* list, cl_event* event) {
  return ((cl_int(*)(cl_uint, cl_command_queue*, cl_command_buffer_khr, cl_uint, const cl_event*,
                     cl_event*))Function("clEnqueueCommandBufferKHR"))(1, &on, one, waits, list,
                                                                       event);
}
static inline void Release(cl_command_buffer_khr one) {
  ((cl_int(*)(cl_command_buffer_khr))Function("clReleaseCommandBufferKHR"))(one);
}
