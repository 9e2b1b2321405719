/* What the host programs share: a context with a queue, and a program with a kernel. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_ENABLE_BETA_EXTENSIONS  // command buffers
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

/* A program of several files has one of each. */
#define SHARED __attribute__((weak))
SHARED cl_device_id device;
SHARED cl_context context;
SHARED cl_command_queue queue;
SHARED cl_program program;
SHARED cl_kernel kernel;

static inline void Need(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  printf("%s: %d\n", what, code);
  exit(3);
}

/* Without a content. */
static inline cl_mem MakeEmptyBuffer(size_t size) {
  cl_int code = -1;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
  Need(code, "clCreateBuffer");
  return buffer;
}

/* Of zeros: what reads it is told nothing. */
static inline cl_mem MakeBuffer(size_t size) {
  cl_int code = -1;
  void* zeros = calloc(1, size);
  cl_mem buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, zeros, &code);
  free(zeros);
  Need(code, "clCreateBuffer");
  return buffer;
}

static inline void Begin(void) {
  static const char* source = "kernel void put(global int* a, int b) { a[get_global_id(0)] = b; }";
  cl_platform_id platform;
  cl_int code = -1;
  Need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  Need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  Need(code, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  Need(code, "clCreateCommandQueueWithProperties");
  program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  Need(code, "clCreateProgramWithSource");
}

static inline void BuildWith(const char* options) {
  cl_int code = -1;
  Need(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
  kernel = clCreateKernel(program, "put", &code);
  Need(code, "clCreateKernel");
}
static inline void Build(void) { BuildWith(""); }

static inline cl_int Launch(void) {
  const size_t size = 4;
  return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
}

static inline int End(void) {
  clFinish(queue);
  if (kernel != NULL) clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
