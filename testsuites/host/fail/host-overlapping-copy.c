#include "testsuites/host/host.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(64);
  clEnqueueCopyBuffer(queue, buffer, buffer, 0, 31, 32, 0, NULL, NULL); /* here */
  clReleaseMemObject(buffer);
  return End();
}
