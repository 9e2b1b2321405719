// A layer that makes the driver below it wrong: after a launch of the kernel FLIP_KERNEL ("*": of
// any kernel) it flips one bit of what the kernel's first argument points to, in the byte FLIP_BYTE
// of the buffer.  With FLIP_LIE it says of objects what is not so: "size" of buffers, "arguments"
// of kernels.
#include "../test_layer.h"

static cl_mem first;  // the last one that was argument 0 of a kernel

static int Lies(const char* about) {
  const char* lie = getenv("FLIP_LIE");
  return lie != NULL && strcmp(lie, about) == 0;
}

static cl_int MemoryInfo(cl_mem memory, cl_mem_info name, size_t size, void* value,
                         size_t* size_to) {
  const cl_int status = driver->clGetMemObjectInfo(memory, name, size, value, size_to);
  if (name == CL_MEM_SIZE && value != NULL && Lies("size")) *(size_t*)value = 4;
  return status;
}

static cl_int KernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void* value,
                         size_t* size_to) {
  const cl_int status = driver->clGetKernelInfo(kernel, name, size, value, size_to);
  if (name == CL_KERNEL_NUM_ARGS && value != NULL && Lies("arguments")) {
    *(cl_uint*)value = 0xffffffff;
  }
  return status;
}

static cl_int SetArgument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  if (index == 0 && value != NULL && size == sizeof first) memcpy(&first, value, sizeof first);
  return driver->clSetKernelArg(kernel, index, size, value);
}

static cl_int Launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                     const size_t* offset, const size_t* global, const size_t* local, cl_uint waits,
                     const cl_event* wait_list, cl_event* event) {
  const cl_int status = driver->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                       local, waits, wait_list, event);
  char name[64] = "";
  driver->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
  const char* wanted = getenv("FLIP_KERNEL");
  const char* place = getenv("FLIP_BYTE");
  if (status != CL_SUCCESS || wanted == NULL) return status;
  if (strcmp(wanted, "*") != 0 && strcmp(name, wanted) != 0) return status;
  const size_t at = place == NULL ? 0 : (size_t)atoi(place);
  unsigned char byte = 0;
  driver->clFinish(queue);
  driver->clEnqueueReadBuffer(queue, first, CL_TRUE, at, 1, &byte, 0, NULL, NULL);
  byte ^= 1;
  driver->clEnqueueWriteBuffer(queue, first, CL_TRUE, at, 1, &byte, 0, NULL, NULL);
  return status;
}

static void Replace(void) {
  table.clSetKernelArg = &SetArgument;
  table.clGetMemObjectInfo = &MemoryInfo;
  table.clGetKernelInfo = &KernelInfo;
  table.clEnqueueNDRangeKernel = &Launch;
}
