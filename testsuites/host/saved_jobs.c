/* A launch with every kind of argument that a saved job can have: saved_jobs_test.py runs the job.
 * Before it another one, which is not saved: its bytes have the address of unified shared memory.
 */
#include "testsuites/host/usm.h"

static const char* source =
    "kernel void mix(global int* out, read_only image2d_t in, write_only image2d_t to, sampler_t s,"
    "                read_only image2d_t again, global const int* more, local int* own, int add) {"
    "  int i = get_global_id(0);"
    "  own[i] = (int)(255 * read_imagef(in, s, (int2)(i, 1)).y + 0.5f);"
    "  write_imagei(to, (int2)(i, 0), (int4)(own[i]));"
    "  out[i] = own[i] + (int)(255 * read_imagef(again, (int2)(i, 0)).x + 0.5f) + more[i] + add;"
    "}"
    "struct captured { int add; ulong to; };"
    "kernel void reach(struct captured all) { *(global int*)(all.to) = all.add; }";

static void Reach(void) {
  const size_t one = 1;
  const cl_bool yes = CL_TRUE;
  cl_int code = -1;
  struct {
    cl_int add;
    cl_ulong to;
  } captured = {3, 0};
  int* memory = SharedMemory(16);
  cl_kernel reach = clCreateKernel(program, "reach", &code);
  Need(code, "clCreateKernel");
  captured.to = (cl_ulong)(memory + 1);
  Need(clSetKernelArg(reach, 0, sizeof captured, &captured), "clSetKernelArg");
  Need(clSetKernelExecInfo(reach, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes,
                           &yes),
       "clSetKernelExecInfo");
  Need(clEnqueueNDRangeKernel(queue, reach, 1, NULL, &one, &one, 0, NULL, NULL),
       "clEnqueueNDRangeKernel");
  Need(clFinish(queue), "clFinish");
  if (memory[1] != 3) exit(1);
  clReleaseKernel(reach);
  FreeUsm(memory);
}

static cl_mem Image(cl_channel_order order, cl_channel_type type, size_t height, void* content) {
  const cl_image_format format = {order, type};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = height};
  cl_int code = -1;
  cl_mem made = clCreateImage(context, content != NULL ? CL_MEM_COPY_HOST_PTR : 0, &format, &desc,
                              content, &code);
  Need(code, "clCreateImage");
  return made;
}

int main(void) {
  unsigned char pixels[32];
  const int more[4] = {1000, 2000, 3000, 4000};
  int out[4];
  const int add = 7;
  const size_t size = 4;
  cl_mem buffers[2];
  cl_mem images[2];
  cl_sampler sampler;
  cl_int code = -1;
  int i;
  for (i = 0; i < 32; ++i) pixels[i] = (unsigned char)(5 * i);
  Begin();
  clReleaseProgram(program);
  program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  Need(code, "clCreateProgramWithSource");
  Need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  Reach();
  kernel = clCreateKernel(program, "mix", &code);
  Need(code, "clCreateKernel");
  buffers[0] = MakeBuffer(sizeof out);
  buffers[1] = MakeBuffer(sizeof more);
  Need(clEnqueueWriteBuffer(queue, buffers[1], CL_TRUE, 0, sizeof more, more, 0, NULL, NULL),
       "clEnqueueWriteBuffer");
  images[0] = Image(CL_RGBA, CL_UNORM_INT8, 2, pixels);
  images[1] = Image(CL_R, CL_SIGNED_INT32, 1, NULL);
  sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  Need(code, "clCreateSampler");
  Need(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[0]), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 2, sizeof(cl_mem), &images[1]), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 3, sizeof sampler, &sampler), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 4, sizeof(cl_mem), &images[0]), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 5, sizeof(cl_mem), &buffers[1]), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 6, sizeof out, NULL), "clSetKernelArg");
  Need(clSetKernelArg(kernel, 7, sizeof add, &add), "clSetKernelArg");
  Need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL),
       "clEnqueueNDRangeKernel");
  Need(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL),
       "clEnqueueReadBuffer");
  printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  clReleaseSampler(sampler);
  for (i = 0; i < 2; ++i) clReleaseMemObject(buffers[i]);
  for (i = 0; i < 2; ++i) clReleaseMemObject(images[i]);
  return End();
}
