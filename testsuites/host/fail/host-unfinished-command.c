#include <unistd.h>

#include "testsuites/host/queues.h"

static void CL_CALLBACK Sleep(void* data) {
  (void)data;
  usleep(300000);
}

int main(void) {
  Begin();
  clEnqueueNativeKernel(queue, Sleep, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
  clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue); /* does not wait */
  clReleaseContext(context);
  return 0;
}
