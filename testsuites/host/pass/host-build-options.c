#include "testsuites/host/host.h"

int main(void) {
  Begin();
  clBuildProgram(program, 1, &device, "-cl-fast-relaxed-math -D COUNT=4 -w", NULL, NULL);
  return End();
}
