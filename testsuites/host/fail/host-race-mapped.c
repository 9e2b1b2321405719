#include "testsuites/host/queues.h"

int main(void) {
  cl_int code = -1;
  Begin();
  cl_mem buffer = MakeBuffer(64);
  void* mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 16,
                                    0, NULL, NULL, &code);
  Put(queue, buffer, 0, NULL, NULL); /* here */
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(buffer);
  return End();
}
