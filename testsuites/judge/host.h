// What every part of program.c needs: one device, its queue, and calls that must not fail.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kCount = 256 };

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void Check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "program: %s: error %d\n", what, status);
  exit(3);
}

static cl_program Build(const char* source, const char* options) {
  cl_int status;
  cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  Check(status, "clCreateProgramWithSource");
  Check(clBuildProgram(made, 1, &device, options, NULL, NULL), "clBuildProgram");
  return made;
}

static cl_mem Buffer(cl_mem_flags flags, cl_uint step) {
  cl_uint data[kCount];
  for (cl_uint i = 0; i < kCount; ++i) data[i] = step * i;
  cl_int status;
  cl_mem made = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, sizeof data, data, &status);
  Check(status, "clCreateBuffer");
  return made;
}

static cl_kernel Kernel(cl_program from, const char* name) {
  cl_int status;
  cl_kernel made = clCreateKernel(from, name, &status);
  Check(status, "clCreateKernel");
  return made;
}

static void Set(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  Check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void LaunchOn(cl_command_queue on, cl_kernel kernel, size_t global, size_t local) {
  Check(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &global, local == 0 ? NULL : &local, 0, NULL,
                               NULL),
        "clEnqueueNDRangeKernel");
}
static void Launch(cl_kernel kernel, size_t global, size_t local) {
  LaunchOn(queue, kernel, global, local);
}

static void Print(const char* name, cl_mem buffer) {
  cl_uint data[kCount];
  Check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL),
        "clEnqueueReadBuffer");
  cl_uint sum = 0;
  for (int i = 0; i < kCount; ++i) sum = sum * 31 + data[i];
  printf("%s %08x\n", name, sum);
}
