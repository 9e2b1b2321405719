#include "testsuites/host/queues.h"

int main(void) {
  cl_event event;
  cl_event last;
  cl_event both[2];
  int value;
  Begin();
  cl_mem buffer = MakeBuffer(16);
  cl_command_queue other = MakeQueue(0);
  Fill(queue, buffer, 0, 0, NULL, &event);
  Fill(other, buffer, 0, 1, &event, &last);
  clFlush(queue); /* after the command that waits, and before the host does */
  clWaitForEvents(1, &last);
  clReleaseEvent(event);
  clReleaseEvent(last);
  /* A command that blocks flushes its queue. */
  Fill(queue, buffer, 0, 0, NULL, &event);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL);
  Fill(other, buffer, 0, 1, &event, NULL);
  clFinish(other);
  clReleaseEvent(event);
  /* So does a wait for both events. */
  Fill(queue, buffer, 0, 0, NULL, &both[0]);
  Fill(other, buffer, 0, 1, &both[0], &both[1]);
  clWaitForEvents(2, both);
  clReleaseEvent(both[0]);
  clReleaseEvent(both[1]);
  clReleaseCommandQueue(other);
  clReleaseMemObject(buffer);
  return End();
}
