#include "testsuites/host/usm.h"

int main(void) {
  int copy[16] = {0};
  Begin();
  int* memory = DeviceMemory(sizeof copy);
  Need(FillUsm(queue, memory, sizeof copy), "clEnqueueMemFillINTEL");
  Need(CopyUsm(copy, memory, sizeof copy), "clEnqueueMemcpyINTEL");
  if (copy[3] != 7) return 1;
  int* shared = SharedMemory(sizeof copy);
  Need(CopyUsm(shared, memory, sizeof copy), "clEnqueueMemcpyINTEL");
  if (shared[3] != 7) return 1;
  /* The driver may be given what the host may not access itself. */
  cl_mem buffer = MakeBuffer(sizeof copy);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof copy, memory, 0, NULL, NULL);
  Need(CopyUsm(copy, memory, sizeof copy), "clEnqueueMemcpyINTEL");
  if (copy[3] != 0) return 1;
  clReleaseMemObject(buffer);
  FreeUsm(shared);
  FreeUsm(memory);
  return End();
}
