#include "testsuites/host/svm_list.h"

int main(void) {
  Begin();
  MakeList();
  Walk(0); /* the second node is no argument */
  FreeList();
  return End();
}
