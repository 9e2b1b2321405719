#include "testsuites/host/queues.h"

int main(void) {
  int values[4] = {0};
  Begin();
  cl_mem first = MakeBuffer(16);
  cl_mem second = MakeBuffer(16);
  cl_command_queue other = MakeQueue(0);
  clEnqueueReadBuffer(queue, first, CL_FALSE, 0, 16, values, 0, NULL, NULL);
  clEnqueueWriteBuffer(other, second, CL_FALSE, 0, 16, values, 0, NULL, NULL); /* here */
  clFinish(queue);
  clFinish(other);
  clReleaseCommandQueue(other);
  clReleaseMemObject(second);
  clReleaseMemObject(first);
  return End();
}
