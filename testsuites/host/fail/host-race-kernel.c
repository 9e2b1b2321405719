#include <pthread.h>
#include <time.h>

#include "testsuites/host/queues.h"

static pthread_barrier_t both;

/* For as long as one thread is interrupted in a call by the other one. */
static void* Set(void* unused) {
  const time_t end = time(NULL) + 2;
  int i;
  pthread_barrier_wait(&both);
  for (i = 0; time(NULL) < end; ++i) {
    clSetKernelArg(kernel, 1, sizeof i, &i); /* here */
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  Begin();
  Build();
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&threads[0], NULL, Set, NULL);
  pthread_create(&threads[1], NULL, Set, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return End();
}
