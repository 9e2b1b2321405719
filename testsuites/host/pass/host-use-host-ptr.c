#include "testsuites/host/queues.h"

int main(void) {
  static char bytes[64];
  cl_int code = -1;
  Begin();
  cl_mem first = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 32, bytes, &code);
  cl_mem second = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 32, bytes + 32, &code);
  clEnqueueCopyBuffer(queue, first, second, 0, 0, 32, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, first, CL_TRUE, 0, 32, bytes, 0, NULL,
                      NULL); /* its own memory, not mapped */
  clReleaseMemObject(second);
  clReleaseMemObject(first);
  return End();
}
