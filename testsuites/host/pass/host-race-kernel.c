/* Each thread has its own kernel, or the lock. */
#include <pthread.h>

#include "testsuites/host/queues.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Set(void* own) {
  int i;
  for (i = 0; i < 20000; ++i) {
    clSetKernelArg(own, 1, sizeof i, &i);
    pthread_mutex_lock(&lock);
    clSetKernelArg(kernel, 1, sizeof i, &i);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  cl_kernel clones[2];
  cl_int code = -1;
  int i;
  Begin();
  Build();
  for (i = 0; i < 2; ++i) {
    clones[i] = clCloneKernel(kernel, &code);
    Need(code, "clCloneKernel");
    pthread_create(&threads[i], NULL, Set, clones[i]);
  }
  for (i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    clReleaseKernel(clones[i]);
  }
  return End();
}
