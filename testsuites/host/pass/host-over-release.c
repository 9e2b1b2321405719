#include "testsuites/host/queues.h"

int main(void) {
  cl_context of;
  Begin();
  cl_mem buffer = MakeBuffer(16);
  clRetainMemObject(buffer);
  clReleaseMemObject(buffer);
  Fill(queue, buffer, 0, 0, NULL, NULL);
  clReleaseMemObject(buffer);
  /* An answer is no reference; a reference may be taken of it. */
  clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of, &of, NULL);
  clRetainContext(of);
  clReleaseContext(of);
  return End();
}
