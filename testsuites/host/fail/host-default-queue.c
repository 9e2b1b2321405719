#include "testsuites/host/host.h"
#include "testsuites/host/device_queue.h"

int main(void) {
  BuildEnqueuing();
  Need(Launch(), "clEnqueueNDRangeKernel"); /* here */
  return EndEnqueuing();
}
