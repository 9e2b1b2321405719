#include "testsuites/host/queues.h"

int main(void) {
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_event gate = UserEvent();
  Fill(queue, buffer, 0, 1, &gate, NULL);
  clReleaseMemObject(buffer); /* here */
  clSetUserEventStatus(gate, CL_COMPLETE);
  clReleaseEvent(gate);
  return End();
}
