/* What the text calls undefined: the calls succeed, and are told. */
#include "testsuites/host/command_buffers.h"
#include "testsuites/host/misuse/cases.h"

#define ORDER "3.3.6.5 Memory Ordering Rules: Host-side and Device-side Commands"
#define MAPPED "5.5.3 Accessing Mapped Regions of a Memory Object"

static volatile int is_done;

static void CL_CALLBACK MakeContext(cl_event event, cl_int status, void* user) {
  (void)event, (void)status;
  if (user != NULL) clReleaseContext(clCreateContext(NULL, 1, &device, NULL, NULL, NULL));
  is_done = 1;
}

MISUSE(transfers_without_order, "host-race-commands", clEnqueueFillBuffer, CL_SUCCESS, ORDER,
       "two queues fill the same bytes") {
  cl_command_queue second = MakeQueue(0);
  Fill(queue, buffer, 0, 0, NULL, NULL);
  Fill(second, buffer, wrong ? 0 : 4, 0, NULL, NULL);
  clFinish(queue);
  clFinish(second);
  clReleaseCommandQueue(second);
  return CL_SUCCESS;
}
MISUSE(kernels_without_order, "host-race-commands", clEnqueueNDRangeKernel, CL_SUCCESS, ORDER,
       "two kernels on a queue out of order write the same bytes") {
  cl_command_queue loose = MakeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Put(loose, buffer, 0, NULL, NULL);
  if (!wrong) clEnqueueBarrierWithWaitList(loose, 0, NULL, NULL);
  Put(loose, buffer, 0, NULL, NULL);
  clFinish(loose);
  clReleaseCommandQueue(loose);
  return CL_SUCCESS;
}
MISUSE(kernel_before_the_second_queue, "host-race-commands", clEnqueueNDRangeKernel, CL_SUCCESS,
       ORDER, "two kernels write the same bytes, and the second queue is made between them") {
  cl_command_queue second;
  Put(queue, buffer, 0, NULL, NULL);
  if (!wrong) clFinish(queue);
  second = MakeQueue(0);
  Put(second, buffer, 0, NULL, NULL);
  clFinish(second);
  clFinish(queue);
  clReleaseCommandQueue(second);
  return CL_SUCCESS;
}
MISUSE(transfer_before_the_second_queue, "host-race-commands", clEnqueueFillBuffer, CL_SUCCESS,
       ORDER, "two queues fill the same bytes, and the second one is made between the two") {
  cl_command_queue second;
  Fill(queue, buffer, 0, 0, NULL, NULL);
  if (!wrong) clFinish(queue);
  second = MakeQueue(0);
  Fill(second, buffer, 0, 0, NULL, NULL);
  clFinish(second);
  clFinish(queue);
  clReleaseCommandQueue(second);
  return CL_SUCCESS;
}
MISUSE(recorded_kernel_without_order, "host-race-commands", clCommandNDRangeKernelKHR, CL_SUCCESS,
       ORDER, "a command buffer has a kernel that writes what another queue fills") {
  cl_command_queue second = MakeQueue(0);
  cl_command_buffer_khr commands = MakeCommandBuffer();
  Record(commands, buffer);
  Fill(second, buffer, 0, 0, NULL, NULL);
  if (!wrong) clFinish(second);
  Execute(commands, queue, 0, NULL, NULL);
  clFinish(queue);
  clFinish(second);
  Release(commands);
  clReleaseCommandQueue(second);
  return CL_SUCCESS;
}
MISUSE(kernel_on_mapped_buffer, "host-race-mapped", clEnqueueNDRangeKernel, CL_SUCCESS, MAPPED,
       "a kernel writes a buffer that is mapped for reading") {
  cl_int code = -1;
  void* mapped =
      clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code);
  Need(code, "clEnqueueMapBuffer");
  if (!wrong) clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  Put(queue, buffer, 0, NULL, NULL);
  if (wrong) clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  return CL_SUCCESS;
}
MISUSE(pointer_behind_mapping, "host-mapped-pointer", clEnqueueReadBuffer, CL_SUCCESS, MAPPED,
       "a mapped pointer is used behind its region") {
  cl_mem mapped_one = BufferWith(0);
  cl_int code = -1;
  char* mapped =
      clEnqueueMapBuffer(queue, mapped_one, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &code);
  Need(code, "clEnqueueMapBuffer");
  code =
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, mapped + (wrong ? 4 : 0), 0, NULL, NULL);
  clEnqueueUnmapMemObject(queue, mapped_one, mapped, 0, NULL, NULL);
  clReleaseMemObject(mapped_one);
  return code;
}
MISUSE(svm_freed_twice, "host-svm-freed", clSVMFree, CL_INVALID_VALUE,
       "5.6 Shared Virtual Memory, clSVMFree", "shared virtual memory is freed twice") {
  void* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clSVMFree(context, shared);
  if (wrong) clSVMFree(context, shared);
  return wrong ? CL_INVALID_VALUE : CL_SUCCESS; /* the function returns no code */
}
MISUSE(kernel_released_twice, "host-over-release", clReleaseKernel, CL_INVALID_KERNEL,
       "5.9.1 Creating Kernel Objects", "a kernel is released more often than it was retained") {
  cl_int code;
  MakeKernel();
  clRetainKernel(kernel);
  code = clReleaseKernel(kernel);
  if (wrong) clReleaseKernel(kernel);
  if (wrong) code = clReleaseKernel(kernel);
  if (wrong) kernel = NULL;
  return code;
}
MISUSE(buffer_released_in_use, "host-over-release", clReleaseMemObject, CL_INVALID_MEM_OBJECT,
       "5.5.1 Retaining and Releasing Memory Objects",
       "a buffer that only commands use is released again") {
  cl_mem used = BufferWith(0);
  cl_int code;
  Fill(queue, used, 0, 0, NULL, NULL);
  code = clReleaseMemObject(used);
  if (wrong) code = clReleaseMemObject(used);
  return code;
}
MISUSE(context_in_callback, "host-callback", clCreateContext, CL_SUCCESS,
       "5.11 Event Objects, clSetEventCallback", "a callback of an event makes a context") {
  cl_event event;
  is_done = 0;
  Fill(queue, buffer, 0, 0, NULL, &event);
  clSetEventCallback(event, CL_COMPLETE, MakeContext, wrong ? bytes : NULL);
  clFinish(queue);
  while (!is_done) {
  }
  clReleaseEvent(event);
  return CL_SUCCESS;
}
MISUSE(buffer_mapped_twice, "host-api-error", clEnqueueMapBuffer, CL_INVALID_OPERATION, MAPPED,
       "overlapping regions are mapped for writing") {
  cl_int first = -1;
  cl_int code = -1;
  void* mapped =
      clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &first);
  void* second = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, wrong ? 8 : 16, 16, 0,
                                    NULL, NULL, &code);
  Need(first, "clEnqueueMapBuffer");
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  if (second != NULL) clEnqueueUnmapMemObject(queue, buffer, second, 0, NULL, NULL);
  return code;
}
