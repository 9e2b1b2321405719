// A layer that makes commands of the driver below it wrong: FAULT names how.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch* driver;
static cl_icd_dispatch table;

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                               size_t* size_to) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (value != NULL && size >= sizeof version) memcpy(value, &version, sizeof version);
  if (size_to != NULL) *size_to = sizeof version;
  return CL_SUCCESS;
}

static int Has(const char* fault) {
  const char* asked = getenv("FAULT");
  return asked != NULL && strcmp(asked, fault) == 0;
}

static cl_int CopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t at, size_t there,
                         size_t size, cl_uint count, const cl_event* events, cl_event* event) {
  if (Has("copy_is_short") && size > 1) --size;
  const cl_int status =
      driver->clEnqueueCopyBuffer(queue, from, to, at, there, size, count, events, event);
  return Has("overlap_is_accepted") && status == CL_MEM_COPY_OVERLAP ? CL_SUCCESS : status;
}

static cl_int FillBuffer(cl_command_queue queue, cl_mem to, const void* pattern, size_t bytes,
                         size_t at, size_t size, cl_uint count, const cl_event* events,
                         cl_event* event) {
  if (Has("fill_takes_a_byte")) bytes = 1;
  return driver->clEnqueueFillBuffer(queue, to, pattern, bytes, at, size, count, events, event);
}

static cl_int ReadBufferRect(cl_command_queue queue, cl_mem from, cl_bool blocking,
                             const size_t* origin, const size_t* host_origin, const size_t* region,
                             size_t row, size_t slice, size_t host_row, size_t host_slice,
                             void* host, cl_uint count, const cl_event* events, cl_event* event) {
  if (Has("host_slices_are_tight")) host_slice = 0;
  return driver->clEnqueueReadBufferRect(queue, from, blocking, origin, host_origin, region, row,
                                         slice, host_row, host_slice, host, count, events, event);
}

static cl_mem CreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                              const void* info, cl_int* status) {
  cl_buffer_region region = *(const cl_buffer_region*)info;
  if (Has("sub_buffers_begin_at_zero")) region.origin = 0;
  return driver->clCreateSubBuffer(buffer, flags, type, &region, status);
}

static void* MapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                       size_t at, size_t size, cl_uint count, const cl_event* events,
                       cl_event* event, cl_int* status) {
  char* mapped = driver->clEnqueueMapBuffer(queue, buffer, blocking, flags, at, size, count, events,
                                            event, status);
  const int stale = mapped != NULL && blocking && Has("maps_for_writing_are_stale");
  if (stale && (flags & CL_MAP_WRITE) != 0) memset(mapped, 0, size);
  return mapped;
}

static void* MapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                      const size_t* origin, const size_t* region, size_t* row, size_t* slice,
                      cl_uint count, const cl_event* events, cl_event* event, cl_int* status) {
  const size_t first[3] = {origin[0], Has("maps_begin_at_row_0") ? 0 : origin[1], origin[2]};
  return driver->clEnqueueMapImage(queue, image, blocking, flags, first, region, row, slice, count,
                                   events, event, status);
}

static cl_int FillImage(cl_command_queue queue, cl_mem image, const void* color,
                        const size_t* origin, const size_t* region, cl_uint count,
                        const cl_event* events, cl_event* event) {
  unsigned int parts[4];
  memcpy(parts, color, sizeof parts);
  if (Has("colors_are_swapped")) {
    const unsigned int part = parts[0];
    parts[0] = parts[2];
    parts[2] = part;
  }
  return driver->clEnqueueFillImage(queue, image, parts, origin, region, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target,
                                            cl_uint* entries_to, const cl_icd_dispatch** made) {
  const size_t room = sizeof table / sizeof(void*);
  driver = target;
  memcpy(&table, target, (entries < room ? entries : room) * sizeof(void*));
  table.clEnqueueCopyBuffer = CopyBuffer;
  table.clEnqueueFillBuffer = FillBuffer;
  table.clEnqueueReadBufferRect = ReadBufferRect;
  table.clCreateSubBuffer = CreateSubBuffer;
  table.clEnqueueMapBuffer = MapBuffer;
  table.clEnqueueMapImage = MapImage;
  table.clEnqueueFillImage = FillImage;
  *entries_to = (cl_uint)room;
  *made = &table;
  return CL_SUCCESS;
}
