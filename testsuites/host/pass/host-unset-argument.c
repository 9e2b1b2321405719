#include "testsuites/host/host.h"

int main(void) {
  Begin();
  Build();
  cl_mem buffer = MakeBuffer(16);
  int value = 7;
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof value, &value);
  Launch();
  Launch(); /* with the same arguments again */
  clFinish(queue);
  clReleaseMemObject(buffer);
  return End();
}
