#include "testsuites/host/queues.h"

int main(void) {
  const int value = 7;
  void* pointers[1];
  Begin();
  int* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMMemFill(queue, shared, &value, sizeof value, 64, 0, NULL, NULL);
  clFinish(queue);
  clSVMFree(context, shared);
  pointers[0] = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMMemFill(queue, pointers[0], &value, sizeof value, 64, 0, NULL, NULL);
  clEnqueueSVMFree(queue, 1, pointers, NULL, NULL, 0, NULL, NULL);
  clFinish(queue);
  return End();
}
