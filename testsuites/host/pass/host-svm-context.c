#include "testsuites/host/queues.h"

int main(void) {
  int values[16] = {0};
  cl_int code = -1;
  Begin();
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  int* theirs = clSVMAlloc(other, CL_MEM_READ_WRITE, 64, 0);
  int* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMMemcpy(queue, CL_TRUE, shared, values, 64, 0, NULL,
                     NULL); /* from memory of the host */
  clSVMFree(context, shared);
  clSVMFree(other, theirs);
  clReleaseContext(other);
  return End();
}
