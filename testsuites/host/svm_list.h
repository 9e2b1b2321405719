/* A list in shared virtual memory that a kernel walks: two allocations, of which one is its
 * argument. */
#pragma once

#include "testsuites/host/host.h"

struct Node {
  struct Node* next;
  long value;
};
static struct Node* first;
static struct Node* second;

static inline void MakeList(void) {
  const struct Node last = {NULL, 2};
  struct Node head = {NULL, 1};
  first = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof *first, 0);
  second = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof *second, 0);
  head.next = second;
  clEnqueueSVMMemcpy(queue, CL_TRUE, second, &last, sizeof last, 0, NULL, NULL);
  clEnqueueSVMMemcpy(queue, CL_TRUE, first, &head, sizeof head, 0, NULL, NULL);
}

static inline void Walk(int is_told) {
  const char* source =
      "struct Node { global struct Node* next; long value; };\n"
      "kernel void walk(global struct Node* node) {\n"
      "  long sum = 0;\n"
      "  for (global struct Node* at = node; at != 0; at = at->next) sum += at->value;\n"
      "  node->value = sum;\n"
      "}\n";
  const size_t size = 1;
  void* pointers[1];
  long sum = 0;
  cl_int code = -1;
  clReleaseProgram(program);
  program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  Need(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL), "clBuildProgram");
  kernel = clCreateKernel(program, "walk", &code);
  Need(code, "clCreateKernel");
  Need(clSetKernelArgSVMPointer(kernel, 0, first), "clSetKernelArgSVMPointer");
  pointers[0] = second;
  if (is_told) {
    Need(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers),
         "clSetKernelExecInfo");
  }
  Need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL),
       "clEnqueueNDRangeKernel");
  clEnqueueSVMMemcpy(queue, CL_TRUE, &sum, &first->value, sizeof sum, 0, NULL, NULL);
  Need(sum != 3, "the sum");
}

static inline void FreeList(void) {
  clSVMFree(context, second);
  clSVMFree(context, first);
}
