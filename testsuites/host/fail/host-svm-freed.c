#include "testsuites/host/queues.h"

int main(void) {
  const int value = 7;
  Begin();
  int* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMMemFill(queue, shared, &value, sizeof value, 64, 0, NULL, NULL);
  clSVMFree(context, shared); /* here */
  return End();
}
