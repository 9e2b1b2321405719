#include "testsuites/host/command_buffers.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_command_queue other = MakeQueue(0);
  cl_command_buffer_khr commands = MakeCommandBuffer();
  Record(commands, buffer);
  Execute(commands, queue, 0, NULL, NULL);
  Execute(commands, other, 0, NULL, NULL); /* here */
  clFinish(queue);
  clFinish(other);
  Release(commands);
  clReleaseCommandQueue(other);
  clReleaseMemObject(buffer);
  return End();
}
