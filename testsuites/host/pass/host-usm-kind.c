#include "testsuites/host/usm.h"

int main(void) {
  Begin();
  void* shared = SharedMemory(64);
  void* virtual_memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  /* Copies and fills take both. */
  Need(FillUsm(queue, virtual_memory, 64), "clEnqueueMemFillINTEL");
  Need(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, virtual_memory, 64, 0, NULL, NULL),
       "clEnqueueSVMMemcpy");
  clSVMFree(context, virtual_memory);
  FreeUsm(shared);
  return End();
}
