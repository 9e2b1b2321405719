#include "testsuites/host/host.h"

int main(void) {
  Begin();
  Build();
  cl_mem buffer = MakeBuffer(16);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  Launch();
  clReleaseMemObject(buffer);
  return End();
}
