#include "testsuites/host/host.h"

/* The kernel writes 4 of the 8 elements that are read. */
int main(void) {
  Begin();
  Build();
  cl_mem buffer = MakeEmptyBuffer(8 * sizeof(cl_int));
  cl_int value = 7, read[8];
  Need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
  Need(Launch(), "clEnqueueNDRangeKernel");
  Need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL), /* here */
       "clEnqueueReadBuffer");
  clReleaseMemObject(buffer);
  return End();
}
