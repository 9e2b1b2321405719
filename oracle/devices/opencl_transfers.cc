#include "oracle/devices/opencl_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "oracle/devices/opencl_images.h"

namespace assay::oracle {
namespace {

using Kind = TransferObject::Kind;
using Numbers = std::array<std::uint64_t, 3>;

cl_mem_flags FlagsOf(TransferObject::Store store) {
  switch (store) {
    case TransferObject::Store::kDevice:
      return CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    case TransferObject::Store::kAllocatedOnHost:
      return CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
    case TransferObject::Store::kUsesHost:
      return CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
  }
  return CL_MEM_READ_WRITE;
}

// Whole pages that begin with the content.
std::shared_ptr<std::byte> PageOf(std::span<const std::byte> content) {
  constexpr std::size_t kPage = 4096;
  const std::size_t size = (content.size() / kPage + 1) * kPage;
  std::shared_ptr<std::byte> page(static_cast<std::byte*>(std::aligned_alloc(kPage, size)),
                                  &std::free);
  std::copy(content.begin(), content.end(), page.get());
  return page;
}

// As the API takes three numbers.
struct Sizes {
  explicit Sizes(const Numbers& numbers) { std::copy(numbers.begin(), numbers.end(), value); }
  std::size_t value[3];
};

}  // namespace

// `own` lies without gaps; rows and slices of the mapped memory have their pitches.
struct OpenClTransfers::Mapped {
  std::byte* begin = nullptr;
  std::size_t row_bytes = 0, rows = 1, slices = 1;
  std::size_t row_pitch = 0, slice_pitch = 0;
};
void OpenClTransfers::Use(HostUse use, const Mapped& mapped, std::byte* own) {
  for (std::size_t slice = 0; slice < mapped.slices; ++slice) {
    for (std::size_t row = 0; row < mapped.rows; ++row) {
      std::byte* there = mapped.begin + slice * mapped.slice_pitch + row * mapped.row_pitch;
      switch (use) {
        case HostUse::kTake:
          std::copy_n(there, mapped.row_bytes, own);
          break;
        case HostUse::kPut:
          std::copy_n(own, mapped.row_bytes, there);
          break;
        case HostUse::kExchange:
          std::swap_ranges(own, own + mapped.row_bytes, there);
          break;
      }
      own += mapped.row_bytes;
    }
  }
}

Expected<cl_int> OpenClTransfers::MakeSubBuffer(Object* object) const {
  const cl_buffer_region region = {object->described.origin, object->described.size};
  cl_int status = CL_SUCCESS;
  cl_mem made = queue_.api->clCreateSubBuffer(objects_[object->described.parent].buffer.get(),
                                              CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                              &region, &status);
  if (auto checked = queue_.CheckObject(status, made, "clCreateSubBuffer"); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  object->buffer =
      BufferHandle(made, [api = queue_.api](cl_mem used) { api->clReleaseMemObject(used); });
  return CL_SUCCESS;
}

Expected<cl_int> OpenClTransfers::MakeImage(Object* object) const {
  const TransferObject& described = object->described;
  cl_image_desc description = {};
  description.image_type = ObjectType(described.shape);
  description.image_width = described.extent[0];
  description.image_height = DimensionsOf(described.shape) > 1 ? described.extent[1] : 0;
  description.image_depth = DimensionsOf(described.shape) > 2 ? described.extent[2] : 0;
  if (described.shape == ImageShape::k1DArray) description.image_array_size = described.extent[1];
  if (described.shape == ImageShape::k2DArray) description.image_array_size = described.extent[2];
  const bool of_buffer = described.shape == ImageShape::k1DBuffer;
  if (of_buffer) description.buffer = object->buffer.get();
  const cl_image_format format = {ClNumber(described.format.order),
                                  ClNumber(described.format.type)};
  const auto formats = SupportedFormats(queue_, CL_MEM_READ_WRITE, described.shape);
  if (!formats) return tl::unexpected<Error>(formats.error());
  const bool supported = std::any_of(formats->begin(), formats->end(), [&](const auto& one) {
    return one.image_channel_order == format.image_channel_order &&
           one.image_channel_data_type == format.image_channel_data_type;
  });
  if (!supported) return CL_IMAGE_FORMAT_NOT_SUPPORTED;
  cl_int status = CL_SUCCESS;
  cl_mem made = queue_.api->clCreateImage(
      queue_.context, of_buffer ? CL_MEM_READ_WRITE : FlagsOf(described.store), &format,
      &description, of_buffer ? nullptr : object->host.get(), &status);
  if (auto checked = queue_.CheckObject(status, made, "clCreateImage"); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  object->image =
      BufferHandle(made, [api = queue_.api](cl_mem used) { api->clReleaseMemObject(used); });
  return CL_SUCCESS;
}

Expected<cl_int> OpenClTransfers::Make(const TransferObject& described,
                                       std::span<const std::byte> content) {
  Object object{.described = described, .host = PageOf(content)};
  const bool has_buffer =
      described.kind == Kind::kBuffer ||
      (described.kind == Kind::kImage && described.shape == ImageShape::k1DBuffer);
  if (has_buffer) {
    auto buffer = queue_.CreateBuffer(FlagsOf(described.store), described.size, object.host.get());
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    object.buffer = *buffer;
  }
  Expected<cl_int> made = CL_SUCCESS;
  if (described.kind == Kind::kSubBuffer) made = MakeSubBuffer(&object);
  if (described.kind == Kind::kImage) made = MakeImage(&object);
  if (made) objects_.push_back(std::move(object));
  return made;
}

cl_int OpenClTransfers::HostRectangle(const TransferStep& step) {
  const bool reads = step.command == TransferCommand::kReadBufferRect;
  const TransferPlace& memory = reads ? step.from : step.to;
  const TransferPlace& host = reads ? step.to : step.from;
  const Sizes there(memory.origin), here(host.origin), region(step.region);
  const auto call = [&](auto function) {
    return function(queue_.queue, objects_[memory.object].buffer.get(), step.blocking, there.value,
                    here.value, region.value, memory.row_pitch, memory.slice_pitch, host.row_pitch,
                    host.slice_pitch, objects_[host.object].host.get(), 0, nullptr, nullptr);
  };
  return reads ? call(queue_.api->clEnqueueReadBufferRect)
               : call(queue_.api->clEnqueueWriteBufferRect);
}

cl_int OpenClTransfers::HostImage(const TransferStep& step) {
  const bool reads = step.command == TransferCommand::kReadImage;
  const TransferPlace& memory = reads ? step.from : step.to;
  const TransferPlace& host = reads ? step.to : step.from;
  const Sizes origin(memory.origin), region(step.region);
  const auto call = [&](auto function) {
    return function(queue_.queue, objects_[memory.object].image.get(), step.blocking, origin.value,
                    region.value, host.row_pitch, host.slice_pitch,
                    objects_[host.object].host.get() + host.origin[0], 0, nullptr, nullptr);
  };
  return reads ? call(queue_.api->clEnqueueReadImage) : call(queue_.api->clEnqueueWriteImage);
}

cl_int OpenClTransfers::MapBuffer(const TransferStep& step, cl_map_flags flags, HostUse use) {
  const TransferPlace& memory = use == HostUse::kTake ? step.from : step.to;
  const TransferPlace& host = use == HostUse::kTake ? step.to : step.from;
  cl_mem buffer = objects_[memory.object].buffer.get();
  const std::size_t size = step.region[0];
  cl_int status = CL_SUCCESS;
  void* mapped =
      queue_.api->clEnqueueMapBuffer(queue_.queue, buffer, step.blocking, flags, memory.origin[0],
                                     size, 0, nullptr, nullptr, &status);
  if (status != CL_SUCCESS || mapped == nullptr) return status;
  if (!step.blocking) status = queue_.api->clFinish(queue_.queue);
  if (status != CL_SUCCESS) return status;
  Use(use, {.begin = static_cast<std::byte*>(mapped), .row_bytes = size},
      objects_[host.object].host.get() + host.origin[0]);
  return queue_.api->clEnqueueUnmapMemObject(queue_.queue, buffer, mapped, 0, nullptr, nullptr);
}

cl_int OpenClTransfers::MapImage(const TransferStep& step, cl_map_flags flags, HostUse use) {
  const TransferPlace& memory = use == HostUse::kTake ? step.from : step.to;
  const TransferPlace& host = use == HostUse::kTake ? step.to : step.from;
  const Object& object = objects_[memory.object];
  const Sizes origin(memory.origin), region(step.region);
  std::size_t row_pitch = 0, slice_pitch = 0;
  cl_int status = CL_SUCCESS;
  void* mapped = queue_.api->clEnqueueMapImage(queue_.queue, object.image.get(), step.blocking,
                                               flags, origin.value, region.value, &row_pitch,
                                               &slice_pitch, 0, nullptr, nullptr, &status);
  if (status != CL_SUCCESS || mapped == nullptr) return status;
  if (!step.blocking) status = queue_.api->clFinish(queue_.queue);
  if (status != CL_SUCCESS) return status;
  // The layers of a 1D array are slices.
  const bool layers = object.described.shape == ImageShape::k1DArray;
  Use(use,
      {.begin = static_cast<std::byte*>(mapped),
       .row_bytes = step.region[0] * object.described.element,
       .rows = layers ? 1 : step.region[1],
       .slices = layers ? step.region[1] : step.region[2],
       .row_pitch = row_pitch,
       .slice_pitch = slice_pitch},
      objects_[host.object].host.get() + host.origin[0]);
  return queue_.api->clEnqueueUnmapMemObject(queue_.queue, object.image.get(), mapped, 0, nullptr,
                                             nullptr);
}

cl_int OpenClTransfers::Do(const TransferStep& step) {
  const OpenClApi& api = *queue_.api;
  Object& from = objects_[step.from.object];
  Object& to = objects_[step.to.object];
  const Sizes at(step.from.origin), there(step.to.origin), region(step.region);
  const std::size_t size = step.region[0];
  switch (step.command) {
    case TransferCommand::kReadBuffer:
      return api.clEnqueueReadBuffer(queue_.queue, from.buffer.get(), step.blocking, at.value[0],
                                     size, to.host.get() + there.value[0], 0, nullptr, nullptr);
    case TransferCommand::kWriteBuffer:
      return api.clEnqueueWriteBuffer(queue_.queue, to.buffer.get(), step.blocking, there.value[0],
                                      size, from.host.get() + at.value[0], 0, nullptr, nullptr);
    case TransferCommand::kCopyBuffer:
      return api.clEnqueueCopyBuffer(queue_.queue, from.buffer.get(), to.buffer.get(), at.value[0],
                                     there.value[0], size, 0, nullptr, nullptr);
    case TransferCommand::kFillBuffer:
      return api.clEnqueueFillBuffer(queue_.queue, to.buffer.get(), step.pattern.data(),
                                     step.pattern.size(), there.value[0], size, 0, nullptr,
                                     nullptr);
    case TransferCommand::kReadBufferRect:
    case TransferCommand::kWriteBufferRect:
      return HostRectangle(step);
    case TransferCommand::kCopyBufferRect:
      return api.clEnqueueCopyBufferRect(queue_.queue, from.buffer.get(), to.buffer.get(), at.value,
                                         there.value, region.value, step.from.row_pitch,
                                         step.from.slice_pitch, step.to.row_pitch,
                                         step.to.slice_pitch, 0, nullptr, nullptr);
    case TransferCommand::kMapBufferRead:
      return MapBuffer(step, CL_MAP_READ, HostUse::kTake);
    case TransferCommand::kMapBufferWrite:
      return MapBuffer(step, CL_MAP_WRITE, HostUse::kExchange);
    case TransferCommand::kMapBufferInvalidate:
      return MapBuffer(step, CL_MAP_WRITE_INVALIDATE_REGION, HostUse::kPut);
    case TransferCommand::kReadImage:
    case TransferCommand::kWriteImage:
      return HostImage(step);
    case TransferCommand::kCopyImage:
      return api.clEnqueueCopyImage(queue_.queue, from.image.get(), to.image.get(), at.value,
                                    there.value, region.value, 0, nullptr, nullptr);
    case TransferCommand::kFillImage:
      return api.clEnqueueFillImage(queue_.queue, to.image.get(), step.pattern.data(), there.value,
                                    region.value, 0, nullptr, nullptr);
    case TransferCommand::kCopyImageToBuffer:
      return api.clEnqueueCopyImageToBuffer(queue_.queue, from.image.get(), to.buffer.get(),
                                            at.value, region.value, there.value[0], 0, nullptr,
                                            nullptr);
    case TransferCommand::kCopyBufferToImage:
      return api.clEnqueueCopyBufferToImage(queue_.queue, from.buffer.get(), to.image.get(),
                                            at.value[0], there.value, region.value, 0, nullptr,
                                            nullptr);
    case TransferCommand::kMapImageRead:
      return MapImage(step, CL_MAP_READ, HostUse::kTake);
    case TransferCommand::kMapImageWrite:
      return MapImage(step, CL_MAP_WRITE, HostUse::kExchange);
    case TransferCommand::kMapImageInvalidate:
      return MapImage(step, CL_MAP_WRITE_INVALIDATE_REGION, HostUse::kPut);
  }
  return CL_INVALID_OPERATION;
}

Expected<void> OpenClTransfers::ReadBack(const Object& object, std::span<std::byte> content) const {
  if (object.described.kind == Kind::kHost) {
    std::copy_n(object.host.get(), content.size(), content.begin());
    return {};
  }
  if (object.buffer) {
    return queue_.Check(
        queue_.api->clEnqueueReadBuffer(queue_.queue, object.buffer.get(), CL_TRUE, 0,
                                        content.size(), content.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  }
  const Sizes origin({}), region(object.described.extent);
  return queue_.Check(
      queue_.api->clEnqueueReadImage(queue_.queue, object.image.get(), CL_TRUE, origin.value,
                                     region.value, 0, 0, content.data(), 0, nullptr, nullptr),
      "clEnqueueReadImage");
}

Expected<void> OpenClTransfers::Run(const TransferRequest& request, ImageInputs inputs,
                                    ImageOutputs outputs) {
  std::vector<std::int64_t> statuses(request.steps.size(), kFormatNotSupported);
  std::size_t next = 0;
  bool supported = true;
  for (const TransferObject& described : request.objects) {
    const bool has_content = described.kind != Kind::kSubBuffer;
    const auto made = Make(described, has_content ? inputs[next++] : std::span<const std::byte>());
    if (!made) return tl::unexpected<Error>(made.error());
    supported = supported && *made == CL_SUCCESS;
    if (!supported) break;
  }
  if (supported) {
    std::transform(request.steps.begin(), request.steps.end(), statuses.begin(),
                   [&](const TransferStep& step) { return Do(step); });
    if (auto finished = queue_.Check(queue_.api->clFinish(queue_.queue), "clFinish"); !finished) {
      return finished;
    }
    next = 1;
    for (const Object& object : objects_) {
      if (object.described.kind == Kind::kSubBuffer) continue;
      if (auto read = ReadBack(object, outputs[next++]); !read) return read;
    }
  }
  std::memcpy(outputs[0].data(), statuses.data(), outputs[0].size());
  return {};
}

Expected<void> OpenClTransfers::Ask(const TransferRequest& request, ImageInputs inputs,
                                    ImageOutputs outputs) {
  objects_.clear();
  objects_.reserve(request.objects.size());
  auto ran = Run(request, inputs, outputs);
  // Also after an error: nothing may still be at work on the objects.
  const cl_int finished = queue_.api->clFinish(queue_.queue);
  // Sub-buffers and images go before the buffers that they are made of.
  while (!objects_.empty()) objects_.pop_back();
  return ran ? queue_.Check(finished, "clFinish") : ran;
}

}  // namespace assay::oracle
