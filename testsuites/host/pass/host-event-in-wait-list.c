#include "testsuites/host/queues.h"

int main(void) {
  cl_event events[2];
  Begin();
  cl_mem buffer = MakeBuffer(16);
  Fill(queue, buffer, 0, 0, NULL, &events[0]);
  clEnqueueMarkerWithWaitList(queue, 1, events, &events[1]); /* behind the list */
  clFinish(queue);
  clReleaseEvent(events[0]);
  clReleaseEvent(events[1]);
  clReleaseMemObject(buffer);
  return End();
}
