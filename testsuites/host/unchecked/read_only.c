/* Without checks a kernel writes a buffer that is CL_MEM_READ_ONLY, as on other devices; with them it may not. */
#include "testsuites/host/host.h"

int main(void) {
  cl_int code = -1;
  const cl_int value = 7;
  cl_int result[4] = {0, 0, 0, 0};
  Begin();
  Build();
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof result, NULL, &code);
  Need(code, "clCreateBuffer");
  Need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
  Need(Launch(), "clEnqueueNDRangeKernel");
  Need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL), "clEnqueueReadBuffer");
  for (int i = 0; i < 4; ++i) {
    if (result[i] != value) {
      printf("element %d is %d\n", i, result[i]);
      return 4;
    }
  }
  clReleaseMemObject(buffer);
  return End();
}
