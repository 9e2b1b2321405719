#include "testsuites/host/queues.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  Fill(queue, buffer, 0, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(buffer);
  return End();
}
