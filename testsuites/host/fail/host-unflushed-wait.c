#include "testsuites/host/queues.h"

int main(void) {
  cl_event event;
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_command_queue other = MakeQueue(0);
  Fill(queue, buffer, 0, 0, NULL, &event);
  Fill(other, buffer, 0, 1, &event, NULL);
  clFinish(other); /* here */
  clFinish(queue);
  clReleaseEvent(event);
  clReleaseCommandQueue(other);
  clReleaseMemObject(buffer);
  return End();
}
