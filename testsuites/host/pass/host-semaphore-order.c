#include <CL/cl_ext.h>

#include "testsuites/host/queues.h"

int main(void) {
  const cl_semaphore_properties_khr given[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                               0};
  cl_platform_id platform;
  cl_int code = -1;
  int i;
  Begin();
  clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
#define FUNCTION(name) ((name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name))
  cl_semaphore_khr semaphore = FUNCTION(clCreateSemaphoreWithPropertiesKHR)(context, given, &code);
  cl_command_queue other = MakeQueue(0);
  cl_mem buffer = MakeBuffer(16);
  for (i = 0; i < 2; ++i) {
    Fill(queue, buffer, 0, 0, NULL, NULL);
    FUNCTION(clEnqueueSignalSemaphoresKHR)(queue, 1, &semaphore, NULL, 0, NULL, NULL);
    FUNCTION(clEnqueueWaitSemaphoresKHR)(other, 1, &semaphore, NULL, 0, NULL, NULL);
    Fill(other, buffer, 0, 0, NULL, NULL); /* the semaphore orders it */
    clFinish(queue);
    clFinish(other);
  }
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(other);
  FUNCTION(clReleaseSemaphoreKHR)(semaphore);
  return End();
}
