#include "testsuites/host/host.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(64);
  clEnqueueCopyBuffer(queue, buffer, buffer, 0, 32, 32, 0, NULL, NULL);
  clReleaseMemObject(buffer);
  return End();
}
