#include "testsuites/host/queues.h"

int main(void) {
  const int value = 7;
  Begin();
  int* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared, 64, 0, NULL, NULL);
  clEnqueueSVMMemFill(queue, shared, &value, sizeof value, 64, 0, NULL, NULL); /* here */
  clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL);
  clFinish(queue);
  clSVMFree(context, shared);
  return End();
}
