#include "testsuites/host/command_buffers.h"

int main(void) {
  Begin();
  cl_command_queue other = MakeQueue(0);
  cl_command_buffer_khr commands = MakeCommandBuffer();
  RecordBarrier(commands);
  Execute(commands, queue, 0, NULL, NULL);
  Execute(commands, other, 0, NULL, NULL); /* here */
  clFinish(queue);
  clFinish(other);
  Release(commands);
  clReleaseCommandQueue(other);
  return End();
}
