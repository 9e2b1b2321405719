#include "testsuites/host/usm.h"

int main(void) {
  Begin();
  int* memory = DeviceMemory(64);
  Need(FillUsm(queue, memory, 64), "clEnqueueMemFillINTEL");
  clFinish(queue);
  if (memory[3] != 7) return 1; /* here */
  FreeUsm(memory);
  return End();
}
