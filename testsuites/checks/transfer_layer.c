// A layer that makes commands of the driver below it wrong: FAULT names how. "slices_are_apart" is
// no fault: mapped images of a 1D array lie further apart than the driver has them, which a driver
// may choose.
#include "../test_layer.h"

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

// A mapped 1D array: what the application sees, and what the driver has given.
typedef struct {
  char* seen;
  char* given;
  size_t images, size, seen_pitch, given_pitch;
  int is_read_only;
} Mapping;
static Mapping mappings[16];

static void CopyImages(char* to, size_t to_pitch, const char* from, size_t from_pitch,
                       const Mapping* mapping) {
  for (size_t image = 0; image < mapping->images; ++image) {
    memcpy(to + image * to_pitch, from + image * from_pitch, mapping->size);
  }
}

static char* MappedApart(cl_mem image, cl_map_flags flags, const size_t* region, char* given,
                         size_t* pitch) {
  Mapping* mapping = mappings;
  size_t element = 0;
  while (mapping->seen != NULL) {
    if (++mapping == mappings + sizeof mappings / sizeof mappings[0]) return given;
  }
  driver->clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL);
  mapping->given = given;
  mapping->images = region[1];
  mapping->size = region[0] * element;
  mapping->given_pitch = *pitch;
  mapping->seen_pitch = *pitch + 64;
  mapping->is_read_only = flags == CL_MAP_READ;
  mapping->seen = calloc(mapping->images, mapping->seen_pitch);
  CopyImages(mapping->seen, mapping->seen_pitch, given, mapping->given_pitch, mapping);
  *pitch = mapping->seen_pitch;
  return mapping->seen;
}

static void* MapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                      const size_t* origin, const size_t* region, size_t* row, size_t* slice,
                      cl_uint count, const cl_event* events, cl_event* event, cl_int* status) {
  const size_t first[3] = {origin[0], Has("maps_begin_at_row_0") ? 0 : origin[1], origin[2]};
  cl_mem_object_type type = 0;
  driver->clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL);
  const int is_apart = Has("slices_are_apart") && type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  char* mapped = driver->clEnqueueMapImage(queue, image, is_apart || blocking, flags, first, region,
                                           row, slice, count, events, event, status);
  return is_apart && mapped != NULL ? MappedApart(image, flags, region, mapped, slice) : mapped;
}

static cl_int Unmap(cl_command_queue queue, cl_mem object, void* mapped, cl_uint count,
                    const cl_event* events, cl_event* event) {
  for (size_t i = 0; i < sizeof mappings / sizeof mappings[0]; ++i) {
    Mapping* mapping = &mappings[i];
    if (mapped == NULL || mapping->seen != mapped) continue;
    if (!mapping->is_read_only) {
      CopyImages(mapping->given, mapping->given_pitch, mapping->seen, mapping->seen_pitch, mapping);
    }
    free(mapping->seen);
    mapping->seen = NULL;
    return driver->clEnqueueUnmapMemObject(queue, object, mapping->given, count, events, event);
  }
  return driver->clEnqueueUnmapMemObject(queue, object, mapped, count, events, event);
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

static void Replace(void) {
  table.clEnqueueCopyBuffer = CopyBuffer;
  table.clEnqueueFillBuffer = FillBuffer;
  table.clEnqueueReadBufferRect = ReadBufferRect;
  table.clCreateSubBuffer = CreateSubBuffer;
  table.clEnqueueMapBuffer = MapBuffer;
  table.clEnqueueMapImage = MapImage;
  table.clEnqueueUnmapMemObject = Unmap;
  table.clEnqueueFillImage = FillImage;
}
