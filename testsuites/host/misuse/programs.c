/* Programs and kernels. */
#include <string.h>

#include "testsuites/host/misuse/cases.h"

#define PROGRAMS "5.8.1 Creating Program Objects"
#define BUILDING "5.8.4 Building Program Executables"
#define ARGUMENTS "5.9.2 Setting Kernel Arguments"
#define EXECUTING "5.10 Executing Kernels"

static const char* const kText =
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int* a) { "
    "a[get_local_id(0)] = 1; }\n"
    "kernel void take(global int* a, int b, local int* c) { a[0] = b; }\n";

static cl_program NewProgram(void) {
  const char* text = kText;
  cl_int code = -1;
  cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &code);
  Need(code, "clCreateProgramWithSource");
  return made;
}
static cl_program Built(void) {
  cl_program made = NewProgram();
  Need(clBuildProgram(made, 1, &device, "", NULL, NULL), "clBuildProgram");
  return made;
}
static cl_int NewKernel(cl_program of, const char* name) {
  cl_int code = -1;
  cl_kernel made = clCreateKernel(of, name, &code);
  if (made != NULL) clReleaseKernel(made);
  return code;
}
static cl_kernel KernelNamed(const char* name) {
  cl_program of = Built();
  cl_int code = -1;
  cl_kernel made = clCreateKernel(of, name, &code);
  Need(code, "clCreateKernel");
  clReleaseProgram(of);
  return made;
}
/* One argument of kernel `take`. */
static cl_int SetArgument(cl_uint index, size_t size, const void* value) {
  cl_kernel take = KernelNamed("take");
  const cl_int code = clSetKernelArg(take, index, size, value);
  clReleaseKernel(take);
  return code;
}
/* Kernel `four` on a range. */
static cl_int Execute(cl_uint dimensions, size_t offset, size_t global, size_t local) {
  cl_kernel four = KernelNamed("four");
  const size_t offsets[3] = {offset, 0, 0};
  const size_t sizes[3] = {global, 1, 1};
  const size_t groups[3] = {local, 1, 1};
  cl_int code = clSetKernelArg(four, 0, sizeof buffer, &buffer);
  Need(code, "clSetKernelArg");
  code = clEnqueueNDRangeKernel(queue, four, dimensions, offsets, sizes, groups, 0, NULL, NULL);
  clReleaseKernel(four);
  return code;
}
static cl_int Release(cl_program made, cl_int code) {
  if (made != NULL) clReleaseProgram(made);
  return code;
}
static void CL_CALLBACK Native(void* data) { (void)data; }
static void CL_CALLBACK BuildDone(cl_program of, void* data) { (void)of, (void)data; }

MISUSE(program_without_source, "host-api-error", clCreateProgramWithSource, CL_INVALID_VALUE,
       PROGRAMS, "count is 0") {
  const char* text = kText;
  cl_int code = -1;
  cl_program made = clCreateProgramWithSource(context, wrong ? 0 : 1, &text, NULL, &code);
  return Release(made, code);
}
MISUSE(program_of_null_source, "host-api-error", clCreateProgramWithSource, CL_INVALID_VALUE,
       PROGRAMS, "a string is null") {
  const char* texts[2] = {kText, wrong ? NULL : ""};
  cl_int code = -1;
  cl_program made = clCreateProgramWithSource(context, 2, texts, NULL, &code);
  return Release(made, code);
}
MISUSE(program_of_no_il, "host-api-error", clCreateProgramWithIL, CL_INVALID_VALUE, PROGRAMS,
       "il is no SPIR-V") {
  cl_int code = -1;
  cl_program made;
  if (!wrong) return CL_SUCCESS;
  made = clCreateProgramWithIL(context, bytes, sizeof bytes, &code);
  return Release(made, code);
}
MISUSE(program_of_no_binary, "host-api-error", clCreateProgramWithBinary, CL_INVALID_BINARY,
       PROGRAMS, "the binary is none of this device") {
  cl_program built = Built();
  size_t size = 0;
  unsigned char* binary = NULL;
  const unsigned char* given = NULL;
  cl_program made = NULL;
  cl_int code = clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  Need(code, "clGetProgramInfo");
  binary = malloc(size);
  Need(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
       "clGetProgramInfo");
  if (wrong) memset(binary, 1, size);
  given = binary;
  made = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &code);
  free(binary);
  clReleaseProgram(built);
  return Release(made, code);
}
MISUSE(program_of_empty_binary, "host-api-error", clCreateProgramWithBinary, CL_INVALID_VALUE,
       PROGRAMS, "the binary has no bytes") {
  const size_t size = 0;
  const unsigned char* given = (const unsigned char*)bytes;
  cl_int code = -1;
  cl_program made;
  if (!wrong) return CL_SUCCESS;
  made = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &code);
  return Release(made, code);
}
MISUSE(build_of_unknown_option, "host-build-options", clBuildProgram, CL_INVALID_BUILD_OPTIONS,
       BUILDING, "the specification has no such option") {
  return clBuildProgram(program, 1, &device, wrong ? "-cl-nonsense" : "-cl-mad-enable", NULL, NULL);
}
MISUSE(compile_of_unknown_option, "host-build-options", clCompileProgram,
       CL_INVALID_COMPILER_OPTIONS, "5.8.5 Separate Compilation and Linking of Programs",
       "the specification has no such option") {
  return clCompileProgram(program, 1, &device, wrong ? "-cl-nonsense" : "-cl-mad-enable", 0, NULL,
                          NULL, NULL, NULL);
}
MISUSE(build_with_kernels, "host-api-error", clBuildProgram, CL_INVALID_OPERATION, BUILDING,
       "the program has kernels") {
  if (wrong) Build();
  return clBuildProgram(program, 1, &device, "", NULL, NULL);
}
MISUSE(build_data_without_function, "host-api-error", clBuildProgram, CL_INVALID_VALUE, BUILDING,
       "user_data is given without pfn_notify") {
  return clBuildProgram(program, 1, &device, "", wrong ? NULL : BuildDone, bytes);
}
MISUSE(build_for_no_devices, "host-api-error", clBuildProgram, CL_INVALID_VALUE, BUILDING,
       "device_list is null, and num_devices is 1") {
  return clBuildProgram(program, wrong ? 1 : 0, NULL, "", NULL, NULL);
}
MISUSE(link_of_nothing, "host-api-error", clLinkProgram, CL_INVALID_VALUE,
       "5.8.5 Separate Compilation and Linking of Programs", "there are no programs") {
  cl_int code = clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL);
  cl_program made;
  Need(code, "clCompileProgram");
  made = clLinkProgram(context, 1, &device, "", wrong ? 0 : 1, wrong ? NULL : &program, NULL, NULL,
                       &code);
  return Release(made, code);
}
MISUSE(constant_of_source, "host-api-error", clSetProgramSpecializationConstant, CL_INVALID_PROGRAM,
       PROGRAMS, "the program is not made from IL") {
  return wrong ? clSetProgramSpecializationConstant(program, 0, 4, bytes) : CL_SUCCESS;
}
MISUSE(kernel_of_unbuilt_program, "host-api-error", clCreateKernel, CL_INVALID_PROGRAM_EXECUTABLE,
       "5.9.1 Creating Kernel Objects", "the program is not built") {
  if (!wrong) Need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  return NewKernel(program, "put");
}
MISUSE(kernel_of_unknown_name, "host-api-error", clCreateKernel, CL_INVALID_KERNEL_NAME,
       "5.9.1 Creating Kernel Objects", "the program has no kernel of this name") {
  Need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  return NewKernel(program, wrong ? "absent" : "put");
}
MISUSE(kernel_without_name, "host-api-error", clCreateKernel, CL_INVALID_VALUE,
       "5.9.1 Creating Kernel Objects", "kernel_name is null") {
  Need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  return NewKernel(program, wrong ? NULL : "put");
}
MISUSE(argument_behind_the_last, "host-api-error", clSetKernelArg, CL_INVALID_ARG_INDEX, ARGUMENTS,
       "the kernel has no argument 3") {
  return SetArgument(wrong ? 3 : 1, 4, bytes);
}
MISUSE(argument_of_other_size, "host-api-error", clSetKernelArg, CL_INVALID_ARG_SIZE, ARGUMENTS,
       "arg_size of an int is 8") {
  return SetArgument(1, wrong ? 8 : 4, bytes);
}
MISUSE(argument_of_other_context, "host-api-error", clSetKernelArg, CL_INVALID_CONTEXT, ARGUMENTS,
       "kernel and buffer are of different contexts") {
  cl_int code = -1;
  cl_mem other = clCreateBuffer(other_context, 0, 64, NULL, &code);
  Need(code, "clCreateBuffer");
  code = SetArgument(0, sizeof other, wrong ? &other : &buffer);
  clReleaseMemObject(other);
  return code;
}
MISUSE(argument_of_no_local_bytes, "host-api-error", clSetKernelArg, CL_INVALID_ARG_SIZE, ARGUMENTS,
       "arg_size of a pointer to local memory is 0") {
  return SetArgument(2, wrong ? 0 : 4, NULL);
}
MISUSE(argument_that_is_a_queue, "host-invalid-handle", clSetKernelArg, CL_INVALID_MEM_OBJECT,
       ARGUMENTS, "a command queue is given as buffer") {
  return wrong ? SetArgument(0, sizeof queue, &queue) : SetArgument(0, sizeof buffer, &buffer);
}
MISUSE(argument_that_is_an_image, "host-api-error", clSetKernelArg, CL_INVALID_MEM_OBJECT,
       ARGUMENTS, "an image is given as buffer") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code = SetArgument(0, sizeof image, wrong ? &image : &buffer);
  clReleaseMemObject(image);
  return code;
}
MISUSE(argument_never_set, "host-unset-argument", clEnqueueNDRangeKernel, CL_INVALID_KERNEL_ARGS,
       EXECUTING, "an argument was never set") {
  if (wrong) {
    Build();
  } else {
    MakeKernel();
  }
  return Launch();
}
MISUSE(argument_released_before, "host-released-object", clEnqueueNDRangeKernel,
       CL_INVALID_KERNEL_ARGS, ARGUMENTS, "an argument was released before the launch") {
  cl_mem memory = BufferWith(0);
  cl_int code = CL_SUCCESS;
  MakeKernel();
  Need(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
  if (wrong) clReleaseMemObject(memory);
  code = Launch();
  if (!wrong) clReleaseMemObject(memory);
  return code;
}
MISUSE(range_of_no_dimensions, "host-api-error", clEnqueueNDRangeKernel, CL_INVALID_WORK_DIMENSION,
       EXECUTING, "work_dim is 0") {
  return Execute(wrong ? 0 : 1, 0, 4, 4);
}
MISUSE(range_of_four_dimensions, "host-api-error", clEnqueueNDRangeKernel,
       CL_INVALID_WORK_DIMENSION, EXECUTING, "work_dim is 4") {
  return Execute(wrong ? 4 : 3, 0, 4, 4);
}
MISUSE(range_beyond_all, "host-api-error", clEnqueueNDRangeKernel, CL_INVALID_GLOBAL_OFFSET,
       EXECUTING, "offset and size overflow") {
  return Execute(1, wrong ? ~(size_t)0 : 8, 4, 4);
}
MISUSE(groups_of_other_size, "host-api-error", clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE,
       EXECUTING, "the kernel requires work-groups of 4") {
  return Execute(1, 0, 4, wrong ? 2 : 4);
}
MISUSE(groups_of_nothing, "host-api-error", clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE,
       EXECUTING, "an element of local_work_size is 0") {
  return Execute(1, 0, 4, wrong ? 0 : 4);
}
MISUSE(groups_too_large, "host-api-error", clEnqueueNDRangeKernel, CL_INVALID_WORK_ITEM_SIZE,
       EXECUTING, "an element of local_work_size is beyond CL_DEVICE_MAX_WORK_ITEM_SIZES") {
  return Execute(1, 0, 4, wrong ? 1 << 20 : 4);
}
MISUSE(kernel_of_other_context, "host-api-error", clEnqueueNDRangeKernel, CL_INVALID_CONTEXT,
       EXECUTING, "kernel and queue are of different contexts") {
  const size_t size = 4;
  MakeKernel();
  return clEnqueueNDRangeKernel(wrong ? other_queue : queue, kernel, 1, NULL, &size, NULL, 0, NULL,
                                NULL);
}
MISUSE(native_kernel_without_function, "host-api-error", clEnqueueNativeKernel, CL_INVALID_VALUE,
       EXECUTING, "user_func is null") {
  return clEnqueueNativeKernel(queue, wrong ? NULL : Native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
}
MISUSE(query_of_unknown_argument, "host-api-error", clGetKernelArgInfo, CL_INVALID_ARG_INDEX,
       "5.9.4 Kernel Object Queries", "the kernel has no argument 2") {
  BuildWith("-cl-kernel-arg-info");
  return clGetKernelArgInfo(kernel, wrong ? 2 : 1, CL_KERNEL_ARG_NAME, sizeof bytes, bytes, NULL);
}
