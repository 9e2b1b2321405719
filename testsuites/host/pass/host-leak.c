#include "testsuites/host/host.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  clReleaseMemObject(buffer);
  return End();
}
