/* A kernel whose block enqueues another one on the default queue. */
#pragma once

#include "testsuites/host/host.h"

static cl_mem enqueued;

static inline void BuildEnqueuing(void) {
  static const char* text =
      "kernel void put(global int* a) {\n"
      "  int i = get_global_id(0);\n"
      "  a[i] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), "
      "^{ a[i + 4] = 1; });\n"
      "}\n";
  Begin();
  clReleaseProgram(program);
  cl_int code = -1;
  program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
  Need(code, "clCreateProgramWithSource");
  BuildWith("-cl-std=CL2.0");
  enqueued = MakeBuffer(8 * sizeof(cl_int));
  Need(clSetKernelArg(kernel, 0, sizeof enqueued, &enqueued), "clSetKernelArg");
}

static inline int EndEnqueuing(void) {
  clFinish(queue);
  clReleaseMemObject(enqueued);
  return End();
}
