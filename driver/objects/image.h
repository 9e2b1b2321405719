// Images: which ones there are, and how they are made (OpenCL API, "Creating Image Objects").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "driver/core/call.h"
#include "driver/objects/memory.h"

namespace assay::driver {

// What clCreateImage and its like are given.
struct ImageRequest {
  cl_mem_flags flags = 0;
  const cl_image_format* format = nullptr;
  const cl_image_desc* desc = nullptr;
  void* host_ptr = nullptr;
  // The code for pitches that break a rule: clCreateImage2D and clCreateImage3D have another one.
  cl_int pitch_code = CL_INVALID_IMAGE_DESCRIPTOR;
};

// With the codes of clCreateImage where an argument breaks a rule.
Memory* MakeImage(Call* call, Context* context, const ImageRequest& request,
                  std::vector<cl_mem_properties> properties);

// What clCreateImage checks of the format and the descriptor, but for pitches; the same codes.
interp::ImageDescriptor CheckImageRequest(const ImageRequest& request);
interp::ImageShape CheckImageType(const cl_image_desc* desc);
numerics::image::ImageFormat CheckImageFormat(const cl_image_format* format,
                                              interp::ImageShape shape);

// The bytes that an image needs in a buffer; gives it the descriptor's pitches.  Throws
// CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for pitches that break a rule.
std::uint64_t BytesInBuffer(const cl_image_desc& desc, interp::ImageDescriptor* image);

// What the interpreter executes, for an image of this type.  All formats can be read and written.
std::vector<cl_image_format> SupportedImageFormats(cl_mem_object_type type);

// Whether it is one of the six types of images.
bool IsImageType(cl_mem_object_type type);

// CL_DEVICE_IMAGE*_MAX_*: width, height, depth, and layers of an array; 1 where there is none.
struct ImageLimits {
  std::array<std::uint64_t, 3> size = {1, 1, 1};
  std::uint64_t layers = 1;
};
ImageLimits LimitsOf(interp::ImageShape shape);

// In bytes.
std::uint64_t ElementBytes(const interp::ImageDescriptor& image);
// CL_IMAGE_ROW_PITCH and CL_IMAGE_SLICE_PITCH.  They are those of the data that the image was made
// of; what was copied has no gaps in the image.
std::uint64_t RowPitchOf(const ImageShapeAndFormat& image);
std::uint64_t SlicePitchOf(const ImageShapeAndFormat& image);

}  // namespace assay::driver
