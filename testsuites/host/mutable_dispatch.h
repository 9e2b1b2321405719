/* The functions of cl_khr_command_buffer_mutable_dispatch 0.9.5, by their types in it. */
#pragma once

#include "testsuites/host/command_buffers.h"

#define MUTABLE_FLAGS 0x1293
#define MUTABLE_FIELDS 0x12B1
#define MUTABLE_ASSERTS 0x12B8
#define MUTABLE_ALL 31
#define MUTABLE_GLOBAL_SIZE 2

typedef struct {
  cl_uint index;
  size_t size;
  const void* value;
} MutableArgument;
typedef struct {
  void* command;
  cl_uint num_arguments, num_svm_arguments, num_exec_infos, dimensions;
  const MutableArgument* arguments;
  const MutableArgument* svm_arguments;
  const void* exec_infos;
  const size_t* offset;
  const size_t* global;
  const size_t* local;
} MutableConfig;

static inline cl_command_buffer_khr MakeMutable(cl_ulong flags) {
  const cl_ulong given[] = {MUTABLE_FLAGS, flags, 0};
  cl_int code = -1;
  cl_command_buffer_khr made =
      ((cl_command_buffer_khr(*)(cl_uint, const cl_command_queue*, const cl_ulong*,
                                 cl_int*))Function("clCreateCommandBufferKHR"))(1, &queue, given,
                                                                                &code);
  Need(code, "clCreateCommandBufferKHR");
  return made;
}
/* Kernel `put` on the buffer, for `size` work-items in groups of 2. */
static inline cl_int RecordSized(cl_command_buffer_khr to, cl_mem buffer, size_t size,
                                 const cl_ulong* properties, void** handle) {
  const int value = 7;
  const size_t local = 2;
  if (kernel == NULL) Build();
  Need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
  return ((cl_int(*)(cl_command_buffer_khr, cl_command_queue, const cl_ulong*, cl_kernel, cl_uint,
                     const size_t*, const size_t*, const size_t*, cl_uint, const cl_uint*, cl_uint*,
                     void**))Function("clCommandNDRangeKernelKHR"))(
      to, NULL, properties, kernel, 1, NULL, &size, &local, 0, NULL, NULL, handle);
}
static inline cl_int RecordMutable(cl_command_buffer_khr to, cl_mem buffer,
                                   const cl_ulong* properties, void** handle) {
  return RecordSized(to, buffer, 4, properties, handle);
}
static inline void Finalize(cl_command_buffer_khr one) {
  Need(((cl_int(*)(cl_command_buffer_khr))Function("clFinalizeCommandBufferKHR"))(one),
       "clFinalizeCommandBufferKHR");
}
static inline cl_int Update(cl_command_buffer_khr one, const MutableConfig* config) {
  const cl_uint type = 0;
  const void* configs[1];
  configs[0] = config;
  return ((cl_int(*)(cl_command_buffer_khr, cl_uint, const cl_uint*, const void**))Function(
      "clUpdateMutableCommandsKHR"))(one, 1, &type, configs);
}
