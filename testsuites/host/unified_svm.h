/* The functions of cl_khr_unified_svm 0.9.0, by their types in it. */
#pragma once

#include "testsuites/host/command_buffers.h"

#define USVM_COARSE 0
#define USVM_DEVICE 3
#define USVM_HOST 4
#define USVM_ASSOCIATED_DEVICE 0x2078
#define USVM_ACCESS_FLAGS 0x2079
#define USVM_ALIGNMENT 0x207A
#define USVM_DEVICE_NOWRITE (1 << 9)
#define USVM_INFO_SIZE 0x419C

static inline void* AllocateOf(cl_uint type, const cl_ulong* properties, size_t size,
                               cl_int* code) {
  return ((void* (*)(cl_context, const cl_ulong*, cl_uint, size_t, cl_int*))Function(
      "clSVMAllocWithPropertiesKHR"))(context, properties, type, size, code);
}
static inline cl_int FreeWith(const cl_ulong* properties, cl_ulong flags, void* pointer) {
  return ((cl_int(*)(cl_context, const cl_ulong*, cl_ulong, void*))Function(
      "clSVMFreeWithPropertiesKHR"))(context, properties, flags, pointer);
}
/* Memory that the device owns. */
static inline void* AllocateOnDevice(void) {
  const cl_ulong owned[] = {USVM_ASSOCIATED_DEVICE, (cl_ulong)device, 0};
  cl_int code = -1;
  void* pointer = AllocateOf(USVM_DEVICE, owned, 64, &code);
  Need(code, "clSVMAllocWithPropertiesKHR");
  return pointer;
}
