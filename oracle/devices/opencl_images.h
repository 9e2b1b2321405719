// Images of an OpenCL device: the requests of image_request.h.
//
// OpenCL API specification, "Image Objects" and "Sampler Objects".  The elements travel by
// clEnqueueWriteImage and clEnqueueReadImage; answers of reads lie in a buffer between guard zones.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "oracle/devices/image_request.h"
#include "oracle/devices/opencl_columns.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_program.h"

namespace assay::oracle {

cl_mem_object_type ObjectType(ImageShape shape);

// The formats of images of this shape with these flags; kDevice where there are more than
// kMostFormats.
Expected<std::vector<cl_image_format>> SupportedFormats(const OpenClQueue& queue,
                                                        cl_mem_flags flags, ImageShape shape);

class OpenClImages {
 public:
  OpenClImages(const OpenClQueue& queue, const OpenClDeviceInfo& info)
      : queue_(queue), info_(info) {}

  Expected<void> Ask(const ImageRequest& request, ImageInputs inputs, ImageOutputs outputs);

 private:
  struct Image {
    BufferHandle buffer;  // of a 1D buffer image
    BufferHandle image;
  };
  struct Built {
    ProgramHandle program;
    KernelHandle kernel;
  };

  Expected<void> Abilities(ImageOutputs outputs) const;
  Expected<void> Formats(const ImageRequest& request, ImageOutputs outputs) const;
  Expected<void> Read(const ImageRequest& request, ImageInputs inputs, ImageOutputs outputs);
  Expected<void> Write(const ImageRequest& request, ImageInputs inputs, ImageOutputs outputs);
  Expected<void> Query(const ImageRequest& request, ImageOutputs outputs);

  Expected<Image> Create(const ImageRequest& request, cl_mem_flags access) const;
  Expected<void> Upload(const ImageRequest& request, const Image& image,
                        std::span<const std::byte> texels) const;
  Expected<void> Download(const ImageRequest& request, const Image& image,
                          std::span<std::byte> texels) const;
  Expected<BufferHandle> InputBuffer(std::span<const std::byte> data) const;
  Expected<cl_kernel> KernelOf(const ImageRequest& request);
  Expected<Built> Build(const ImageRequest& request, const std::string& source) const;
  std::string BuildOptions(const ImageRequest& request) const;
  Expected<void> Launch(cl_kernel kernel, std::size_t count) const;
  Expected<void> ReadInto(cl_mem buffer, std::size_t offset, std::span<std::byte> to) const;

  const OpenClQueue& queue_;
  const OpenClDeviceInfo& info_;
  std::map<std::string, Built> built_;  // by source
  std::uint64_t launches_ = 0;
};

}  // namespace assay::oracle
