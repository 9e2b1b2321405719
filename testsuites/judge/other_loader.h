// A launch through another ICD loader of the process than the one that is linked.
#pragma once

#include <dlfcn.h>

#include "host.h"

static void* Function(void* library, const char* name) {
  void* function = dlsym(library, name);
  if (function == NULL) Check(CL_INVALID_VALUE, name);
  return function;
}

// Made by the loader that is linked; the argument and the commands go through the other one.
static void Loader(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) Check(CL_INVALID_VALUE, dlerror());
  // A loader takes its layers when it looks for platforms.
  cl_int (*platforms)(cl_uint, cl_platform_id*, cl_uint*) = Function(library, "clGetPlatformIDs");
  Check(platforms(0, NULL, &(cl_uint){0}), "clGetPlatformIDs");
  cl_int (*write)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void*, cl_uint,
                  const cl_event*, cl_event*) = Function(library, "clEnqueueWriteBuffer");
  cl_int (*launch)(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*,
                   const size_t*, cl_uint, const cl_event*, cl_event*) =
      Function(library, "clEnqueueNDRangeKernel");
  cl_int (*set)(cl_kernel, cl_uint, size_t, const void*) = Function(library, "clSetKernelArg");
  cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, kCount * sizeof(cl_uint), NULL, NULL);
  cl_uint data[kCount];
  for (cl_uint i = 0; i < kCount; ++i) data[i] = i;
  Check(write(queue, a, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), "clEnqueueWriteBuffer");
  cl_kernel kernel = Kernel(program, "nothing");
  Check(set(kernel, 0, sizeof a, &a), "clSetKernelArg");
  const size_t one = 1;
  Check(launch(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  Print("nothing", a);
  clReleaseKernel(kernel);
  clReleaseMemObject(a);
}
