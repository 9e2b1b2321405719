#include "testsuites/host/host.h"

/* Registered before the first call of the API, so that it runs after what the driver registers. */
static cl_mem buffer;
static void AtEnd(void) {
  int value = 7;
  clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof value, &value, 0, NULL, NULL);
  End();
  clReleaseMemObject(buffer);
}

int main(void) {
  atexit(AtEnd);
  Begin();
  buffer = MakeBuffer(16);
  return 0;
}
