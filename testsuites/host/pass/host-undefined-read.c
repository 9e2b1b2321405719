#include "testsuites/host/host.h"

typedef struct {
  cl_double number;
  cl_char letter; /* and 7 bytes that nobody writes */
} Entry;

/* Writes what nobody sees. */
static void CL_CALLBACK Native(void* arguments) { *(Entry*)*(void**)arguments = (Entry){1, 2}; }

/* What is read was written: by the kernel, by a command, by the host; or it is padding. */
int main(void) {
  static const char* text =
      "typedef struct { double number; char letter; } Entry;\n"
      "kernel void put(global Entry* a) { a[get_global_id(0)].number = 1; a[get_global_id(0)].letter = 2; }";
  Begin();
  clReleaseProgram(program);
  cl_int code = -1;
  program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
  Need(code, "clCreateProgramWithSource");
  Build();
  cl_mem buffer = MakeEmptyBuffer(8 * sizeof(Entry));
  Entry read[8];
  Need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  Need(Launch(), "clEnqueueNDRangeKernel");
  Need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4 * sizeof(Entry), read, 0, NULL, NULL), "read");
  cl_char zero = 0;
  Need(clEnqueueFillBuffer(queue, buffer, &zero, 1, 4 * sizeof(Entry), 2 * sizeof(Entry), 0, NULL, NULL), "fill");
  Need(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 6 * sizeof(Entry), sizeof(Entry), read, 0, NULL, NULL), "write");
  void* mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 7 * sizeof(Entry), sizeof(Entry),
                                    0, NULL, NULL, &code);
  Need(code, "clEnqueueMapBuffer");
  *(Entry*)mapped = read[0];
  Need(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
  Need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL), "read");
  cl_mem other = MakeEmptyBuffer(sizeof(Entry));
  void* arguments[1] = {NULL};
  const void* places[1] = {&arguments[0]};
  Need(clEnqueueNativeKernel(queue, Native, arguments, sizeof arguments, 1, &other, places, 0, NULL, NULL), "native");
  Need(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof(Entry), read, 0, NULL, NULL), "read");
  clReleaseMemObject(other);
  clReleaseMemObject(buffer);
  return End();
}
