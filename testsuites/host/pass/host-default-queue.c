#include "testsuites/host/host.h"
#include "testsuites/host/device_queue.h"

int main(void) {
  BuildEnqueuing();
  const cl_queue_properties how[] = {
      CL_QUEUE_PROPERTIES,
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  cl_int code = -1;
  cl_command_queue on_device = clCreateCommandQueueWithProperties(context, device, how, &code);
  Need(code, "clCreateCommandQueueWithProperties");
  Need(Launch(), "clEnqueueNDRangeKernel");
  clFinish(queue);
  clReleaseCommandQueue(on_device);
  return EndEnqueuing();
}
