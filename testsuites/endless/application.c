/* Runs the kernel k of a source, which never ends by itself: application SOURCE [handler].  With "handler" it has one for
 * SIGINT of its own, which only takes note of it. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t noted;

static void note(int number) { noted = number; }

static char* read_text(const char* path)
{
  static char text[1 << 16];
  FILE* file = fopen(path, "r");
  if (!file) exit(2);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

int main(int count, char** words)
{
  const char* text = read_text(words[1]);
  cl_platform_id platform;
  cl_device_id device;
  cl_int status = 0;
  if (count > 2 && !strcmp(words[2], "handler")) signal(SIGINT, note);
  if (clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0)) return 3;
  cl_context context = clCreateContext(0, 1, &device, 0, 0, 0);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, 0, 0);
  cl_program program = clCreateProgramWithSource(context, 1, &text, 0, 0);
  if (clBuildProgram(program, 0, 0, "-cl-std=CL3.0", 0, 0)) return 4;
  cl_kernel kernel = clCreateKernel(program, "k", &status);
  cl_mem buffer = clCreateBuffer(context, 0, 256, 0, 0);
  const int zero = 0;
  clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 256, 0, 0, 0);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, 256, 0);
  const size_t global = 32, local = 16;
  cl_event event;
  puts("runs");
  fflush(stdout);
  if (clEnqueueNDRangeKernel(queue, kernel, 1, 0, &global, &local, 0, 0, &event)) return 5;
  clFinish(queue);
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, 0);
  printf("the event is %d", status);
  if (noted) printf(", signal %d", (int)noted);
  puts("");
  return 0;
}
