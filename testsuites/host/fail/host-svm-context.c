#include "testsuites/host/queues.h"

int main(void) {
  const int value = 7;
  cl_int code = -1;
  Begin();
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  int* shared = clSVMAlloc(other, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMMemFill(queue, shared, &value, sizeof value, 64, 0, NULL, NULL); /* here */
  clFinish(queue);
  clSVMFree(other, shared);
  clReleaseContext(other);
  return End();
}
