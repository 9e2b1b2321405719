#include "testsuites/host/queues.h"

static volatile int is_done;
static cl_mem buffer;
static void CL_CALLBACK Next(cl_event event, cl_int status, void* data) {
  (void)event, (void)status, (void)data;
  Fill(queue, buffer, 0, 0, NULL, NULL);
  clFlush(queue);
  is_done = 1;
}

int main(void) {
  cl_event event;
  Begin();
  buffer = MakeBuffer(16);
  Fill(queue, buffer, 0, 0, NULL, &event);
  clSetEventCallback(event, CL_COMPLETE, Next, NULL);
  clFinish(queue);
  while (!is_done) {
  }
  clFinish(queue); /* outside of the callback */
  clReleaseEvent(event);
  clReleaseMemObject(buffer);
  return End();
}
