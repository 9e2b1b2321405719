#include "testsuites/host/queues.h"

int main(void) {
  static char bytes[64];
  cl_int code = -1;
  Begin();
  cl_mem first = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 32, bytes, &code);
  cl_mem second = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 32, bytes + 16, &code);
  clEnqueueCopyBuffer(queue, first, second, 0, 0, 8, 0, NULL, NULL); /* here */
  clFinish(queue);
  clReleaseMemObject(second);
  clReleaseMemObject(first);
  return End();
}
