// Buffers, sub-buffers, images, pipes, samplers and shared virtual memory.
#include "layer/follow.h"

namespace assay::layer {

namespace {

cl_mem Added(cl_mem memory, bool is_written, cl_mem parent = nullptr,
             std::optional<cl_buffer_region> region = std::nullopt) {
  AskOtherLoaders();
  if (memory == nullptr) return memory;
  auto record = std::make_shared<MemoryRecord>();
  if (region) record->bytes = region->size;
  if (region) record->offset = region->origin;
  record->handle = memory;
  record->is_written = is_written;
  if (parent != nullptr) record->parent = Layer::Get().memories.Find(parent);
  Layer::Get().memories.Add(memory, std::move(record));
  return memory;
}

bool HasContent(cl_mem_flags flags) {
  return (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
}

cl_mem CreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                    cl_int* error) {
  return Added(Target(context).clCreateBuffer(context, flags, size, host, error), HasContent(flags),
               nullptr, cl_buffer_region{0, size});
}

cl_mem CreateBufferWithProperties(cl_context context, const cl_mem_properties* properties,
                                  cl_mem_flags flags, size_t size, void* host, cl_int* error) {
  const bool is_from_outside = properties != nullptr && properties[0] != 0;
  return Added(
      Target(context).clCreateBufferWithProperties(context, properties, flags, size, host, error),
      HasContent(flags) || is_from_outside, nullptr,
      is_from_outside ? std::nullopt : std::optional(cl_buffer_region{0, size}));
}

cl_mem CreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                       const void* information, cl_int* error) {
  std::optional<cl_buffer_region> region;
  if (type == CL_BUFFER_CREATE_TYPE_REGION && information != nullptr) {
    region = *static_cast<const cl_buffer_region*>(information);
  }
  return Added(Target(buffer).clCreateSubBuffer(buffer, flags, type, information, error), false,
               buffer, region);
}

cl_mem CreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                   const cl_image_desc* description, void* host, cl_int* error) {
  const cl_mem parent = description == nullptr ? nullptr : description->buffer;
  return Added(Target(context).clCreateImage(context, flags, format, description, host, error),
               HasContent(flags), parent);
}

cl_mem CreateImageWithProperties(cl_context context, const cl_mem_properties* properties,
                                 cl_mem_flags flags, const cl_image_format* format,
                                 const cl_image_desc* description, void* host, cl_int* error) {
  const cl_mem parent = description == nullptr ? nullptr : description->buffer;
  return Added(Target(context).clCreateImageWithProperties(context, properties, flags, format,
                                                           description, host, error),
               true, parent);
}

cl_mem CreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                     size_t width, size_t height, size_t pitch, void* host, cl_int* error) {
  return Added(
      Target(context).clCreateImage2D(context, flags, format, width, height, pitch, host, error),
      HasContent(flags));
}

cl_mem CreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                     size_t width, size_t height, size_t depth, size_t row_pitch,
                     size_t slice_pitch, void* host, cl_int* error) {
  return Added(Target(context).clCreateImage3D(context, flags, format, width, height, depth,
                                               row_pitch, slice_pitch, host, error),
               HasContent(flags));
}

cl_mem CreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint packets,
                  const cl_pipe_properties* properties, cl_int* error) {
  return Added(Target(context).clCreatePipe(context, flags, packet, packets, properties, error),
               true);
}

cl_mem CreateFromGlBuffer(cl_context context, cl_mem_flags flags, cl_GLuint buffer, cl_int* error) {
  return Added(Target(context).clCreateFromGLBuffer(context, flags, buffer, error), true);
}

cl_int RetainMemory(cl_mem memory) {
  const cl_int status = Target(memory).clRetainMemObject(memory);
  if (status == CL_SUCCESS) Layer::Get().memories.Retain(memory);
  return status;
}

cl_int ReleaseMemory(cl_mem memory) {
  if (const auto last = Layer::Get().memories.Release(memory)) last->is_alive = false;
  return Target(memory).clReleaseMemObject(memory);
}

// --- Samplers ---

cl_sampler Added(cl_sampler sampler) {
  if (sampler == nullptr) return sampler;
  auto record = std::make_shared<SamplerRecord>();
  record->handle = sampler;
  Layer::Get().samplers.Add(sampler, std::move(record));
  return sampler;
}

cl_sampler CreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode address,
                         cl_filter_mode filter, cl_int* error) {
  return Added(Target(context).clCreateSampler(context, normalized, address, filter, error));
}

cl_sampler CreateSamplerWithProperties(cl_context context, const cl_sampler_properties* properties,
                                       cl_int* error) {
  return Added(Target(context).clCreateSamplerWithProperties(context, properties, error));
}

cl_int RetainSampler(cl_sampler sampler) {
  const cl_int status = Target(sampler).clRetainSampler(sampler);
  if (status == CL_SUCCESS) Layer::Get().samplers.Retain(sampler);
  return status;
}

cl_int ReleaseSampler(cl_sampler sampler) {
  if (const auto last = Layer::Get().samplers.Release(sampler)) last->is_alive = false;
  return Target(sampler).clReleaseSampler(sampler);
}

// --- Shared virtual memory ---

void* SvmAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  void* memory = Target(context).clSVMAlloc(context, flags, size, alignment);
  if (memory == nullptr) return memory;
  Layer& layer = Layer::Get();
  const std::unique_lock lock(layer.svm_mutex);
  layer.svm[memory] = {.context = context, .bytes = size, .flags = flags};
  return memory;
}

void SvmFree(cl_context context, void* memory) {
  Layer& layer = Layer::Get();
  {
    const std::unique_lock lock(layer.svm_mutex);
    layer.svm.erase(memory);
  }
  Target(context).clSVMFree(context, memory);
}

}  // namespace

void FollowMemory(cl_icd_dispatch* table) {
  using T = cl_icd_dispatch;
  Replace(&T::clCreateBuffer, &CreateBuffer, table);
  Replace(&T::clCreateBufferWithProperties, &CreateBufferWithProperties, table);
  Replace(&T::clCreateSubBuffer, &CreateSubBuffer, table);
  Replace(&T::clCreateImage, &CreateImage, table);
  Replace(&T::clCreateImageWithProperties, &CreateImageWithProperties, table);
  Replace(&T::clCreateImage2D, &CreateImage2D, table);
  Replace(&T::clCreateImage3D, &CreateImage3D, table);
  Replace(&T::clCreatePipe, &CreatePipe, table);
  Replace(&T::clCreateFromGLBuffer, &CreateFromGlBuffer, table);
  Replace(&T::clRetainMemObject, &RetainMemory, table);
  Replace(&T::clReleaseMemObject, &ReleaseMemory, table);
  Replace(&T::clCreateSampler, &CreateSampler, table);
  Replace(&T::clCreateSamplerWithProperties, &CreateSamplerWithProperties, table);
  Replace(&T::clRetainSampler, &RetainSampler, table);
  Replace(&T::clReleaseSampler, &ReleaseSampler, table);
  Replace(&T::clSVMAlloc, &SvmAlloc, table);
  Replace(&T::clSVMFree, &SvmFree, table);
}

}  // namespace assay::layer
