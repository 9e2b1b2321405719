/* cl_intel_unified_shared_memory. */
#include "testsuites/host/usm.h"

#include "testsuites/host/misuse/cases.h"

#define ALLOCATE "cl_intel_unified_shared_memory, Allocating and Freeing Unified Shared Memory"
#define FREE "cl_intel_unified_shared_memory, Freeing Allocations"
#define KERNELS "cl_intel_unified_shared_memory, Using Unified Shared Memory with Kernels"
#define COMMANDS "cl_intel_unified_shared_memory, Filling and Copying Unified Shared Memory"
#define HINTS "cl_intel_unified_shared_memory, Unified Shared Memory Hints"
#define MANY ((size_t)1 << 60)

/* The code of an allocation, which ends. */
static cl_int Ended(void* made, cl_int code) {
  if (made != NULL) FreeUsm(made);
  return code;
}
static cl_int NewHost(const cl_mem_properties_intel* list, size_t size, cl_uint alignment) {
  cl_int code = -1;
  void* made = USM(clHostMemAllocINTEL)(context, list, size, alignment, &code);
  return Ended(made, code);
}
static cl_int NewDevice(cl_device_id of, const cl_mem_properties_intel* list, size_t size,
                        cl_uint alignment) {
  cl_int code = -1;
  void* made = USM(clDeviceMemAllocINTEL)(context, of, list, size, alignment, &code);
  return Ended(made, code);
}
static cl_int NewShared(cl_device_id of, const cl_mem_properties_intel* list, size_t size,
                        cl_uint alignment) {
  cl_int code = -1;
  void* made = USM(clSharedMemAllocINTEL)(context, of, list, size, alignment, &code);
  return Ended(made, code);
}
/* Frees it where nothing else did. */
static cl_int FreedAfter(void* pointer, cl_int code) {
  clFinish(queue);
  FreeUsm(pointer);
  return code;
}

MISUSE(usm_host_size_zero, "host-api-error", clHostMemAllocINTEL, CL_INVALID_BUFFER_SIZE, ALLOCATE,
       "the size is 0") {
  return NewHost(NULL, wrong ? 0 : 64, 0);
}
MISUSE(usm_host_size, "host-api-error", clHostMemAllocINTEL, CL_INVALID_BUFFER_SIZE, ALLOCATE,
       "the size is larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE") {
  return NewHost(NULL, wrong ? MANY : 64, 0);
}
MISUSE(usm_host_alignment, "host-api-error", clHostMemAllocINTEL, CL_INVALID_VALUE, ALLOCATE,
       "the alignment is no power of two") {
  return NewHost(NULL, 64, wrong ? 24 : 16);
}
MISUSE(usm_host_alignment_large, "host-api-error", clHostMemAllocINTEL, CL_INVALID_VALUE, ALLOCATE,
       "the alignment is larger than the largest type") {
  return NewHost(NULL, 64, wrong ? 256 : 128);
}
MISUSE(usm_host_property, "host-api-error", clHostMemAllocINTEL, CL_INVALID_PROPERTY, ALLOCATE,
       "a property is none of the extension's") {
  const cl_mem_properties_intel list[] = {wrong ? 0x419E : CL_MEM_ALLOC_FLAGS_INTEL, 0, 0};
  return NewHost(list, 64, 0);
}
MISUSE(usm_host_property_twice, "host-api-error", clHostMemAllocINTEL, CL_INVALID_PROPERTY,
       ALLOCATE, "a property is given twice") {
  const cl_mem_properties_intel list[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0,
                                          wrong ? CL_MEM_ALLOC_FLAGS_INTEL : 0, 0, 0};
  return NewHost(list, 64, 0);
}
MISUSE(usm_host_placement, "host-api-error", clHostMemAllocINTEL, CL_INVALID_PROPERTY, ALLOCATE,
       "a placement is asked for a host allocation") {
  const cl_mem_properties_intel list[] = {
      CL_MEM_ALLOC_FLAGS_INTEL,
      wrong ? CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL : CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
  return NewHost(list, 64, 0);
}
MISUSE(usm_flags, "host-api-error", clHostMemAllocINTEL, CL_INVALID_PROPERTY, ALLOCATE,
       "the flags have a bit that the extension does not") {
  const cl_mem_properties_intel list[] = {CL_MEM_ALLOC_FLAGS_INTEL, wrong ? 8 : 1, 0};
  return NewHost(list, 64, 0);
}
MISUSE(usm_device_null, "host-api-error", clDeviceMemAllocINTEL, CL_INVALID_DEVICE, ALLOCATE,
       "the device is null") {
  return NewDevice(wrong ? NULL : device, NULL, 64, 0);
}
MISUSE(usm_device_invalid, "host-invalid-handle", clDeviceMemAllocINTEL, CL_INVALID_DEVICE,
       ALLOCATE, "the device is none") {
  return NewDevice(wrong ? (cl_device_id)bytes : device, NULL, 64, 0);
}
MISUSE(usm_device_size_zero, "host-api-error", clDeviceMemAllocINTEL, CL_INVALID_BUFFER_SIZE,
       ALLOCATE, "the size is 0") {
  return NewDevice(device, NULL, wrong ? 0 : 64, 0);
}
MISUSE(usm_device_alignment, "host-api-error", clDeviceMemAllocINTEL, CL_INVALID_VALUE, ALLOCATE,
       "the alignment is no power of two") {
  return NewDevice(device, NULL, 64, wrong ? 3 : 4);
}
MISUSE(usm_device_placement, "host-api-error", clDeviceMemAllocINTEL, CL_INVALID_PROPERTY, ALLOCATE,
       "a placement is asked for a device allocation") {
  const cl_mem_properties_intel list[] = {CL_MEM_ALLOC_FLAGS_INTEL, wrong ? 2 : 0, 0};
  return NewDevice(device, list, 64, 0);
}
MISUSE(usm_shared_device, "host-invalid-handle", clSharedMemAllocINTEL, CL_INVALID_DEVICE, ALLOCATE,
       "the device is none") {
  return NewShared(wrong ? (cl_device_id)bytes : NULL, NULL, 64, 0);
}
MISUSE(usm_shared_size, "host-api-error", clSharedMemAllocINTEL, CL_INVALID_BUFFER_SIZE, ALLOCATE,
       "the size is larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE") {
  return NewShared(NULL, NULL, wrong ? MANY : 64, 0);
}
MISUSE(usm_shared_alignment, "host-api-error", clSharedMemAllocINTEL, CL_INVALID_VALUE, ALLOCATE,
       "the alignment is larger than the largest type") {
  return NewShared(device, NULL, 64, wrong ? 4096 : 64);
}
MISUSE(usm_shared_placements, "host-api-error", clSharedMemAllocINTEL, CL_INVALID_PROPERTY,
       ALLOCATE, "both placements are asked for") {
  const cl_mem_properties_intel list[] = {CL_MEM_ALLOC_FLAGS_INTEL, wrong ? 6 : 4, 0};
  return NewShared(device, list, 64, 0);
}
MISUSE(usm_freed_twice, "host-usm-free", clMemFreeINTEL, CL_INVALID_VALUE, FREE,
       "an allocation is freed twice") {
  void* memory = DeviceMemory(64);
  cl_int code = USM(clMemFreeINTEL)(context, memory);
  return wrong ? USM(clMemFreeINTEL)(context, memory) : code;
}
MISUSE(usm_blocking_free_twice, "host-usm-free", clMemBlockingFreeINTEL, CL_INVALID_VALUE, FREE,
       "an allocation is freed twice") {
  void* memory = HostMemory(64);
  cl_int code = FreeUsm(memory);
  return wrong ? FreeUsm(memory) : code;
}
MISUSE(usm_free_inside, "host-usm-free", clMemFreeINTEL, CL_INVALID_VALUE, FREE,
       "the pointer is none to the first byte") {
  char* memory = SharedMemory(64);
  cl_int code = USM(clMemFreeINTEL)(context, memory + (wrong ? 8 : 0));
  if (wrong) FreeUsm(memory);
  return code;
}
MISUSE(usm_free_of_host_memory, "host-usm-free", clMemFreeINTEL, CL_INVALID_VALUE, FREE,
       "the pointer is in no allocation") {
  return USM(clMemFreeINTEL)(context, wrong ? bytes : NULL);
}
MISUSE(usm_free_in_other_context, "host-usm-free", clMemFreeINTEL, CL_INVALID_VALUE, FREE,
       "the allocation is of another context") {
  void* memory = DeviceMemory(64);
  cl_int code = USM(clMemFreeINTEL)(wrong ? other_context : context, memory);
  if (wrong) FreeUsm(memory);
  return code;
}
MISUSE(usm_freed_while_used, "host-svm-freed", clMemFreeINTEL, CL_SUCCESS, FREE,
       "an allocation is freed before the command that uses it has ended") {
  void* memory = DeviceMemory(64);
  FillUsm(queue, memory, 64);
  if (!wrong) clFinish(queue);
  return USM(clMemFreeINTEL)(context, memory);
}
MISUSE(usm_freed_as_svm, "host-usm-kind", clSVMFree, CL_INVALID_VALUE, FREE,
       "USM is freed by clSVMFree") {
  void* memory = SharedMemory(64);
  if (wrong) clSVMFree(context, memory);
  FreeUsm(memory);
  return wrong ? CL_INVALID_VALUE : CL_SUCCESS; /* the function returns no code */
}
MISUSE(usm_free_of_svm, "host-usm-kind", clMemFreeINTEL, CL_INVALID_VALUE, FREE,
       "SVM is freed by clMemFreeINTEL") {
  void* memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  cl_int code = USM(clMemFreeINTEL)(context, wrong ? memory : NULL);
  clSVMFree(context, memory);
  return code;
}
MISUSE(usm_mapped, "host-usm-kind", clEnqueueSVMMap, CL_INVALID_VALUE, FREE, "USM is mapped") {
  void* memory = SharedMemory(64);
  void* coarse = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  void* mapped = wrong ? memory : coarse;
  cl_int code = clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, mapped, 64, 0, NULL, NULL);
  if (code == CL_SUCCESS) clEnqueueSVMUnmap(queue, mapped, 0, NULL, NULL);
  clFinish(queue);
  clSVMFree(context, coarse);
  return FreedAfter(memory, code);
}
MISUSE(usm_query_name, "host-api-error", clGetMemAllocInfoINTEL, CL_INVALID_VALUE,
       "cl_intel_unified_shared_memory, Unified Shared Memory Queries", "the answer has no room") {
  cl_ulong value = 0;
  return USM(clGetMemAllocInfoINTEL)(context, bytes, CL_MEM_ALLOC_SIZE_INTEL, wrong ? 4 : 8, &value,
                                     NULL);
}
MISUSE(usm_argument_index, "host-api-error", clSetKernelArgMemPointerINTEL, CL_INVALID_ARG_INDEX,
       KERNELS, "the kernel has no such argument") {
  void* memory = DeviceMemory(64);
  Build();
  return FreedAfter(memory, USM(clSetKernelArgMemPointerINTEL)(kernel, wrong ? 9 : 0, memory));
}
MISUSE(usm_argument_of_a_value, "host-api-error", clSetKernelArgMemPointerINTEL,
       CL_INVALID_ARG_VALUE, KERNELS, "the parameter is no pointer") {
  void* memory = DeviceMemory(64);
  Build();
  return FreedAfter(memory, USM(clSetKernelArgMemPointerINTEL)(kernel, wrong ? 1 : 0, memory));
}
MISUSE(usm_exec_info_size, "host-api-error", clSetKernelExecInfo, CL_INVALID_VALUE, KERNELS,
       "the value is no cl_bool") {
  const cl_bool yes[] = {CL_TRUE, CL_TRUE};
  Build();
  return clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                             wrong ? 8 : 4, yes);
}
MISUSE(usm_exec_info_pointers, "host-api-error", clSetKernelExecInfo, CL_INVALID_VALUE, KERNELS,
       "the value is no number of pointers") {
  void* pointers[] = {bytes, bytes};
  Build();
  return clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, wrong ? 12 : 16, pointers);
}
MISUSE(usm_fill_null, "host-api-error", clEnqueueMemFillINTEL, CL_INVALID_VALUE, COMMANDS,
       "dst_ptr is null") {
  void* memory = DeviceMemory(64);
  return FreedAfter(memory, FillUsm(queue, wrong ? NULL : memory, 64));
}
MISUSE(usm_fill_pattern, "host-api-error", clEnqueueMemFillINTEL, CL_INVALID_VALUE, COMMANDS,
       "pattern_size is no power of two") {
  void* memory = DeviceMemory(64);
  return FreedAfter(memory, USM(clEnqueueMemFillINTEL)(queue, memory, bytes, wrong ? 3 : 4, 12, 0,
                                                       NULL, NULL));
}
MISUSE(usm_fill_alignment, "host-api-error", clEnqueueMemFillINTEL, CL_INVALID_VALUE, COMMANDS,
       "dst_ptr is not aligned to the pattern") {
  char* memory = DeviceMemory(64);
  return FreedAfter(memory, FillUsm(queue, memory + (wrong ? 2 : 4), 16));
}
MISUSE(usm_fill_size, "host-api-error", clEnqueueMemFillINTEL, CL_INVALID_VALUE, COMMANDS,
       "size is no multiple of the pattern") {
  void* memory = DeviceMemory(64);
  return FreedAfter(memory, FillUsm(queue, memory, wrong ? 30 : 32));
}
MISUSE(usm_fill_after_free, "host-svm-freed", clEnqueueMemFillINTEL, CL_INVALID_VALUE, COMMANDS,
       "an allocation is filled after it was freed") {
  void* memory = DeviceMemory(64);
  cl_int code;
  if (wrong) FreeUsm(memory);
  code = FillUsm(queue, memory, 64);
  if (!wrong) FreeUsm(memory);
  return code;
}
MISUSE(usm_fill_behind, "host-api-error", clEnqueueMemFillINTEL, CL_INVALID_VALUE, COMMANDS,
       "more is filled than the allocation has") {
  char* memory = DeviceMemory(64);
  return FreedAfter(memory, FillUsm(queue, memory + 16, wrong ? 64 : 48));
}
MISUSE(usm_copy_null, "host-api-error", clEnqueueMemcpyINTEL, CL_INVALID_VALUE, COMMANDS,
       "src_ptr is null") {
  void* memory = DeviceMemory(64);
  return FreedAfter(memory, CopyUsm(memory, wrong ? NULL : bytes, 64));
}
MISUSE(usm_copy_overlap, "host-overlapping-copy", clEnqueueMemcpyINTEL, CL_MEM_COPY_OVERLAP,
       COMMANDS, "the source and the target overlap") {
  char* memory = SharedMemory(64);
  return FreedAfter(memory, CopyUsm(memory, memory + (wrong ? 16 : 32), 32));
}
MISUSE(usm_copy_after_free, "host-svm-freed", clEnqueueMemcpyINTEL, CL_INVALID_VALUE, COMMANDS,
       "an allocation is copied after it was freed") {
  void* memory = HostMemory(64);
  cl_int code;
  if (wrong) FreeUsm(memory);
  code = CopyUsm(bytes, memory, 64);
  if (!wrong) FreeUsm(memory);
  return code;
}
MISUSE(usm_of_other_context, "host-svm-context", clEnqueueMemFillINTEL, CL_SUCCESS, COMMANDS,
       "the allocation is of another context than the queue") {
  void* memory = SharedMemory(64);
  cl_int code = FillUsm(wrong ? other_queue : queue, memory, 64);
  clFinish(other_queue);
  return FreedAfter(memory, code);
}
MISUSE(usm_fills_without_order, "host-race-commands", clEnqueueMemFillINTEL, CL_SUCCESS, COMMANDS,
       "two queues fill the same allocation, and nothing orders them") {
  cl_command_queue second = MakeQueue(0);
  void* memory = DeviceMemory(64);
  FillUsm(queue, memory, 64);
  if (!wrong) clFinish(queue);
  FillUsm(second, memory, 32);
  clFinish(second);
  clReleaseCommandQueue(second);
  return FreedAfter(memory, CL_SUCCESS);
}
MISUSE(usm_migration_flags, "host-api-error", clEnqueueMigrateMemINTEL, CL_INVALID_VALUE, HINTS,
       "flags has a bit that the API does not") {
  void* memory = SharedMemory(64);
  return FreedAfter(memory, USM(clEnqueueMigrateMemINTEL)(queue, memory, 64, wrong ? 4 : 0, 0, NULL,
                                                          NULL));
}
MISUSE(usm_migration_after_free, "host-svm-freed", clEnqueueMigrateMemINTEL, CL_INVALID_VALUE,
       HINTS, "an allocation is migrated after it was freed") {
  void* memory = SharedMemory(64);
  cl_int code;
  if (wrong) FreeUsm(memory);
  code = USM(clEnqueueMigrateMemINTEL)(queue, memory, 64, 0, 0, NULL, NULL);
  if (!wrong) FreeUsm(memory);
  return code;
}
MISUSE(usm_advice, "host-api-error", clEnqueueMemAdviseINTEL, CL_INVALID_VALUE, HINTS,
       "the advice is none that the extension has a number for") {
  void* memory = SharedMemory(64);
  return FreedAfter(memory, USM(clEnqueueMemAdviseINTEL)(queue, memory, 64, wrong ? 5 : 0x4208, 0,
                                                         NULL, NULL));
}
MISUSE(usm_buffer_on_device_memory, "host-api-error", clCreateBuffer, CL_INVALID_HOST_PTR,
       "cl_intel_unified_shared_memory, Issues, CL_MEM_USE_HOST_PTR",
       "a buffer is to use what the host may not access") {
  void* memory = DeviceMemory(64);
  void* shared = SharedMemory(64);
  cl_int code = NewBuffer(CL_MEM_USE_HOST_PTR, 64, wrong ? memory : shared);
  FreeUsm(shared);
  return FreedAfter(memory, code);
}
/* A kernel adds what it finds behind a pointer in memory. */
MISUSE(usm_kernel_not_told, "host-svm-access", clEnqueueNDRangeKernel, CL_SUCCESS, KERNELS,
       "a kernel reaches an allocation by a pointer, and was not told of its type") {
  const char* source = "kernel void via(global ulong* to) { *(global int*)to[0] = 1; }";
  const size_t one = 1;
  const cl_bool yes = CL_TRUE;
  void** first = SharedMemory(64);
  void* second = DeviceMemory(64);
  cl_int code = -1;
  cl_program other = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  cl_kernel via;
  Need(clBuildProgram(other, 1, &device, "", NULL, NULL), "clBuildProgram");
  via = clCreateKernel(other, "via", &code);
  first[0] = second;
  Need(USM(clSetKernelArgMemPointerINTEL)(via, 0, first), "clSetKernelArgMemPointerINTEL");
  clSetKernelExecInfo(via,
                      wrong ? CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
                            : CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                      sizeof yes, &yes);
  code = clEnqueueNDRangeKernel(queue, via, 1, NULL, &one, NULL, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(via);
  clReleaseProgram(other);
  FreeUsm(first);
  return FreedAfter(second, code);
}
