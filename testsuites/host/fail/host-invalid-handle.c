#include "testsuites/host/host.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  clRetainKernel((cl_kernel)buffer); /* here */
  clReleaseMemObject(buffer);
  return End();
}
