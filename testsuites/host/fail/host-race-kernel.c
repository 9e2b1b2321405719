#include <pthread.h>

#include "testsuites/host/queues.h"

static void* Set(void* unused) {
  int i;
  for (i = 0; i < 20000; ++i) {
    clSetKernelArg(kernel, 1, sizeof i, &i); /* here */
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  Begin();
  Build();
  pthread_create(&threads[0], NULL, Set, NULL);
  pthread_create(&threads[1], NULL, Set, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return End();
}
