/* misuse list | correct | NAME: the table, all correct calls, or one misuse. */
#include <string.h>

#include "testsuites/host/misuse/cases.h"

cl_platform_id platform;
cl_context other_context;
cl_command_queue other_queue;
cl_mem buffer;
char bytes[256];

static struct Case* first;

void AddCase(struct Case* added) {
  added->next = first;
  first = added;
}

void MakeKernel(void) {
  const int value = 7;
  Build();
  Need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
}

cl_int NewBuffer(cl_mem_flags flags, size_t size, void* host_ptr) {
  cl_int code = -1;
  cl_mem made = clCreateBuffer(context, flags, size, host_ptr, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}

cl_mem BufferWith(cl_mem_flags flags) {
  cl_int code = -1;
  cl_mem made = clCreateBuffer(context, flags, 64, NULL, &code);
  Need(code, "clCreateBuffer");
  return made;
}

cl_mem ImageWith(cl_channel_order order, cl_channel_type type) {
  const cl_image_format format = {order, type};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  char zeros[4 * 4 * 16] = {0};  // what reads it is told nothing
  cl_int code = -1;
  cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc,
                              zeros, &code);
  Need(code, "clCreateImage");
  return made;
}

/* The code that the case returned, if it is not the one that is due. */
static int Run(const struct Case* one, int wrong) {
  const int due = wrong ? one->code : CL_SUCCESS;
  const char zeros[64] = {0};
  cl_int code = -1;
  Begin();
  Need(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
       "clGetDeviceInfo");
  other_context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  Need(code, "clCreateContext");
  other_queue = clCreateCommandQueueWithProperties(other_context, device, NULL, &code);
  Need(code, "clCreateCommandQueueWithProperties");
  buffer = MakeBuffer(sizeof zeros);
  code = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL);
  Need(code, "clEnqueueWriteBuffer");
  code = one->make(wrong);
  if (code != due) printf("%s: the call returned %d, and %d is due\n", one->name, code, due);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(other_queue);
  clReleaseContext(other_context);
  End();
  kernel = NULL;
  return code != due;
}

int main(int count, char** arguments) {
  const char* name = count > 1 ? arguments[1] : "";
  const struct Case* one;
  int failed = 0;
  int found = 0;
  for (one = first; one != NULL; one = one->next) {
    if (strcmp(name, "list") == 0) {
      printf("%s\t%s\t%s\t%s\t%s\t%s\n", one->name, one->rule, one->call,
             one->code == CL_SUCCESS ? "" : one->code_name, one->clause, one->what);
      found = 1;
    } else if (strcmp(name, "correct") == 0) {
      failed |= Run(one, 0);
      found = 1;
    } else if (strcmp(name, one->name) == 0) {
      failed = Run(one, 1);
      found = 1;
    }
  }
  if (!found) printf("usage: misuse list | correct | NAME\n");
  return failed || !found;
}
