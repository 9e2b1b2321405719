#include "testsuites/host/usm.h"

int main(void) {
  Begin();
  void* memory = SharedMemory(64);
  clSVMFree(context, memory); /* here */
  FreeUsm(memory);
  return End();
}
