// An OpenCL application for the tests of `assay exec --judge` that does little.  Its word says
// what:
//
//   idle     makes a context
//   gpu      asks for GPUs only; without one it ends well
//   list     lists all devices and takes the first GPU; without one it ends well
//   type     a context of GPUs by clCreateContextFromType; without one it ends well
//   broken   builds a program that is no OpenCL C
//   objects FILE  launches a kernel through another ICD loader, which is only given the objects
//   texels   an image of a buffer, read and written, and the buffer itself
//   macros   a kernel whose code depends on what the compiler predefines
#include "host.h"
#include "other_loader.h"

static const char* const kMacros =
    "#ifdef __cplusplus\n"
    "#error this is no OpenCL C\n"
    "#endif\n"
    "#if defined(NOBODY_DEFINES_IT) && __OPENCL_VERSION__ >= 100\n"
    "#define STEP 2\n"
    "#endif\n"
    "#ifndef STEP\n"
    "#define STEP 3\n"
    "#endif\n"
    "#if WIDTH > 2\n"
    "__kernel void macros(__global uint* a) { a[get_global_id(0)] += STEP; }\n"
    "#endif\n";

static void Idle(void) {
  cl_int status;
  Check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  Check(status, "clCreateContext");
}

static void RunOne(const char* source, const char* options, const char* name) {
  cl_int status;
  queue = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  program = Build(source, options);
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(program, name);
  Set(kernel, 0, sizeof a, &a);
  Launch(kernel, kCount, 64);
  Print(name, a);
}

static const char* const kPlain =
    "__kernel void plain(__global uint* a) { a[get_global_id(0)] = 1; }\n";

static void Gpu(void) {
  cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
  if (status == CL_DEVICE_NOT_FOUND) return;
  Check(status, "clGetDeviceIDs");
  cl_device_type type = 0;
  Check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), "clGetDeviceInfo");
  printf("type %d, cpus %d\n", (int)(type & ~CL_DEVICE_TYPE_DEFAULT),
         clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  Check(status, "clCreateContext");
  RunOne(kPlain, "", "plain");
}

static void List(void) {
  cl_device_type type = 0;
  Check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  Check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), "clGetDeviceInfo");
  if ((type & CL_DEVICE_TYPE_GPU) == 0) return;
  Idle();
  RunOne(kPlain, "", "plain");
}

static void Type(void) {
  cl_int status;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  context = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &status);
  if (status == CL_DEVICE_NOT_FOUND) return;
  Check(status, "clCreateContextFromType");
  Check(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL),
        "clGetContextInfo");
  RunOne(kPlain, "", "plain");
}

static const char* const kTexels =
    "__kernel void texels(__read_only image1d_buffer_t rows, __write_only image1d_buffer_t to, "
    "__global const float* weights) {\n"
    "  int i = (int)get_global_id(0);\n"
    "  float4 row = read_imagef(rows, i);\n"
    "  write_imagef(to, i, row + row.wzyx + vload4(i, weights));\n"
    "}\n";

static cl_mem ImageOf(cl_mem buffer) {
  cl_int status;
  cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc shape = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = kCount / 4, .buffer = buffer};
  cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &status);
  Check(status, "clCreateImage");
  return made;
}

static void Texels(void) {
  Idle();
  cl_int status;
  float data[kCount];
  for (int i = 0; i < kCount; ++i) data[i] = (float)i;
  queue = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  program = Build(kTexels, "");
  cl_kernel kernel = Kernel(program, "texels");
  cl_mem from =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, &status);
  cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &status);
  cl_mem images[2] = {ImageOf(from), ImageOf(to)};
  for (cl_uint i = 0; i < 2; ++i) Set(kernel, i, sizeof images[i], &images[i]);
  Set(kernel, 2, sizeof from, &from);
  Launch(kernel, kCount / 4, 16);
  Print("texels", to);
}

// As pyvkfft does with pyopencl's objects: this loader never looks for platforms.
static void Objects(const char* file) {
  Idle();
  cl_int status;
  queue = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) Check(CL_INVALID_VALUE, dlerror());
  cl_int (*launch)(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*,
                   const size_t*, cl_uint, const cl_event*, cl_event*) =
      Function(library, "clEnqueueNDRangeKernel");
  cl_int (*set)(cl_kernel, cl_uint, size_t, const void*) = Function(library, "clSetKernelArg");
  program = Build(kPlain, "");
  cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, kCount * sizeof(cl_uint), NULL, NULL);
  cl_kernel kernel = Kernel(program, "plain");
  Check(set(kernel, 0, sizeof a, &a), "clSetKernelArg");
  const size_t all = kCount;
  Check(launch(queue, kernel, 1, NULL, &all, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  Print("plain", a);
}

int main(int count, char** words) {
  const char* word = count > 1 ? words[1] : "";
  Check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  if (strcmp(word, "idle") == 0) Idle();
  if (strcmp(word, "gpu") == 0) Gpu();
  if (strcmp(word, "list") == 0) List();
  if (strcmp(word, "type") == 0) Type();
  if (strcmp(word, "broken") == 0) {
    Idle();
    const char* source = "kernel void k(global int* a) { no_such_function(a); }\n";
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    return clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS;
  }
  if (strcmp(word, "objects") == 0) Objects(words[2]);
  if (strcmp(word, "texels") == 0) Texels();
  if (strcmp(word, "macros") == 0) {
    Idle();
    RunOne(kMacros, "-D WIDTH=4 -Werror", "macros");
  }
  return 0;
}
