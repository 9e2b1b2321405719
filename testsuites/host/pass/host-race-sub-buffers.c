#include "testsuites/host/queues.h"

int main(void) {
  const cl_buffer_region low = {0, 128};
  const cl_buffer_region high = {128, 128};
  cl_int code = -1;
  cl_event event;
  Begin();
  cl_mem buffer = MakeBuffer(256);
  cl_mem first = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &code);
  cl_mem second = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &code);
  cl_command_queue other = MakeQueue(0);
  Put(queue, first, 0, NULL, NULL);
  Put(other, second, 0, NULL, NULL); /* the same place in another part */
  Fill(queue, buffer, 0, 0, NULL, &event);
  clFlush(queue);
  Fill(other, first, 0, 1, &event, NULL);
  clFinish(queue);
  clFinish(other);
  clReleaseEvent(event);
  clReleaseCommandQueue(other);
  clReleaseMemObject(second);
  clReleaseMemObject(first);
  clReleaseMemObject(buffer);
  return End();
}
