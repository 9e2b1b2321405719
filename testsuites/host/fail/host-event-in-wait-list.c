#include "testsuites/host/queues.h"

int main(void) {
  cl_event event;
  cl_event first;
  Begin();
  cl_mem buffer = MakeBuffer(16);
  Fill(queue, buffer, 0, 0, NULL, &event);
  first = event;
  clEnqueueMarkerWithWaitList(queue, 1, &event, &event); /* here */
  clFinish(queue);
  clReleaseEvent(first);
  clReleaseEvent(event);
  clReleaseMemObject(buffer);
  return End();
}
