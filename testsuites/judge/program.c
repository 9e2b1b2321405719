// An OpenCL application for the tests of `assay exec --judge`.  Each word names a part of it:
//
//   int          integers: every conforming driver has the same bits
//   float        floating-point arithmetic
//   race         all work-items write different values to one element
//   out          a store behind a buffer's end, which the buffer's owner does not see
//   sub          two parts of one buffer as sub-buffers
//   noaccess     buffers that the host may not read
//   image        an image of integers, read and written
//   queues       two queues, the second waits for the first
//   threads      four threads with queues, kernels and buffers of their own
//   userevent    a launch behind a user event that is not complete
//   release      objects that are released and made again between launches
//   svm          shared virtual memory
//   binary       a program from a binary
//   save FILE    writes the program's binary to a file
//   load FILE    a program from the binary of a file
//   compile      a program of two parts with a header, compiled and linked
//   macro        a source that asks for a macro that drivers define
//   nolocal      a launch without a local size whose result depends on it
//   many         a hundred launches of one kernel
//   null         null for a buffer
//   task         clEnqueueTask
//   loader FILE  another loader of the process launches what this one made
//   include DIR  a source that includes "add.h" of the folder, which defines ADD(a)
//   wait         waits for a signal, after it has printed "waiting"
//   abort        ends by abort()
//   overhead N   N launches; prints the nanoseconds of its thread for one
#include <unistd.h>

#include "host.h"
#include "other_loader.h"

static const char* const kSource =
    "__kernel void ints(__global uint* a, __global const uint* b, uint c) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i] = a[i] * 2654435761u + (b[i] ^ c) + (uint)i;\n"
    "}\n"
    "__kernel void floats(__global float* a) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i] = sin((float)i) + a[i];\n"
    "}\n"
    "__kernel void race(__global uint* a) {\n"
    "  a[0] = (uint)get_global_id(0);\n"
    "}\n"
    "__kernel void out(__global uint* a, uint n) {\n"
    "  a[get_global_id(0) + n] = 1;\n"
    "}\n"
    "__kernel void invert(__read_only image2d_t in, __write_only image2d_t to, sampler_t sampler) "
    "{\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, at, 255 - read_imageui(in, sampler, at));\n"
    "}\n"
    "__kernel void nothing(__global uint* a) {\n"
    "  if (a != 0) a[0] = 7;\n"
    "}\n"
    "__kernel void locals(__global uint* a) {\n"
    "  a[get_global_id(0)] = (uint)get_local_id(0);\n"
    "}\n"
    "__kernel void sums(__global uint* a, __local uint* tile) {\n"
    "  size_t i = get_local_id(0);\n"
    "  tile[i] = a[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (i == 0) { uint sum = 0; for (size_t k = 0; k < get_local_size(0); ++k) sum += tile[k];\n"
    "    a[get_global_id(0)] = sum; }\n"
    "}\n";

static const char* const kMacroSource =
    "#ifdef SOME_VENDOR\n"
    "#define RESULT 1\n"
    "#else\n"
    "#define RESULT 2\n"
    "#endif\n"
    "__kernel void macros(__global uint* a) { a[get_global_id(0)] += RESULT; }\n";

static void Ints(cl_command_queue on, cl_mem a, cl_mem b) {
  cl_kernel kernel = Kernel(program, "ints");
  const cl_uint c = 5;
  Set(kernel, 0, sizeof a, &a);
  Set(kernel, 1, sizeof b, &b);
  Set(kernel, 2, sizeof c, &c);
  LaunchOn(on, kernel, kCount, 64);
  clReleaseKernel(kernel);
}

static void OneBuffer(const char* name, size_t global, size_t local) {
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(program, name);
  Set(kernel, 0, sizeof a, &a);
  Launch(kernel, global, local);
  if (strcmp(name, "race") != 0 && strcmp(name, "floats") != 0) Print(name, a);
  clFinish(queue);
  clReleaseKernel(kernel);
  clReleaseMemObject(a);
}

static void Int(void) {
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3), b = Buffer(CL_MEM_READ_ONLY, 7);
  Ints(queue, a, b);
  Print("int", a);
  cl_kernel sums = Kernel(program, "sums");
  Set(sums, 0, sizeof a, &a);
  Set(sums, 1, 64 * sizeof(cl_uint), NULL);
  Launch(sums, kCount, 64);
  Print("sums", a);
  clReleaseKernel(sums);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

// The store is inside of the driver's own memory: the buffer is one half of it.
static void Out(void) {
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(program, "out");
  const cl_uint n = 1;
  Set(kernel, 0, sizeof a, &a);
  Set(kernel, 1, sizeof n, &n);
  Launch(kernel, kCount, 64);
  clFinish(queue);
  clReleaseKernel(kernel);
  clReleaseMemObject(a);
}

static void Sub(void) {
  cl_mem whole = Buffer(CL_MEM_READ_WRITE, 3);
  cl_buffer_region low = {0, 512}, high = {512, 512};
  cl_int status;
  cl_mem a = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &status);
  Check(status, "clCreateSubBuffer");
  cl_mem b = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &status);
  Check(status, "clCreateSubBuffer");
  cl_kernel kernel = Kernel(program, "ints");
  const cl_uint c = 9;
  Set(kernel, 0, sizeof a, &a);
  Set(kernel, 1, sizeof b, &b);
  Set(kernel, 2, sizeof c, &c);
  Launch(kernel, 128, 64);
  Print("sub", whole);
  clReleaseKernel(kernel);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(whole);
}

static void NoAccess(void) {
  cl_mem a = Buffer(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 3);
  cl_mem b = Buffer(CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 7);
  Ints(queue, a, b);
  clFinish(queue);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

static void Image(void) {
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8};
  unsigned char data[16 * 8 * 4];
  for (size_t i = 0; i < sizeof data; ++i) data[i] = (unsigned char)i;
  cl_int status;
  cl_mem in = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape, data,
                            &status);
  Check(status, "clCreateImage");
  cl_mem to = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &shape, NULL, &status);
  Check(status, "clCreateImage");
  cl_sampler sampler =
      clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  Check(status, "clCreateSampler");
  cl_kernel kernel = Kernel(program, "invert");
  Set(kernel, 0, sizeof in, &in);
  Set(kernel, 1, sizeof to, &to);
  Set(kernel, 2, sizeof sampler, &sampler);
  const size_t global[2] = {16, 8};
  Check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), "launch");
  clFinish(queue);
  clReleaseKernel(kernel);
  clReleaseSampler(sampler);
  clReleaseMemObject(in);
  clReleaseMemObject(to);
}

static void Queues(void) {
  cl_int status;
  cl_command_queue second = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3), b = Buffer(CL_MEM_READ_ONLY, 7);
  cl_uint seven = 7;
  cl_event filled;
  Check(clEnqueueFillBuffer(queue, a, &seven, sizeof seven, 0, 512, 0, NULL, &filled), "fill");
  cl_kernel kernel = Kernel(program, "ints");
  const cl_uint c = 5;
  Set(kernel, 0, sizeof a, &a);
  Set(kernel, 1, sizeof b, &b);
  Set(kernel, 2, sizeof c, &c);
  const size_t global = kCount;
  Check(clEnqueueNDRangeKernel(second, kernel, 1, NULL, &global, NULL, 1, &filled, NULL), "launch");
  clFlush(queue);
  clFinish(second);
  Print("queues", a);
  clReleaseEvent(filled);
  clReleaseKernel(kernel);
  clReleaseCommandQueue(second);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

static void* Thread(void* argument) {
  cl_int status;
  cl_command_queue own = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  for (int i = 0; i < 20; ++i) {
    cl_mem a = Buffer(CL_MEM_READ_WRITE, 3), b = Buffer(CL_MEM_READ_ONLY, 7);
    Ints(own, a, b);
    clFinish(own);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
  }
  clReleaseCommandQueue(own);
  return argument;
}

static void Threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, Thread, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("threads done\n");
}

static void UserEvent(void) {
  cl_int status;
  cl_event gate = clCreateUserEvent(context, &status);
  Check(status, "clCreateUserEvent");
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3), b = Buffer(CL_MEM_READ_ONLY, 7);
  cl_kernel kernel = Kernel(program, "ints");
  const cl_uint c = 5;
  Set(kernel, 0, sizeof a, &a);
  Set(kernel, 1, sizeof b, &b);
  Set(kernel, 2, sizeof c, &c);
  const size_t global = kCount;
  Check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &gate, NULL), "launch");
  Check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
  Print("userevent", a);
  clReleaseEvent(gate);
  clReleaseKernel(kernel);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

static void Release(void) {
  for (int i = 0; i < 12; ++i) {
    cl_program again = Build(kSource, i % 2 == 0 ? "" : "-DODD");
    cl_kernel kernel = Kernel(again, "nothing");
    clReleaseProgram(again);
    cl_mem a = Buffer(CL_MEM_READ_WRITE, (cl_uint)i);
    Set(kernel, 0, sizeof a, &a);
    Launch(kernel, 1, 1);
    clReleaseMemObject(a);  // the driver keeps it until the command has ended
    clFinish(queue);
    clReleaseKernel(kernel);
  }
  printf("release done\n");
}

static void Svm(void) {
  cl_uint* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, kCount * 2 * sizeof(cl_uint), 0);
  if (shared == NULL) {
    printf("svm none\n");
    return;
  }
  Check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared, kCount * 2 * sizeof(cl_uint), 0, NULL,
                        NULL),
        "clEnqueueSVMMap");
  for (cl_uint i = 0; i < kCount * 2; ++i) shared[i] = i;
  Check(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL), "clEnqueueSVMUnmap");
  cl_kernel kernel = Kernel(program, "ints");
  const cl_uint c = 5;
  Check(clSetKernelArgSVMPointer(kernel, 0, shared), "clSetKernelArgSVMPointer");
  Check(clSetKernelArgSVMPointer(kernel, 1, shared + kCount), "clSetKernelArgSVMPointer");
  Set(kernel, 2, sizeof c, &c);
  Launch(kernel, kCount, 64);
  clFinish(queue);
  clReleaseKernel(kernel);
  clSVMFree(context, shared);
}

static unsigned char* BinaryOf(size_t* size) {
  Check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL), "size");
  unsigned char* bytes = malloc(*size);
  Check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), "binary");
  return bytes;
}

static void RunBinary(const unsigned char* binary, size_t size) {
  cl_int status, loaded;
  cl_program again =
      clCreateProgramWithBinary(context, 1, &device, &size, &binary, &loaded, &status);
  Check(status, "clCreateProgramWithBinary");
  Check(clBuildProgram(again, 1, &device, "", NULL, NULL), "clBuildProgram");
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(again, "nothing");
  Set(kernel, 0, sizeof a, &a);
  Launch(kernel, 1, 1);
  Print("binary", a);
  clReleaseKernel(kernel);
  clReleaseProgram(again);
  clReleaseMemObject(a);
}

static void Binary(void) {
  size_t size = 0;
  unsigned char* bytes = BinaryOf(&size);
  RunBinary(bytes, size);
  free(bytes);
}

static void Save(const char* name) {
  size_t size = 0;
  unsigned char* bytes = BinaryOf(&size);
  FILE* file = fopen(name, "wb");
  Check(file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0, "save");
  free(bytes);
}

static void Load(const char* name) {
  static unsigned char bytes[1 << 22];
  FILE* file = fopen(name, "rb");
  Check(file == NULL, "load");
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  RunBinary(bytes, size);
}

static void Compile(void) {
  const char* header = "uint Twice(uint a);\n";
  const char* first = "#include \"parts/twice.h\"\nuint Twice(uint a) { return 2 * a; }\n";
  const char* second =
      "#include \"parts/twice.h\"\n"
      "__kernel void linked(__global uint* a) { a[get_global_id(0)] = Twice(a[get_global_id(0)]); "
      "}\n";
  cl_int status;
  const char* names[] = {"parts/twice.h"};
  cl_program headers[] = {clCreateProgramWithSource(context, 1, &header, NULL, &status)};
  cl_program parts[2] = {clCreateProgramWithSource(context, 1, &first, NULL, &status),
                         clCreateProgramWithSource(context, 1, &second, NULL, &status)};
  for (int i = 0; i < 2; ++i) {
    Check(clCompileProgram(parts[i], 1, &device, "-DPART", 1, headers, names, NULL, NULL),
          "clCompileProgram");
  }
  cl_program linked = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &status);
  Check(status, "clLinkProgram");
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(linked, "linked");
  Set(kernel, 0, sizeof a, &a);
  Launch(kernel, kCount, 64);
  Print("compile", a);
  clReleaseKernel(kernel);
  clReleaseProgram(linked);
  clReleaseProgram(parts[0]);
  clReleaseProgram(parts[1]);
  clReleaseProgram(headers[0]);
  clReleaseMemObject(a);
}

static void Include(const char* folder) {
  char options[1000];
  snprintf(options, sizeof options, "-I %s", folder);
  cl_program own = Build(
      "#include \"add.h\"\n"
      "__kernel void included(__global uint* a) { a[get_global_id(0)] = ADD(a[get_global_id(0)]); "
      "}\n",
      options);
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(own, "included");
  Set(kernel, 0, sizeof a, &a);
  Launch(kernel, kCount, 64);
  Print("include", a);
  clReleaseKernel(kernel);
  clReleaseProgram(own);
  clReleaseMemObject(a);
}

static void Macro(void) {
  cl_program own = Build(kMacroSource, "");
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(own, "macros");
  Set(kernel, 0, sizeof a, &a);
  Launch(kernel, kCount, 64);
  Print("macro", a);
  clReleaseKernel(kernel);
  clReleaseProgram(own);
  clReleaseMemObject(a);
}

static void Many(void) {
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3), b = Buffer(CL_MEM_READ_ONLY, 7);
  for (int i = 0; i < 100; ++i) Ints(queue, a, b);
  Print("many", a);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

static void Null(void) {
  cl_kernel kernel = Kernel(program, "nothing");
  cl_mem none = NULL;
  Set(kernel, 0, sizeof none, &none);
  Launch(kernel, 1, 1);
  clFinish(queue);
  clReleaseKernel(kernel);
}

static void Task(void) {
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(program, "nothing");
  Set(kernel, 0, sizeof a, &a);
  Check(clEnqueueTask(queue, kernel, 0, NULL, NULL), "clEnqueueTask");
  Print("task", a);
  clReleaseKernel(kernel);
  clReleaseMemObject(a);
}

static void Overhead(int launches) {
  cl_mem a = Buffer(CL_MEM_READ_WRITE, 3);
  cl_kernel kernel = Kernel(program, "nothing");
  struct timespec begin, end;
  // Of this thread alone: what else the machine does is not measured.
  const clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  for (int i = 0; i < 10; ++i) {
    Set(kernel, 0, sizeof a, &a);
    Launch(kernel, 1, 1);
  }
  clFinish(queue);
  clock_gettime(clock, &begin);
  for (int i = 0; i < launches; ++i) {
    Set(kernel, 0, sizeof a, &a);
    Launch(kernel, 1, 1);
    if (i % 100 == 99) clFinish(queue);
  }
  clFinish(queue);
  clock_gettime(clock, &end);
  const double seconds =
      (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
  printf("overhead %.0f ns\n", seconds / launches * 1e9);
  clReleaseKernel(kernel);
  clReleaseMemObject(a);
}

static void WaitForSignal(void) {
  puts("waiting");
  fflush(stdout);
  while (pause() == 0) {
  }
}

static void Run(const char* word) {
  static const struct {
    const char* word;
    void (*run)(void);
  } kParts[] = {
      {"int", Int},         {"out", Out},           {"sub", Sub},         {"noaccess", NoAccess},
      {"image", Image},     {"queues", Queues},     {"threads", Threads}, {"userevent", UserEvent},
      {"release", Release}, {"svm", Svm},           {"binary", Binary},   {"compile", Compile},
      {"macro", Macro},     {"many", Many},         {"null", Null},       {"task", Task},
      {"abort", abort},     {"wait", WaitForSignal}};
  for (size_t i = 0; i < sizeof kParts / sizeof kParts[0]; ++i) {
    if (strcmp(word, kParts[i].word) == 0) kParts[i].run();
  }
  if (strcmp(word, "float") == 0) OneBuffer("floats", kCount, 64);
  if (strcmp(word, "race") == 0) OneBuffer("race", kCount, 64);
  if (strcmp(word, "nolocal") == 0) OneBuffer("locals", kCount, 0);
}

int main(int count, char** words) {
  cl_int status;
  Check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  Check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  Check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  program = Build(kSource, "");
  for (int i = 1; i < count; ++i) {
    if (strcmp(words[i], "overhead") == 0 && i + 1 < count) {
      Overhead(atoi(words[++i]));
    } else if (strcmp(words[i], "loader") == 0 && i + 1 < count) {
      Loader(words[++i]);
    } else if (strcmp(words[i], "include") == 0 && i + 1 < count) {
      Include(words[++i]);
    } else if (strcmp(words[i], "save") == 0 && i + 1 < count) {
      Save(words[++i]);
    } else if (strcmp(words[i], "load") == 0 && i + 1 < count) {
      Load(words[++i]);
    } else {
      Run(words[i]);
    }
  }
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
