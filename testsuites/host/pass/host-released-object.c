#include "testsuites/host/host.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  int value = 7;
  clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof value, &value, 0, NULL, NULL);
  clReleaseMemObject(buffer); /* the command keeps it */
  clFinish(queue);
  return End();
}
