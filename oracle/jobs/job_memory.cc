#include "oracle/jobs/job_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "numerics/image/format.h"
#include "numerics/image/sampler.h"

namespace assay::oracle {

using interp::JobBuffer;

Expected<void> CheckOpenCl(std::string_view device, cl_int status, std::string_view call) {
  if (status == CL_SUCCESS) return {};
  return Fail(ErrorKind::kDevice, fmt::format("{}: {}: {}", device, call, OpenClErrorName(status)));
}

Expected<void> CheckOpenClObject(std::string_view device, cl_int status, const void* object,
                                 std::string_view call) {
  if (status != CL_SUCCESS || object != nullptr) return CheckOpenCl(device, status, call);
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: {} gave neither an object nor an error", device, call));
}

void JobMemory::Release() {
  // Images and views before the buffers whose memory they use.
  for (std::vector<cl_mem>* objects : {&views_, &images_, &buffers_}) {
    for (cl_mem object : *objects) {
      if (object != nullptr) api_->clReleaseMemObject(object);
    }
    objects->clear();
  }
  for (cl_sampler sampler : samplers_) api_->clReleaseSampler(sampler);
  samplers_.clear();
  missing_.clear();
}

Expected<void> JobMemory::Create() {
  Release();
  for (const JobBuffer& buffer : job_.buffers) {
    if (auto made = CreateOne(buffer); !made) return made;
  }
  return {};
}

Expected<void> JobMemory::CreateOne(const JobBuffer& buffer) {
  cl_mem handle = nullptr;
  if (buffer.max_packets != 0) {
    auto pipe = CreatePipe(buffer);
    if (!pipe) return tl::unexpected<Error>(pipe.error());
    handle = *pipe;
  } else if (!buffer.image || buffer.image->shape == interp::ImageShape::k1DBuffer) {
    // A driver may not write through this pointer: COPY_HOST_PTR reads it once.
    void* initial = const_cast<std::byte*>(buffer.bytes.data());
    cl_int status = CL_SUCCESS;
    handle = api_->clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  buffer.bytes.size(), initial, &status);
    if (auto made = CheckOpenClObject(device_, status, handle, "clCreateBuffer"); !made) {
      return made;
    }
  }
  buffers_.push_back(handle);
  images_.push_back(nullptr);
  missing_.emplace_back();
  if (!buffer.image) return {};
  const auto image = CreateImage(*buffer.image, handle, buffer.bytes.data(),
                                 uses_.at(buffers_.size() - 1), &missing_.back());
  if (!image) return tl::unexpected<Error>(image.error());
  images_.back() = *image;
  return {};
}

// A host can neither fill a pipe nor look into it.
Expected<cl_mem> JobMemory::CreatePipe(const JobBuffer& pipe) const {
  if (!pipe.bytes.empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: pipe '{}' has packets, which a host cannot put there", job_.path,
                            pipe.name));
  }
  if (api_->clCreatePipe == nullptr) {
    return Fail(ErrorKind::kUnsupported, "the OpenCL loader has no clCreatePipe");
  }
  cl_int status = CL_SUCCESS;
  cl_mem handle =
      api_->clCreatePipe(context_, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, pipe.packet_bytes,
                         static_cast<cl_uint>(pipe.max_packets), nullptr, &status);
  if (auto made = CheckOpenClObject(device_, status, handle, "clCreatePipe"); !made) {
    return tl::unexpected<Error>(made.error());
  }
  return handle;
}

// By the device's list: clCreateImage has an error of its own for such formats, but PoCL 3.1 gives
// CL_INVALID_OPERATION.
Expected<bool> JobMemory::Supports(const cl_image_format& format, cl_mem_object_type type,
                                   cl_mem_flags access) const {
  cl_uint count = 0;
  cl_int status = api_->clGetSupportedImageFormats(context_, access, type, 0, nullptr, &count);
  std::vector<cl_image_format> formats(count);
  if (status == CL_SUCCESS && count != 0) {
    status =
        api_->clGetSupportedImageFormats(context_, access, type, count, formats.data(), nullptr);
  }
  if (auto asked = CheckOpenCl(device_, status, "clGetSupportedImageFormats"); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  return std::ranges::any_of(formats, [&](const cl_image_format& one) {
    return one.image_channel_order == format.image_channel_order &&
           one.image_channel_data_type == format.image_channel_data_type;
  });
}

Expected<cl_mem> JobMemory::CreateImage(const interp::ImageDescriptor& image, cl_mem memory,
                                        const std::byte* initial, const ImageUse& use,
                                        std::string* missing) const {
  constexpr cl_mem_object_type kTypes[] = {
      CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
      CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};
  const std::string call = fmt::format("clCreateImage of {}", interp::DescribeImage(image));
  if (image.levels > 1 || image.samples > 1) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("{}: mipmaps and multisample images have no initial content there", call));
  }
  const cl_image_format format = {numerics::image::ClNumber(image.format.order),
                                  numerics::image::ClNumber(image.format.type)};
  cl_image_desc desc{};
  desc.image_type = kTypes[static_cast<std::size_t>(image.shape)];
  desc.image_width = static_cast<std::size_t>(image.size[0]);
  desc.image_height = static_cast<std::size_t>(image.size[1]);
  desc.image_depth = static_cast<std::size_t>(image.size[2]);
  desc.image_array_size = static_cast<std::size_t>(image.layers);
  desc.buffer = memory;
  desc.image_row_pitch = image.row_pitch;
  // Formats are supported by access: CL_sRGBA by many devices only where kernels read.
  cl_mem_flags access = CL_MEM_READ_WRITE;
  auto supported = Supports(format, desc.image_type,
                            use.read_and_written ? CL_MEM_KERNEL_READ_AND_WRITE : access);
  if (supported && !*supported && use.only_read) {
    access = CL_MEM_READ_ONLY;
    supported = Supports(format, desc.image_type, access);
  }
  if (!supported) return tl::unexpected<Error>(supported.error());
  if (!*supported) {
    *missing = fmt::format("{} {}: not supported for images that kernels {}",
                           numerics::image::Name(image.format.order),
                           numerics::image::Name(image.format.type),
                           use.only_read          ? "read"
                           : use.read_and_written ? "read and write"
                                                  : "may write");
    return cl_mem{nullptr};
  }
  void* host = memory == nullptr ? const_cast<std::byte*>(initial) : nullptr;  // which is only read
  const cl_mem_flags content = memory == nullptr ? cl_mem_flags{CL_MEM_COPY_HOST_PTR} : 0;
  cl_int status = CL_SUCCESS;
  cl_mem handle = api_->clCreateImage(context_, access | content, &format, &desc, host, &status);
  if (auto made = CheckOpenClObject(device_, status, handle, call); !made) {
    return tl::unexpected<Error>(made.error());
  }
  return handle;
}

Expected<cl_mem> JobMemory::View(const interp::JobImageOfBuffer& view, const ImageUse& use,
                                 std::string* missing) {
  auto image = CreateImage(view.image, buffers_.at(view.buffer), nullptr, use, missing);
  if (image && *image != nullptr) views_.push_back(*image);
  return image;
}

Expected<cl_sampler> JobMemory::Sampler(const interp::SamplerArgument& sampler) {
  const numerics::image::Sampler& modes = sampler.sampler.sampler;
  cl_int status = CL_SUCCESS;
  cl_sampler made =
      api_->clCreateSampler(context_, modes.normalized ? CL_TRUE : CL_FALSE,
                            CL_ADDRESS_NONE + static_cast<cl_addressing_mode>(modes.address),
                            CL_FILTER_NEAREST + static_cast<cl_filter_mode>(modes.filter), &status);
  if (auto good = CheckOpenClObject(device_, status, made, "clCreateSampler"); !good) {
    return tl::unexpected<Error>(good.error());
  }
  samplers_.push_back(made);
  return made;
}

cl_int JobMemory::ReadInto(std::size_t number, std::byte* to) const {
  const JobBuffer& buffer = job_.buffers[number];
  if (buffers_[number] != nullptr) {
    return api_->clEnqueueReadBuffer(queue_, buffers_[number], CL_TRUE, 0, buffer.bytes.size(), to,
                                     0, nullptr, nullptr);
  }
  const interp::ImageDescriptor& image = *buffer.image;
  const std::size_t origin[3] = {};
  std::size_t region[3] = {static_cast<std::size_t>(image.size[0]),
                           static_cast<std::size_t>(image.size[1]),
                           static_cast<std::size_t>(image.size[2])};
  if (interp::IsArrayed(image.shape)) {
    region[interp::DimensionsOf(image.shape)] = static_cast<std::size_t>(image.layers);
  }
  return api_->clEnqueueReadImage(queue_, images_[number], CL_TRUE, origin, region, 0, 0, to, 0,
                                  nullptr, nullptr);
}

// Reads twice into memory that holds different bytes: a read that copies nothing leaves them.
Expected<std::vector<std::byte>> JobMemory::ReadOne(std::size_t number) const {
  if (job_.buffers[number].max_packets != 0 || !missing_[number].empty()) {
    return std::vector<std::byte>{};
  }
  const std::size_t size = job_.buffers[number].bytes.size();
  std::vector<std::byte> bytes(size, std::byte{0x5a}), again(size, std::byte{0xa5});
  for (std::vector<std::byte>* to : {&bytes, &again}) {
    const std::string_view call =
        buffers_[number] == nullptr ? "clEnqueueReadImage" : "clEnqueueReadBuffer";
    if (auto checked = CheckOpenCl(device_, ReadInto(number, to->data()), call); !checked) {
      return tl::unexpected<Error>(checked.error());
    }
  }
  if (bytes == again) return bytes;
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: two reads of buffer '{}' gave different bytes, with no command in "
                          "between",
                          device_, job_.buffers[number].name));
}

Expected<std::vector<std::vector<std::byte>>> JobMemory::Read() const {
  std::vector<std::vector<std::byte>> contents;
  for (std::size_t k = 0; k < buffers_.size(); ++k) {
    auto bytes = ReadOne(k);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    contents.push_back(std::move(*bytes));
  }
  return contents;
}

}  // namespace assay::oracle
