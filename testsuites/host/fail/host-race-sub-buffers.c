#include "testsuites/host/queues.h"

int main(void) {
  const cl_buffer_region region = {0, 32};
  cl_int code = -1;
  Begin();
  cl_mem buffer = MakeBuffer(64);
  cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  cl_command_queue other = MakeQueue(0);
  Fill(queue, buffer, 16, 0, NULL, NULL);
  Fill(other, part, 16, 0, NULL, NULL); /* here */
  clFinish(queue);
  clFinish(other);
  clReleaseCommandQueue(other);
  clReleaseMemObject(part);
  clReleaseMemObject(buffer);
  return End();
}
