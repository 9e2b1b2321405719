#include "testsuites/host/queues.h"

int main(void) {
  cl_int code = -1;
  Begin();
  cl_mem buffer = MakeBuffer(64);
  cl_mem target = MakeBuffer(64);
  void* mapped =
      clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code);
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  clEnqueueWriteBuffer(queue, target, CL_TRUE, 0, 16, mapped, 0, NULL, NULL); /* here */
  clReleaseMemObject(target);
  clReleaseMemObject(buffer);
  return End();
}
