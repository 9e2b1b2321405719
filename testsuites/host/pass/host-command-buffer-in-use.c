#include "testsuites/host/command_buffers.h"

int main(void) {
  cl_event event;
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_command_queue other = MakeQueue(0);
  cl_command_buffer_khr commands = MakeCommandBuffer();
  Record(commands, buffer);
  Execute(commands, queue, 0, NULL, NULL);
  Execute(commands, queue, 0, NULL, &event); /* behind the first, on a queue in order */
  clFlush(queue);
  Execute(commands, other, 1, &event, NULL);
  clFinish(other);
  Execute(commands, queue, 0, NULL, NULL);
  clFinish(queue);
  clReleaseEvent(event);
  Release(commands);
  clReleaseCommandQueue(other);
  clReleaseMemObject(buffer);
  return End();
}
