// An ICD loader that knows no layers, as a shared object, with the functions that ways.c takes from
// it: it calls through the table of each object.
#include <CL/cl_icd.h>

#define TABLE(object) (*(const cl_icd_dispatch* const*)(object))

// Loaders look for drivers there; this one looks for none.
const char folder[] = "/etc/OpenCL/vendors";

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
  (void)room;
  (void)platforms;
  if (count != NULL) *count = 0;
  return -1001;  // CL_PLATFORM_NOT_FOUND_KHR
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  return TABLE(kernel)->clSetKernelArg(kernel, index, size, value);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local,
                              cl_uint waits, const cl_event* wait_list, cl_event* event) {
  return TABLE(queue)->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                              waits, wait_list, event);
}
