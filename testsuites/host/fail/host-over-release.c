#include "testsuites/host/queues.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  clReleaseMemObject(buffer);
  clReleaseMemObject(buffer); /* here */
  return End();
}
