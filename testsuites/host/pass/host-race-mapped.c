#include "testsuites/host/queues.h"

int main(void) {
  cl_int code = -1;
  int values[4];
  cl_event gate;
  Begin();
  cl_mem buffer = MakeBuffer(64);
  cl_mem unused = MakeBuffer(64);
  void* mapped;
  Fill(queue, buffer, 0, 0, NULL, NULL);
  Fill(queue, buffer, 4, 0, NULL, NULL);
  /* What is mapped for reading may be read. */
  mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &code);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, values, 0, NULL, NULL);
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  Put(queue, buffer, 0, NULL, NULL); /* behind the unmap command */
  /* Another object is mapped, and one is mapped twice in different places. */
  mapped = clEnqueueMapBuffer(queue, unused, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &code);
  {
    void* next =
        clEnqueueMapBuffer(queue, unused, CL_TRUE, CL_MAP_WRITE, 8, 8, 0, NULL, NULL, &code);
    Put(queue, buffer, 0, NULL, NULL);
    clEnqueueUnmapMemObject(queue, unused, next, 0, NULL, NULL);
  }
  clEnqueueUnmapMemObject(queue, unused, mapped, 0, NULL, NULL);
  clFinish(queue);
  /* The command begins after the host has unmapped the buffer. */
  mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &code);
  {
    cl_command_queue other = MakeQueue(0);
    gate = UserEvent();
    Put(other, buffer, 1, &gate, NULL);
    clFlush(other);
    clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    clFinish(queue);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(other);
    clReleaseCommandQueue(other);
  }
  clReleaseEvent(gate);
  clReleaseMemObject(unused);
  clReleaseMemObject(buffer);
  return End();
}
