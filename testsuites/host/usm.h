/* The functions of cl_intel_unified_shared_memory. */
#pragma once

#include "testsuites/host/command_buffers.h"

#define USM(name) ((name##_fn)Function(#name))

static inline void* DeviceMemory(size_t size) {
  cl_int code = -1;
  void* made = USM(clDeviceMemAllocINTEL)(context, device, NULL, size, 0, &code);
  Need(code, "clDeviceMemAllocINTEL");
  return made;
}
static inline void* SharedMemory(size_t size) {
  cl_int code = -1;
  void* made = USM(clSharedMemAllocINTEL)(context, device, NULL, size, 0, &code);
  Need(code, "clSharedMemAllocINTEL");
  return made;
}
static inline void* HostMemory(size_t size) {
  cl_int code = -1;
  void* made = USM(clHostMemAllocINTEL)(context, NULL, size, 0, &code);
  Need(code, "clHostMemAllocINTEL");
  return made;
}
static inline cl_int CopyUsm(void* to, const void* from, size_t size) {
  return USM(clEnqueueMemcpyINTEL)(queue, CL_TRUE, to, from, size, 0, NULL, NULL);
}
static inline cl_int FillUsm(cl_command_queue on, void* to, size_t size) {
  static const int value = 7;
  return USM(clEnqueueMemFillINTEL)(on, to, &value, sizeof value, size, 0, NULL, NULL);
}
static inline cl_int FreeUsm(void* pointer) {
  return USM(clMemBlockingFreeINTEL)(context, pointer);
}
