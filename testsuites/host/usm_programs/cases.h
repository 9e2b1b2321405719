/* What the cases of usm_programs share: the table, the kernels, and how they are run. */
#pragma once

#include "testsuites/host/usm.h"

enum Kind { kDevice, kHost, kShared };
enum { kBytes = 64, kItems = 16 };

struct Case {
  const char* name;
  const char* rule;
  cl_int code;
  const char* what;
  cl_int (*make)(int wrong);
  struct Case* next;
};
static struct Case* first;

#define CASE(name, rule, code, what)                                  \
  static cl_int name(int wrong);                                      \
  __attribute__((constructor)) static void Add_##name(void) {         \
    static struct Case added = {#name, rule, code, what, name, NULL}; \
    added.next = first;                                               \
    first = &added;                                                   \
  }                                                                   \
  static cl_int name(int wrong)
/* One case for each kind of memory, with a body `name_of(kind, wrong)`. */
#define CASES(name, rule, code, what)                                    \
  CASE(name##_device, rule, code, what) { return name(kDevice, wrong); } \
  CASE(name##_host, rule, code, what) { return name(kHost, wrong); }     \
  CASE(name##_shared, rule, code, what) { return name(kShared, wrong); }

static const char* source =
    "kernel void put(global int* a, int b) { a[get_global_id(0)] = b; }\n"
    "kernel void put_at(global int* a, int at) { a[at] = 1; }\n"
    "kernel void get_at(global int* a, int at, global int* out) { out[0] = a[at]; }\n"
    "kernel void chase(global ulong* holder, global int* out) { out[0] = *(global int*)holder[0]; "
    "}\n"
    "kernel void chase_put(global ulong* holder) { *(global int*)holder[0] = 1; }\n"
    "kernel void count(global int* a) { a[0] += 1; }\n"
    "kernel void count_right(volatile global int* a) { atomic_inc(a); }\n"
    "kernel void choose(global int* a, global int* out) { if (a[1] > 0) out[0] = 1; }\n"
    "kernel void wide(global char* a, int at, global int* out) { out[0] = *(global int*)(a + at); "
    "}\n"
    "kernel void next(global int* a) { int i = get_global_id(0); a[i] = a[(i + 1) % 16]; }\n"
    "kernel void next_right(global int* a, global int* b) {\n"
    "  int i = get_global_id(0);\n"
    "  b[i] = a[(i + 1) % 16];\n"
    "}\n";

/* --- what cases share ---------------------------------------------------------------------------
 */

static inline void* Allocate(enum Kind kind) {
  void* made = kind == kDevice ? DeviceMemory(kBytes)
               : kind == kHost ? HostMemory(kBytes)
                               : SharedMemory(kBytes);
  Need(FillUsm(queue, made, kBytes), "clEnqueueMemFillINTEL");
  Need(clFinish(queue), "clFinish");
  return made;
}

static inline cl_kernel KernelNamed(const char* name) {
  cl_int code = -1;
  cl_kernel made = clCreateKernel(program, name, &code);
  Need(code, "clCreateKernel");
  return made;
}

static inline void SetPointer(cl_kernel of, cl_uint place, const void* pointer) {
  Need(USM(clSetKernelArgMemPointerINTEL)(of, place, pointer), "clSetKernelArgMemPointerINTEL");
}

static inline void SetInt(cl_kernel of, cl_uint place, cl_int value) {
  Need(clSetKernelArg(of, place, sizeof value, &value), "clSetKernelArg");
}

/* Runs it to its end, and releases it. */
static inline cl_int RunOn(cl_command_queue on, cl_kernel of, size_t items) {
  const cl_int code = clEnqueueNDRangeKernel(on, of, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(on);
  clReleaseKernel(of);
  return code;
}
static inline cl_int RunIt(cl_kernel of, size_t items) { return RunOn(queue, of, items); }

/* A kernel that reaches memory by a pointer in other memory, and is told of these kinds. */
static inline void Tell(cl_kernel of, cl_kernel_exec_info kind) {
  const cl_bool yes = CL_TRUE;
  Need(clSetKernelExecInfo(of, kind, sizeof yes, &yes), "clSetKernelExecInfo");
}
static inline void TellAll(cl_kernel of) {
  Tell(of, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL);
  Tell(of, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL);
  Tell(of, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL);
}

static inline cl_context NewContext(void) {
  cl_int code = -1;
  cl_context made = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  Need(code, "clCreateContext");
  return made;
}
static inline cl_int FreeIn(cl_context of, void* pointer) {
  return USM(clMemBlockingFreeINTEL)(of, pointer);
}
