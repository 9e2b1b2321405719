#include "testsuites/host/queues.h"

int main(void) {
  const int value = 7;
  int values[16];
  cl_device_svm_capabilities capabilities = 0;
  Begin();
  int* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared, 64, 0, NULL, NULL);
  *shared = value;
  clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL);
  clEnqueueSVMMemFill(queue, shared, &value, sizeof value, 64, 0, NULL, NULL);
  /* What is mapped for reading may be read. */
  clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, 64, 0, NULL, NULL);
  clEnqueueSVMMemcpy(queue, CL_TRUE, values, shared, 64, 0, NULL, NULL);
  clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL);
  clFinish(queue);
  clSVMFree(context, shared);
  /* Fine-grained memory need not be unmapped. */
  clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL);
  if ((capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) {
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared, 64, 0, NULL, NULL);
    clEnqueueSVMMemFill(queue, shared, &value, sizeof value, 64, 0, NULL, NULL);
    clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL);
    clFinish(queue);
    clSVMFree(context, shared);
  }
  return End();
}
