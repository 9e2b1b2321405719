#include "testsuites/host/usm.h"

int main(void) {
  Begin();
  char* memory = SharedMemory(64);
  USM(clMemFreeINTEL)(context, memory + 16); /* here */
  FreeUsm(memory);
  return End();
}
