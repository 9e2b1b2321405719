#include "testsuites/host/queues.h"

int main(void) {
  int values[8] = {0};
  cl_event event;
  Begin();
  cl_mem first = MakeBuffer(16);
  cl_mem second = MakeBuffer(16);
  cl_command_queue other = MakeQueue(0);
  /* Both read the memory. */
  clEnqueueWriteBuffer(queue, first, CL_FALSE, 0, 16, values, 0, NULL, NULL);
  clEnqueueWriteBuffer(other, second, CL_FALSE, 0, 16, values, 0, NULL, NULL);
  clFinish(queue);
  clFinish(other);
  /* An event orders them, and other bytes need no order. */
  clEnqueueReadBuffer(queue, first, CL_FALSE, 0, 16, values, 0, NULL, &event);
  clFlush(queue);
  clEnqueueReadBuffer(other, second, CL_FALSE, 0, 16, values + 4, 0, NULL, NULL);
  clEnqueueWriteBuffer(other, second, CL_FALSE, 0, 16, values, 1, &event, NULL);
  clFinish(queue);
  clFinish(other);
  clReleaseEvent(event);
  clReleaseCommandQueue(other);
  clReleaseMemObject(second);
  clReleaseMemObject(first);
  return End();
}
