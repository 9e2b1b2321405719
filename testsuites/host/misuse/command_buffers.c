/* Command buffers that are enqueued again before their last execution has ended. */
#include "testsuites/host/command_buffers.h"

#include "testsuites/host/misuse/cases.h"

#define ORDER "3.3.6.5 Memory Ordering Rules: Host-side and Device-side Commands"
#define MAPPED "5.5.3 Accessing Mapped Regions of a Memory Object"
#define LATER 20

/* A kernel that runs for a while before it writes the buffer: the host enqueues more meanwhile. */
static void UseSlowKernel(void) {
  static const char* source =
      "kernel void put(global int* a, int b) {\n"
      "  uint sum = b;\n"
      "  for (int i = 0; i < 200000; ++i) sum = (sum ^ (uint)i) * 5 + 1;\n"
      "  a[get_global_id(0)] = (int)(sum & 255);\n"
      "}\n";
  cl_int code = -1;
  clReleaseProgram(program);
  program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  Need(code, "clCreateProgramWithSource");
  Build();
}
static void WaitUntilItRuns(cl_event event) {
  cl_int status = CL_QUEUED;
  while (status > CL_RUNNING) {
    Need(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
         "clGetEventInfo");
  }
}

MISUSE(command_buffer_enqueued_while_it_runs, "host-race-commands", clCommandNDRangeKernelKHR,
       CL_SUCCESS, ORDER,
       "one of many executions of a command buffer has no order with what another queue fills") {
  cl_command_queue second = MakeQueue(0);
  cl_command_buffer_khr commands = MakeCommandBuffer();
  cl_event filled, runs;
  int i;
  UseSlowKernel();
  Record(commands, buffer);
  Fill(second, buffer, 0, 0, NULL, &filled);
  clFlush(second);
  /* All that follow wait for the fill: only this one may be told. */
  Need(Execute(commands, queue, wrong ? 0 : 1, wrong ? NULL : &filled, &runs),
       "clEnqueueCommandBufferKHR");
  clFlush(queue);
  WaitUntilItRuns(runs);
  for (i = 0; i < LATER; ++i) {
    Need(Execute(commands, queue, 1, &filled, NULL), "clEnqueueCommandBufferKHR");
    clFlush(queue);
  }
  clFinish(queue);
  clFinish(second);
  clReleaseEvent(filled);
  clReleaseEvent(runs);
  Release(commands);
  clReleaseCommandQueue(second);
  return CL_SUCCESS;
}
MISUSE(command_buffer_enqueued_without_waiting, "host-race-commands", clCommandNDRangeKernelKHR,
       CL_SUCCESS, ORDER,
       "the last of many executions of a command buffer has no order with what another queue "
       "fills") {
  cl_command_queue second = MakeQueue(0);
  cl_command_queue third = MakeQueue(0);
  cl_command_buffer_khr commands = MakeCommandBuffer();
  cl_event last, filled;
  int i;
  Record(commands, buffer);
  for (i = 0; i < LATER; ++i) {
    Need(Execute(commands, queue, 0, NULL, i == LATER - 1 ? &last : NULL),
         "clEnqueueCommandBufferKHR");
    clFlush(queue);
  }
  Fill(second, buffer, 0, 1, &last, &filled);
  clFlush(second);
  Need(Execute(commands, third, 1, wrong ? &last : &filled, NULL), "clEnqueueCommandBufferKHR");
  clFinish(third);
  clFinish(second);
  clFinish(queue);
  clReleaseEvent(last);
  clReleaseEvent(filled);
  Release(commands);
  clReleaseCommandQueue(second);
  clReleaseCommandQueue(third);
  return CL_SUCCESS;
}
MISUSE(recorded_kernel_on_mapped_buffer, "host-race-mapped", clCommandNDRangeKernelKHR, CL_SUCCESS,
       MAPPED, "a command buffer has a kernel that writes what is mapped for reading") {
  cl_command_buffer_khr commands = MakeCommandBuffer();
  cl_int code = -1;
  void* mapped;
  Record(commands, buffer);
  if (!wrong) Need(Execute(commands, queue, 0, NULL, NULL), "clEnqueueCommandBufferKHR");
  mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code);
  Need(code, "clEnqueueMapBuffer");
  if (wrong) Need(Execute(commands, queue, 0, NULL, NULL), "clEnqueueCommandBufferKHR");
  clFinish(queue);
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  clFinish(queue);
  Release(commands);
  return CL_SUCCESS;
}
