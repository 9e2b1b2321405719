#include "testsuites/host/queues.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_command_queue other = MakeQueue(0);
  Fill(queue, buffer, 0, 0, NULL, NULL);
  clFlush(queue);
  Put(other, buffer, 0, NULL, NULL); /* here */
  clFinish(other);
  clFinish(queue);
  clReleaseCommandQueue(other);
  clReleaseMemObject(buffer);
  return End();
}
