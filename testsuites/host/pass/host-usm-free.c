#include "testsuites/host/usm.h"

int main(void) {
  Begin();
  char* memory = SharedMemory(64);
  Need(FillUsm(queue, memory + 16, 16), "clEnqueueMemFillINTEL");
  Need(USM(clMemBlockingFreeINTEL)(context, memory), "clMemBlockingFreeINTEL");
  Need(USM(clMemFreeINTEL)(context, NULL), "clMemFreeINTEL");
  return End();
}
