#include "testsuites/host/host.h"

int main(void) {
  Begin();
  clBuildProgram(program, 1, &device, "-cl-fast-and-loose", NULL, NULL); /* here */
  return End();
}
