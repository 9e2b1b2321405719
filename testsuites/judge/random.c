// Launches the kernels of a list, each once, on the first device.  For
// testsuites/judge/random_test.py.
//
//   random LIST
//
// The lines of the list: "kernel NAME GLOBAL LOCAL FILE [OPTIONS]", then of each argument "buffer
// FILE", "value FILE", "local BYTES", "image ORDER TYPE WIDTH HEIGHT ACCESS FILE" (ACCESS: r or w) or
// "sampler NORMALIZED ADDRESS FILTER", with OpenCL's numbers, then "launch".  Prints what became of
// each kernel.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

enum { kMaxArguments = 32, kMaxLine = 1024 };

static char* ReadFile(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(3);
  }
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char* bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) exit(3);
  bytes[*size] = 0;
  fclose(file);
  return bytes;
}

struct Work {
  cl_kernel kernel;
  char name[64];
  size_t global, local;
  cl_uint arguments;
  cl_mem memory[kMaxArguments];
  cl_uint memories;
};

// "kernel NAME GLOBAL LOCAL FILE [OPTIONS]"; without a kernel where the driver does not build it.
static void Begin(const char* line, struct Work* work) {
  char path[kMaxLine];
  int end = 0;
  memset(work, 0, sizeof *work);
  if (sscanf(line, "kernel %63s %zu %zu %1000s%n", work->name, &work->global, &work->local, path,
             &end) != 4) {
    exit(3);
  }
  size_t size;
  char* source = ReadFile(path, &size);
  cl_int status;
  cl_program made = clCreateProgramWithSource(context, 1, (const char**)&source, NULL, &status);
  Check(status, "clCreateProgramWithSource");
  if (clBuildProgram(made, 1, &device, line + end, NULL, NULL) == CL_SUCCESS) {
    work->kernel = clCreateKernel(made, work->name, &status);
    if (status != CL_SUCCESS) work->kernel = NULL;
  }
  if (work->kernel == NULL) printf("%s is not built\n", work->name);
  clReleaseProgram(made);
  free(source);
}

// False where the line is of another argument.
static int ImageOrSampler(const char* line, struct Work* work) {
  cl_int status;
  cl_image_format format;
  cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D};
  char access, path[kMaxLine];
  cl_uint normalized, address, filter;
  if (sscanf(line, "sampler %u %u %u", &normalized, &address, &filter) == 3) {
    cl_sampler made = clCreateSampler(context, normalized, address, filter, &status);
    Check(status, "clCreateSampler");
    Set(work->kernel, work->arguments++, sizeof made, &made);
    return 1;
  }
  if (sscanf(line, "image %u %u %zu %zu %c %1000s", &format.image_channel_order,
             &format.image_channel_data_type, &shape.image_width, &shape.image_height, &access,
             path) != 6) {
    return 0;
  }
  size_t size;
  char* bytes = ReadFile(path, &size);
  const cl_mem_flags flags = access == 'r' ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY;
  cl_mem made =
      clCreateImage(context, flags | CL_MEM_COPY_HOST_PTR, &format, &shape, bytes, &status);
  free(bytes);
  if (status != CL_SUCCESS) {  // a format that the device does not have
    printf("%s has an image that is not made\n", work->name);
    clReleaseKernel(work->kernel);
    work->kernel = NULL;
    return 1;
  }
  Set(work->kernel, work->arguments++, sizeof made, &made);
  work->memory[work->memories++] = made;
  return 1;
}

static void Argument(const char* line, struct Work* work) {
  char kind[16], value[kMaxLine];
  if (work->kernel == NULL || ImageOrSampler(line, work)) return;
  if (sscanf(line, "%15s %1000s", kind, value) != 2) return;
  if (strcmp(kind, "local") == 0) {
    Set(work->kernel, work->arguments++, (size_t)atoi(value), NULL);
    return;
  }
  size_t size;
  char* bytes = ReadFile(value, &size);
  if (strcmp(kind, "buffer") == 0) {
    cl_int status;
    cl_mem made =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, bytes, &status);
    Check(status, "clCreateBuffer");
    Set(work->kernel, work->arguments++, sizeof made, &made);
    work->memory[work->memories++] = made;
  } else {
    Set(work->kernel, work->arguments++, size, bytes);
  }
  free(bytes);
}

static void Finish(struct Work* work) {
  if (work->kernel == NULL) return;
  const cl_int status = clEnqueueNDRangeKernel(queue, work->kernel, 1, NULL, &work->global,
                                               &work->local, 0, NULL, NULL);
  const cl_int done = status == CL_SUCCESS ? clFinish(queue) : status;
  printf("%s %s (%d)\n", work->name, done == CL_SUCCESS ? "ran" : "is not launched", done);
  fflush(stdout);
  for (cl_uint i = 0; i < work->memories; ++i) clReleaseMemObject(work->memory[i]);
  clReleaseKernel(work->kernel);
}

static void OpenDevice(void) {
  cl_int status;
  Check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  Check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  Check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
}

// The kernels of the list from `first` on (from 0); `*at` is the one that is worked on.
static int RunFrom(const char* path, long first, volatile long* at) {
  FILE* list = fopen(path, "r");
  if (list == NULL) return 3;
  OpenDevice();
  char line[kMaxLine];
  struct Work work;
  long kernel = -1;
  while (fgets(line, sizeof line, list) != NULL) {
    line[strcspn(line, "\n")] = 0;
    const int begins = strncmp(line, "kernel ", 7) == 0;
    if (begins) ++kernel;
    if (kernel < first) continue;
    if (begins) {
      *at = kernel;
      Begin(line, &work);
    } else if (strcmp(line, "launch") == 0) {
      Finish(&work);
    } else {
      Argument(line, &work);
    }
  }
  fclose(list);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}

// Compilers crash: another process goes on with the next kernel then.
int main(int count, char** words) {
  if (count != 2) return 3;
  volatile long* at =
      mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 3;
  for (long first = 0;; first = *at + 1) {
    *at = -1;
    const pid_t child = fork();
    if (child == 0) exit(RunFrom(words[1], first, at));
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 3;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (*at < first) return 3;
    printf("kernel %ld ends the process (signal %d)\n", *at, WTERMSIG(status));
    fflush(stdout);
  }
}
