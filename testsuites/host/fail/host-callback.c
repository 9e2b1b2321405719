#include "testsuites/host/queues.h"

static volatile int is_done;
static void CL_CALLBACK Wait(cl_event event, cl_int status, void* data) {
  (void)event, (void)status, (void)data;
  clFinish(queue); /* here */
  is_done = 1;
}

int main(void) {
  cl_event event;
  Begin();
  cl_mem buffer = MakeBuffer(16);
  Fill(queue, buffer, 0, 0, NULL, &event);
  clSetEventCallback(event, CL_COMPLETE, Wait, NULL);
  clFlush(queue);
  while (!is_done) {
  }
  clReleaseEvent(event);
  clReleaseMemObject(buffer);
  return End();
}
