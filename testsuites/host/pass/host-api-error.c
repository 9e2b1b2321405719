#include "testsuites/host/host.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  int value = 7;
  clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 12, sizeof value, &value, 0, NULL, NULL);
  clReleaseMemObject(buffer);
  return End();
}
