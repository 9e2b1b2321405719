/* Shared virtual memory, semaphores and command buffers. */
#include "testsuites/host/command_buffers.h"
#include "testsuites/host/misuse/cases.h"

#define SVM "5.6 Shared Virtual Memory"
#define SEMAPHORES "5.13 Semaphores"
#define COMMAND_BUFFERS "5.17 Command-Buffers"

/* Codes that headers of 2023 lack. */
#ifndef CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR -1139
#endif

typedef cl_command_buffer_khr (*CreateCommandBuffer)(cl_uint, const cl_command_queue*, const void*,
                                                     cl_int*);
typedef cl_int (*OnCommandBuffer)(cl_command_buffer_khr);
typedef cl_int (*EnqueueCommandBuffer)(cl_uint, cl_command_queue*, cl_command_buffer_khr, cl_uint,
                                       const cl_event*, cl_event*);
typedef cl_int (*BarrierFunction)(cl_command_buffer_khr, cl_command_queue, const void*, cl_uint,
                                  const cl_uint*, cl_uint*, void**);

static char* Allocate(void) {
  char* pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  Need(pointer == NULL, "clSVMAlloc");
  return pointer;
}
/* The code of a call on an allocation, which ends with it. */
static cl_int Free(void* pointer, cl_int code) {
  clFinish(queue);
  clSVMFree(context, pointer);
  return code;
}
static cl_int NewSemaphore(cl_semaphore_properties_khr name, cl_semaphore_properties_khr value) {
  const cl_semaphore_properties_khr given[] = {name, value, 0};
  const clCreateSemaphoreWithPropertiesKHR_fn create =
      Function("clCreateSemaphoreWithPropertiesKHR");
  const clReleaseSemaphoreKHR_fn release = Function("clReleaseSemaphoreKHR");
  cl_int code = -1;
  cl_semaphore_khr made = create(context, given, &code);
  if (made != NULL) release(made);
  return code;
}
/* A command buffer, and one call on it. */
static cl_int WithCommandBuffer(int finals, int records, cl_command_queue on, cl_uint point,
                                int runs) {
  const OnCommandBuffer finalize = Function("clFinalizeCommandBufferKHR");
  const BarrierFunction record = Function("clCommandBarrierWithWaitListKHR");
  cl_int code = -1;
  cl_command_buffer_khr made =
      ((CreateCommandBuffer)Function("clCreateCommandBufferKHR"))(1, &queue, NULL, &code);
  Need(code, "clCreateCommandBufferKHR");
  for (; finals > 0; --finals) code = finalize(made);
  if (records) code = record(made, on, NULL, point != 0, point != 0 ? &point : NULL, NULL, NULL);
  if (runs)
    code =
        ((EnqueueCommandBuffer)Function("clEnqueueCommandBufferKHR"))(0, NULL, made, 0, NULL, NULL);
  ((OnCommandBuffer)Function("clReleaseCommandBufferKHR"))(made);
  return code;
}

MISUSE(svm_fill_misaligned, "host-api-error", clEnqueueSVMMemFill, CL_INVALID_VALUE, SVM,
       "svm_ptr is no multiple of pattern_size") {
  char* pointer = Allocate();
  return Free(pointer,
              clEnqueueSVMMemFill(queue, pointer + (wrong ? 2 : 0), bytes, 4, 4, 0, NULL, NULL));
}
MISUSE(svm_copy_of_null, "host-api-error", clEnqueueSVMMemcpy, CL_INVALID_VALUE, SVM,
       "src_ptr is null") {
  char* pointer = Allocate();
  return Free(pointer,
              clEnqueueSVMMemcpy(queue, CL_TRUE, pointer, wrong ? NULL : bytes, 8, 0, NULL, NULL));
}
MISUSE(svm_copy_of_overlapping, "host-overlapping-copy", clEnqueueSVMMemcpy, CL_MEM_COPY_OVERLAP,
       SVM, "source and destination overlap") {
  char* pointer = Allocate();
  cl_int code = clEnqueueSVMMemFill(queue, pointer, bytes, 4, 64, 0, NULL, NULL);
  Need(code, "clEnqueueSVMMemFill");
  code = clEnqueueSVMMemcpy(queue, CL_TRUE, pointer + (wrong ? 4 : 8), pointer, 8, 0, NULL, NULL);
  return Free(pointer, code);
}
MISUSE(svm_map_of_nothing, "host-api-error", clEnqueueSVMMap, CL_INVALID_VALUE, SVM, "size is 0") {
  char* pointer = Allocate();
  const cl_int code =
      clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, pointer, wrong ? 0 : 8, 0, NULL, NULL);
  if (!wrong) clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL);
  return Free(pointer, code);
}
MISUSE(svm_map_of_unknown_flag, "host-api-error", clEnqueueSVMMap, CL_INVALID_VALUE, SVM,
       "map_flags has a bit that the API does not") {
  char* pointer = Allocate();
  const cl_int code =
      clEnqueueSVMMap(queue, CL_TRUE, wrong ? 64 : CL_MAP_READ, pointer, 8, 0, NULL, NULL);
  if (!wrong) clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL);
  return Free(pointer, code);
}
MISUSE(svm_argument_of_a_value, "host-api-error", clSetKernelArgSVMPointer, CL_INVALID_ARG_INDEX,
       "5.9.2 Setting Kernel Arguments", "the argument is no pointer") {
  char* pointer = Allocate();
  Build();
  return Free(pointer, clSetKernelArgSVMPointer(kernel, wrong ? 1 : 0, pointer));
}
MISUSE(svm_argument_after_free, "host-svm-freed", clSetKernelArgSVMPointer, CL_INVALID_ARG_VALUE,
       "5.9.2 Setting Kernel Arguments", "an argument is in memory that was freed") {
  char* pointer = Allocate();
  cl_int code;
  Build();
  if (wrong) clSVMFree(context, pointer);
  code = clSetKernelArgSVMPointer(kernel, 0, pointer + 4);
  if (!wrong) clSVMFree(context, pointer);
  return code;
}
MISUSE(address_that_no_call_names, "host-svm-access", clEnqueueNDRangeKernel, CL_SUCCESS,
       "5.9.2 Setting Kernel Arguments, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT",
       "a kernel uses a buffer by its address, and was not told of it") {
  const cl_mem_properties addressed[] = {0x5000 /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */, 1, 0};
  const char* source = "kernel void via(ulong to) { *(global int*)to = 1; }";
  const size_t one = 1;
  cl_ulong address = 0;
  cl_int code = -1;
  cl_mem made =
      clCreateBufferWithProperties(context, addressed, CL_MEM_READ_WRITE, 64, NULL, &code);
  cl_program other = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  cl_kernel via;
  Need(clBuildProgram(other, 1, &device, "", NULL, NULL), "clBuildProgram");
  via = clCreateKernel(other, "via", &code);
  Need(clGetMemObjectInfo(made, 0x5001, sizeof address, &address, NULL), "clGetMemObjectInfo");
  Need(clSetKernelArg(via, 0, sizeof address, &address), "clSetKernelArg");
  if (!wrong) clSetKernelExecInfo(via, 0x5002, sizeof address, &address);
  code = clEnqueueNDRangeKernel(queue, via, 1, NULL, &one, NULL, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(via);
  clReleaseProgram(other);
  clReleaseMemObject(made);
  return code;
}
MISUSE(svm_free_without_pointers, "host-api-error", clEnqueueSVMFree, CL_INVALID_VALUE, SVM,
       "svm_pointers is null, and num_svm_pointers is 1") {
  return clEnqueueSVMFree(queue, wrong ? 1 : 0, NULL, NULL, NULL, 0, NULL, NULL);
}
MISUSE(svm_migration_of_other_memory, "host-api-error", clEnqueueSVMMigrateMem, CL_INVALID_VALUE,
       "5.6 Shared Virtual Memory, clEnqueueSVMMigrateMem",
       "a pointer is in no allocation of clSVMAlloc") {
  char* pointer = Allocate();
  const void* pointers[1];
  pointers[0] = wrong ? bytes : pointer;
  return Free(pointer, clEnqueueSVMMigrateMem(queue, 1, pointers, NULL, 0, 0, NULL, NULL));
}
MISUSE(kernel_information_unknown, "host-api-error", clSetKernelExecInfo, CL_INVALID_VALUE,
       "5.9.2 Setting Kernel Arguments, clSetKernelExecInfo", "param_name is none of the API's") {
  const cl_bool no = CL_FALSE;
  Build();
  return clSetKernelExecInfo(kernel, wrong ? 1 : CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                             sizeof no, &no);
}
MISUSE(semaphore_of_unknown_property, "host-api-error", clCreateSemaphoreWithPropertiesKHR,
       CL_INVALID_PROPERTY, SEMAPHORES, "a property is none of semaphores") {
  return NewSemaphore(wrong ? 1 : CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR);
}
MISUSE(semaphore_without_type, "host-api-error", clCreateSemaphoreWithPropertiesKHR,
       CL_INVALID_VALUE, SEMAPHORES, "CL_SEMAPHORE_TYPE_KHR is not given") {
  return NewSemaphore(wrong ? 0 : CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR);
}
MISUSE(semaphores_of_none, "host-api-error", clEnqueueSignalSemaphoresKHR, CL_INVALID_VALUE,
       SEMAPHORES, "there are no semaphores") {
  const cl_semaphore_properties_khr given[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                               0};
  const clEnqueueSignalSemaphoresKHR_fn signal = Function("clEnqueueSignalSemaphoresKHR");
  cl_int code = -1;
  cl_semaphore_khr made =
      ((clCreateSemaphoreWithPropertiesKHR_fn)Function("clCreateSemaphoreWithPropertiesKHR"))(
          context, given, &code);
  Need(code, "clCreateSemaphoreWithPropertiesKHR");
  code = signal(queue, wrong ? 0 : 1, &made, NULL, 0, NULL, NULL);
  ((clReleaseSemaphoreKHR_fn)Function("clReleaseSemaphoreKHR"))(made);
  return code;
}
MISUSE(command_buffer_of_no_queue, "host-api-error", clCreateCommandBufferKHR, CL_INVALID_VALUE,
       COMMAND_BUFFERS, "num_queues is 0") {
  cl_int code = -1;
  cl_command_buffer_khr made = ((CreateCommandBuffer)Function("clCreateCommandBufferKHR"))(
      wrong ? 0 : 1, &queue, NULL, &code);
  if (made != NULL) ((OnCommandBuffer)Function("clReleaseCommandBufferKHR"))(made);
  return code;
}
MISUSE(command_buffer_finalized_twice, "host-api-error", clFinalizeCommandBufferKHR,
       CL_INVALID_OPERATION, COMMAND_BUFFERS, "the command buffer was finalized before") {
  return WithCommandBuffer(wrong ? 2 : 1, 0, NULL, 0, 0);
}
MISUSE(command_buffer_not_final, "host-api-error", clEnqueueCommandBufferKHR, CL_INVALID_OPERATION,
       COMMAND_BUFFERS, "the command buffer is not finalized") {
  return WithCommandBuffer(wrong ? 0 : 1, 0, NULL, 0, 1);
}
MISUSE(command_recorded_late, "host-api-error", clCommandBarrierWithWaitListKHR,
       CL_INVALID_OPERATION, COMMAND_BUFFERS, "the command buffer is finalized") {
  return WithCommandBuffer(wrong ? 1 : 0, 1, NULL, 0, 0);
}
MISUSE(command_recorded_on_queue, "host-api-error", clCommandBarrierWithWaitListKHR,
       CL_INVALID_COMMAND_QUEUE, COMMAND_BUFFERS, "command_queue is not null") {
  return WithCommandBuffer(0, 1, wrong ? queue : NULL, 0, 0);
}
MISUSE(command_after_unknown_point, "host-api-error", clCommandBarrierWithWaitListKHR,
       CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, COMMAND_BUFFERS,
       "the command buffer has no synchronization point 17") {
  return WithCommandBuffer(0, 1, NULL, wrong ? 17 : 0, 0);
}
