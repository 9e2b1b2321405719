#include "testsuites/host/svm_list.h"

int main(void) {
  Begin();
  MakeList();
  Walk(1);
  FreeList();
  return End();
}
