/* Images, samplers and pipes. */
#include "testsuites/host/misuse/cases.h"

#define CREATING "5.3.1 Creating Image Objects"
#define TRANSFERS "5.3.3 Reading, Writing and Copying Image Objects"
#define SAMPLERS "5.7.1 Creating Sampler Objects"
#define PIPES "5.4.1 Creating Pipe Objects"

static const size_t kZero[3] = {0, 0, 0};
static const size_t kRegion[3] = {2, 2, 1};

static cl_int NewImage(cl_channel_order order, cl_channel_type type, cl_mem_object_type shape,
                       size_t width, cl_uint samples) {
  const cl_image_format format = {order, type};
  const cl_image_desc desc = {
      .image_type = shape, .image_width = width, .image_height = 4, .num_samples = samples};
  cl_int code = -1;
  cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
static cl_int Read(cl_mem image, size_t x, size_t z, const size_t* region) {
  const size_t origin[3] = {x, 0, z};
  return clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL);
}

MISUSE(image_of_unknown_order, "host-api-error", clCreateImage, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
       CREATING, "image_channel_order is none of the API's") {
  return NewImage(wrong ? 1 : CL_RGBA, CL_UNORM_INT8, CL_MEM_OBJECT_IMAGE2D, 4, 0);
}
MISUSE(image_of_wrong_pair, "host-api-error", clCreateImage, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
       CREATING, "CL_RGBA has no elements of CL_UNORM_SHORT_565") {
  return NewImage(CL_RGBA, wrong ? CL_UNORM_SHORT_565 : CL_UNORM_INT8, CL_MEM_OBJECT_IMAGE2D, 4, 0);
}
MISUSE(image_without_width, "host-api-error", clCreateImage, CL_INVALID_IMAGE_SIZE, CREATING,
       "image_width is 0") {
  return NewImage(CL_RGBA, CL_UNORM_INT8, CL_MEM_OBJECT_IMAGE2D, wrong ? 0 : 4, 0);
}
MISUSE(image_of_unknown_type, "host-api-error", clCreateImage, CL_INVALID_IMAGE_DESCRIPTOR,
       CREATING, "image_type is the type of buffers") {
  return NewImage(CL_RGBA, CL_UNORM_INT8, wrong ? CL_MEM_OBJECT_BUFFER : CL_MEM_OBJECT_IMAGE2D, 4,
                  0);
}
MISUSE(image_of_samples, "host-api-error", clCreateImage, CL_INVALID_IMAGE_DESCRIPTOR, CREATING,
       "num_samples is not 0") {
  return NewImage(CL_RGBA, CL_UNORM_INT8, CL_MEM_OBJECT_IMAGE2D, 4, wrong ? 4 : 0);
}
MISUSE(image_without_format, "host-api-error", clCreateImage, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
       CREATING, "image_format is null") {
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4};
  cl_int code = -1;
  cl_mem made =
      clCreateImage(context, CL_MEM_READ_WRITE, wrong ? NULL : &format, &desc, NULL, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
MISUSE(image_larger_than_its_buffer, "host-api-error", clCreateImage, CL_INVALID_IMAGE_SIZE,
       CREATING, "the image needs more bytes than the buffer has") {
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = wrong ? 17 : 16};
  cl_int code = -1;
  cl_mem made;
  desc.mem_object = buffer;
  made = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
MISUSE(formats_of_no_image, "host-api-error", clGetSupportedImageFormats, CL_INVALID_VALUE,
       "5.3.2 Querying List of Supported Image Formats", "image_type is the type of buffers") {
  cl_uint count;
  return clGetSupportedImageFormats(context, CL_MEM_READ_WRITE,
                                    wrong ? CL_MEM_OBJECT_BUFFER : CL_MEM_OBJECT_IMAGE2D, 0, NULL,
                                    &count);
}
MISUSE(image_query_of_buffer, "host-api-error", clGetImageInfo, CL_INVALID_MEM_OBJECT,
       "5.3.7 Image Object Queries", "a buffer is given as image") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code = clGetImageInfo(wrong ? buffer : image, CL_IMAGE_WIDTH, 8, bytes, NULL);
  clReleaseMemObject(image);
  return code;
}
MISUSE(image_read_outside, "host-api-error", clEnqueueReadImage, CL_INVALID_VALUE, TRANSFERS,
       "the region is outside of the image") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code = Read(image, wrong ? 3 : 2, 0, kRegion);
  clReleaseMemObject(image);
  return code;
}
MISUSE(image_read_of_depth, "host-api-error", clEnqueueReadImage, CL_INVALID_VALUE, TRANSFERS,
       "origin[2] of a 2D image is not 0") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code = Read(image, 0, wrong ? 1 : 0, kRegion);
  clReleaseMemObject(image);
  return code;
}
MISUSE(image_read_of_nothing, "host-api-error", clEnqueueReadImage, CL_INVALID_VALUE, TRANSFERS,
       "an element of region is 0") {
  const size_t region[3] = {2, wrong ? 0 : 2, 1};
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code = Read(image, 0, 0, region);
  clReleaseMemObject(image);
  return code;
}
MISUSE(image_copy_of_other_format, "host-api-error", clEnqueueCopyImage, CL_IMAGE_FORMAT_MISMATCH,
       TRANSFERS, "the images have different formats") {
  cl_mem from = ImageWith(CL_RGBA, CL_UNORM_INT8);
  cl_mem to = ImageWith(CL_RGBA, wrong ? CL_SIGNED_INT8 : CL_UNORM_INT8);
  const cl_int code = clEnqueueCopyImage(queue, from, to, kZero, kZero, kRegion, 0, NULL, NULL);
  clReleaseMemObject(from);
  clReleaseMemObject(to);
  return code;
}
MISUSE(image_fill_without_color, "host-api-error", clEnqueueFillImage, CL_INVALID_VALUE,
       "5.3.4 Filling Image Objects", "fill_color is null") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code =
      clEnqueueFillImage(queue, image, wrong ? NULL : bytes, kZero, kRegion, 0, NULL, NULL);
  clReleaseMemObject(image);
  return code;
}
MISUSE(image_map_without_pitch, "host-api-error", clEnqueueMapImage, CL_INVALID_VALUE,
       "5.3.6 Mapping Image Objects", "image_row_pitch is null") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  size_t pitch = 0;
  cl_int code = -1;
  void* mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, kZero, kRegion,
                                   wrong ? NULL : &pitch, NULL, 0, NULL, NULL, &code);
  if (mapped != NULL) clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL);
  clReleaseMemObject(image);
  return code;
}
MISUSE(image_to_short_buffer, "host-api-error", clEnqueueCopyImageToBuffer, CL_INVALID_VALUE,
       "5.3.5 Copying between Image and Buffer Objects", "the buffer is too short for the region") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code = clEnqueueCopyImageToBuffer(queue, image, buffer, kZero, kRegion,
                                                 wrong ? 60 : 0, 0, NULL, NULL);
  clReleaseMemObject(image);
  return code;
}
MISUSE(sampler_of_unknown_mode, "host-api-error", clCreateSamplerWithProperties, CL_INVALID_VALUE,
       SAMPLERS, "the addressing mode is none of the API's") {
  const cl_sampler_properties given[] = {CL_SAMPLER_ADDRESSING_MODE, wrong ? 1 : CL_ADDRESS_CLAMP,
                                         0};
  cl_int code = -1;
  cl_sampler made = clCreateSamplerWithProperties(context, given, &code);
  if (made != NULL) clReleaseSampler(made);
  return code;
}
MISUSE(sampler_property_twice, "host-api-error", clCreateSamplerWithProperties, CL_INVALID_VALUE,
       SAMPLERS, "a property is given twice") {
  const cl_sampler_properties given[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE,
                                         wrong ? CL_SAMPLER_NORMALIZED_COORDS : 0, CL_TRUE, 0};
  cl_int code = -1;
  cl_sampler made = clCreateSamplerWithProperties(context, given, &code);
  if (made != NULL) clReleaseSampler(made);
  return code;
}
MISUSE(pipe_of_empty_packets, "host-api-error", clCreatePipe, CL_INVALID_PIPE_SIZE, PIPES,
       "pipe_packet_size is 0") {
  cl_int code = -1;
  cl_mem made = clCreatePipe(context, 0, wrong ? 0 : 4, 8, NULL, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
MISUSE(pipe_for_reading, "host-api-error", clCreatePipe, CL_INVALID_VALUE, PIPES,
       "flags is CL_MEM_READ_ONLY") {
  cl_int code = -1;
  cl_mem made =
      clCreatePipe(context, wrong ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE, 4, 8, NULL, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
MISUSE(pipe_of_properties, "host-api-error", clCreatePipe, CL_INVALID_VALUE, PIPES,
       "properties is not null") {
  const cl_pipe_properties given[] = {0};
  cl_int code = -1;
  cl_mem made = clCreatePipe(context, 0, 4, 8, wrong ? given : NULL, &code);
  if (made != NULL) clReleaseMemObject(made);
  return code;
}
MISUSE(pipe_query_of_buffer, "host-api-error", clGetPipeInfo, CL_INVALID_MEM_OBJECT,
       "5.4.2 Pipe Object Queries", "a buffer is given as pipe") {
  cl_int code = -1;
  cl_mem pipe = clCreatePipe(context, 0, 4, 8, NULL, &code);
  Need(code, "clCreatePipe");
  code = clGetPipeInfo(wrong ? buffer : pipe, CL_PIPE_PACKET_SIZE, 4, bytes, NULL);
  clReleaseMemObject(pipe);
  return code;
}
