#include "testsuites/host/command_buffers.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_command_buffer_khr commands = MakeCommandBuffer();
  Record(commands, buffer);
  Execute(commands, queue, 0, NULL, NULL);
  clReleaseKernel(kernel); /* the command has it */
  kernel = NULL;
  clFinish(queue);
  Release(commands);
  clReleaseMemObject(buffer);
  return End();
}
