#include "testsuites/host/queues.h"

int main(void) {
  cl_event event;
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_event gate = UserEvent();
  Fill(queue, buffer, 0, 1, &gate, &event);
  clReleaseEvent(event); /* events may be released */
  clSetUserEventStatus(gate, CL_COMPLETE);
  clReleaseMemObject(buffer);
  clReleaseEvent(gate);
  return End();
}
