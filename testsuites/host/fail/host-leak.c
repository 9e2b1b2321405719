#include "testsuites/host/host.h"

int main(void) {
  Begin();
  MakeBuffer(16);
  MakeBuffer(16);
  return End();
}
