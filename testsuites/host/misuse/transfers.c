/* Commands that read, write, copy, fill, map and migrate buffers. */
#include "testsuites/host/misuse/cases.h"

#define TRANSFERS "5.2.2 Reading, Writing and Copying Buffer Objects"
#define FILLING "5.2.3 Filling Buffer Objects"
#define MAPPING "5.2.4 Mapping Buffer Objects"

static cl_int Read(cl_mem memory, size_t offset, size_t size, void* target) {
  return clEnqueueReadBuffer(queue, memory, CL_TRUE, offset, size, target, 0, NULL, NULL);
}
static cl_int Write(cl_mem memory, size_t offset, size_t size) {
  return clEnqueueWriteBuffer(queue, memory, CL_TRUE, offset, size, bytes, 0, NULL, NULL);
}
static cl_int Copy(size_t from, size_t to, size_t size) {
  return clEnqueueCopyBuffer(queue, buffer, buffer, from, to, size, 0, NULL, NULL);
}
static cl_int Fill(const void* pattern, size_t pattern_size, size_t offset, size_t size) {
  return clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, 0, NULL, NULL);
}
static cl_int Map(cl_mem memory, cl_map_flags flags, size_t offset, size_t size) {
  cl_int code = -1;
  void* mapped =
      clEnqueueMapBuffer(queue, memory, CL_TRUE, flags, offset, size, 0, NULL, NULL, &code);
  if (mapped != NULL) clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
  return code;
}

MISUSE(read_outside, "host-api-error", clEnqueueReadBuffer, CL_INVALID_VALUE, TRANSFERS,
       "the bytes are outside of the buffer") {
  return Read(buffer, wrong ? 60 : 56, 8, bytes);
}
MISUSE(read_beyond_all, "host-api-error", clEnqueueReadBuffer, CL_INVALID_VALUE, TRANSFERS,
       "offset and size overflow") {
  return Read(buffer, wrong ? ~(size_t)0 : 0, 8, bytes);
}
MISUSE(read_to_null, "host-api-error", clEnqueueReadBuffer, CL_INVALID_VALUE, TRANSFERS,
       "ptr is null") {
  return Read(buffer, 0, 8, wrong ? NULL : bytes);
}
MISUSE(read_forbidden, "host-api-error", clEnqueueReadBuffer, CL_INVALID_OPERATION, TRANSFERS,
       "the buffer is CL_MEM_HOST_WRITE_ONLY") {
  cl_mem memory = BufferWith(wrong ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
  const cl_int code = Read(memory, 0, 8, bytes);
  clReleaseMemObject(memory);
  return code;
}
MISUSE(write_outside, "host-api-error", clEnqueueWriteBuffer, CL_INVALID_VALUE, TRANSFERS,
       "the bytes are behind the buffer") {
  return Write(buffer, wrong ? 64 : 63, 1);
}
MISUSE(write_forbidden, "host-api-error", clEnqueueWriteBuffer, CL_INVALID_OPERATION, TRANSFERS,
       "the buffer is CL_MEM_HOST_READ_ONLY") {
  cl_mem memory = BufferWith(wrong ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
  const cl_int code = Write(memory, 0, 8);
  clReleaseMemObject(memory);
  return code;
}
MISUSE(write_to_nothing, "host-api-error", clEnqueueWriteBuffer, CL_INVALID_MEM_OBJECT, TRANSFERS,
       "buffer is null") {
  return Write(wrong ? NULL : buffer, 0, 8);
}
MISUSE(write_to_image, "host-api-error", clEnqueueWriteBuffer, CL_INVALID_MEM_OBJECT, TRANSFERS,
       "an image is given as buffer") {
  cl_mem image = ImageWith(CL_RGBA, CL_UNORM_INT8);
  const cl_int code = Write(wrong ? image : buffer, 0, 8);
  clReleaseMemObject(image);
  return code;
}
MISUSE(write_of_other_context, "host-api-error", clEnqueueWriteBuffer, CL_INVALID_CONTEXT,
       TRANSFERS, "queue and buffer are of different contexts") {
  return clEnqueueWriteBuffer(wrong ? other_queue : queue, buffer, CL_TRUE, 0, 8, bytes, 0, NULL,
                              NULL);
}
MISUSE(copy_of_overlapping, "host-overlapping-copy", clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP,
       TRANSFERS, "source and destination overlap") {
  return Copy(0, wrong ? 8 : 16, 16);
}
MISUSE(copy_outside, "host-api-error", clEnqueueCopyBuffer, CL_INVALID_VALUE, TRANSFERS,
       "the destination is outside of the buffer") {
  return Copy(0, wrong ? 60 : 56, 8);
}
MISUSE(copy_of_overlapping_sub_buffers, "host-overlapping-copy", clEnqueueCopyBuffer,
       CL_MEM_COPY_OVERLAP, TRANSFERS, "a buffer is copied to the same bytes of its sub-buffer") {
  const cl_buffer_region region = {0, 32};
  cl_int code = -1;
  cl_mem sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  Need(code, "clCreateSubBuffer");
  code = clEnqueueCopyBuffer(queue, buffer, sub, wrong ? 4 : 32, 0, 8, 0, NULL, NULL);
  clReleaseMemObject(sub);
  return code;
}
MISUSE(read_of_empty_rectangle, "host-api-error", clEnqueueReadBufferRect, CL_INVALID_VALUE,
       TRANSFERS, "an element of region is 0") {
  const size_t zero[3] = {0, 0, 0};
  const size_t region[3] = {4, wrong ? 0 : 1, 1};
  return clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 0, 0, bytes, 0,
                                 NULL, NULL);
}
MISUSE(write_of_small_pitch, "host-api-error", clEnqueueWriteBufferRect, CL_INVALID_VALUE,
       TRANSFERS, "buffer_row_pitch is less than a row") {
  const size_t zero[3] = {0, 0, 0};
  const size_t region[3] = {8, 2, 1};
  return clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, zero, zero, region, wrong ? 4 : 8, 0, 0,
                                  0, bytes, 0, NULL, NULL);
}
MISUSE(copy_of_overlapping_rectangles, "host-overlapping-copy", clEnqueueCopyBufferRect,
       CL_MEM_COPY_OVERLAP, TRANSFERS, "two rectangles of a buffer overlap") {
  const size_t from[3] = {0, 0, 0};
  const size_t to[3] = {wrong ? 2 : 4, 1, 0};
  const size_t region[3] = {4, 2, 1};
  return clEnqueueCopyBufferRect(queue, buffer, buffer, from, to, region, 8, 0, 8, 0, 0, NULL,
                                 NULL);
}
MISUSE(fill_with_three_bytes, "host-api-error", clEnqueueFillBuffer, CL_INVALID_VALUE, FILLING,
       "pattern_size is no power of two") {
  return Fill(bytes, wrong ? 3 : 4, 0, 12);
}
MISUSE(fill_without_pattern, "host-api-error", clEnqueueFillBuffer, CL_INVALID_VALUE, FILLING,
       "pattern is null") {
  return Fill(wrong ? NULL : bytes, 4, 0, 4);
}
MISUSE(fill_misaligned, "host-api-error", clEnqueueFillBuffer, CL_INVALID_VALUE, FILLING,
       "offset is no multiple of pattern_size") {
  return Fill(bytes, 4, wrong ? 2 : 4, 4);
}
MISUSE(fill_of_part_of_pattern, "host-api-error", clEnqueueFillBuffer, CL_INVALID_VALUE, FILLING,
       "size is no multiple of pattern_size") {
  return Fill(bytes, 4, 0, wrong ? 6 : 8);
}
MISUSE(map_outside, "host-api-error", clEnqueueMapBuffer, CL_INVALID_VALUE, MAPPING,
       "the region is outside of the buffer") {
  return Map(buffer, CL_MAP_READ, wrong ? 60 : 56, 8);
}
MISUSE(map_of_two_flags, "host-api-error", clEnqueueMapBuffer, CL_INVALID_VALUE, MAPPING,
       "CL_MAP_READ and CL_MAP_WRITE_INVALIDATE_REGION exclude each other") {
  return Map(buffer, CL_MAP_READ | (wrong ? CL_MAP_WRITE_INVALIDATE_REGION : 0), 0, 8);
}
MISUSE(map_forbidden, "host-api-error", clEnqueueMapBuffer, CL_INVALID_OPERATION, MAPPING,
       "a CL_MEM_HOST_READ_ONLY buffer is mapped for writing") {
  cl_mem memory = BufferWith(CL_MEM_HOST_READ_ONLY);
  const cl_int code = Map(memory, wrong ? CL_MAP_WRITE : CL_MAP_READ, 0, 8);
  clReleaseMemObject(memory);
  return code;
}
MISUSE(unmap_twice, "host-api-error", clEnqueueUnmapMemObject, CL_INVALID_VALUE,
       "5.5.2 Unmapping Mapped Memory Objects", "the pointer was unmapped before") {
  cl_int code = -1;
  void* mapped =
      clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &code);
  Need(code, "clEnqueueMapBuffer");
  code = clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  return wrong ? clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL) : code;
}
MISUSE(migrate_nothing, "host-api-error", clEnqueueMigrateMemObjects, CL_INVALID_VALUE,
       "5.5.4 Migrating Memory Objects", "there are no memory objects") {
  return clEnqueueMigrateMemObjects(queue, wrong ? 0 : 1, &buffer, 0, 0, NULL, NULL);
}
MISUSE(migrate_of_unknown_flag, "host-api-error", clEnqueueMigrateMemObjects, CL_INVALID_VALUE,
       "5.5.4 Migrating Memory Objects", "flags has a bit that the API does not") {
  return clEnqueueMigrateMemObjects(queue, 1, &buffer, wrong ? 64 : CL_MIGRATE_MEM_OBJECT_HOST, 0,
                                    NULL, NULL);
}
