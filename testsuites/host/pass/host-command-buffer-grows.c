#include "testsuites/host/mutable_dispatch.h"

int main(void) {
  const cl_ulong promise[] = {MUTABLE_ASSERTS, 1, 0};
  const size_t size = 2; /* one group, and two were promised */
  MutableConfig config = {0};
  cl_command_buffer_khr one;
  cl_mem buffer;
  Begin();
  buffer = MakeBuffer(64);
  one = MakeMutable(2);
  Need(RecordMutable(one, buffer, promise, &config.command), "clCommandNDRangeKernelKHR");
  Finalize(one);
  config.global = &size;
  Need(Update(one, &config), "clUpdateMutableCommandsKHR");
  Need(Execute(one, queue, 0, NULL, NULL), "clEnqueueCommandBufferKHR");
  Need(clFinish(queue), "clFinish");
  Release(one);
  clReleaseMemObject(buffer);
  return End();
}
