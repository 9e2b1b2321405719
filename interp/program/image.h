// Images and samplers, as a launch has them.
//
// OpenCL API, 5.3.1 "Creating Image Objects" (clCreateImage: image descriptor), 5.7 "Sampler
// Objects".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"
#include "numerics/image/format.h"
#include "numerics/image/read.h"
#include "numerics/image/sampler.h"

namespace assay::interp {

enum class ImageShape : std::uint8_t { k1D, k1DBuffer, k1DArray, k2D, k2DArray, k3D };
std::string_view ImageShapeName(ImageShape shape);  // "1d", "1d_buffer", "1d_array", "2d", ...
std::optional<ImageShape> ImageShapeFromName(std::string_view name);
constexpr bool IsArrayed(ImageShape shape) {
  return shape == ImageShape::k1DArray || shape == ImageShape::k2DArray;
}
// 1 to 3; of an array those of one layer.
constexpr int DimensionsOf(ImageShape shape) {
  return shape == ImageShape::k3D ? 3 : shape >= ImageShape::k2D ? 2 : 1;
}

// What clCreateImage is told.
struct ImageDescriptor {
  ImageShape shape = ImageShape::k2D;
  numerics::image::ImageFormat format;
  // Width, height, depth in elements; 1 where the shape has no such dimension.
  std::array<std::int64_t, 3> size = {1, 1, 1};
  std::int64_t layers = 1;
  int levels = 1;   // of a mipmap
  int samples = 1;  // of a multisample image: 2D and 2D arrays
  // Bytes from row to row of a 2D image that is made from a buffer; 0: rows without gaps.
  std::uint64_t row_pitch = 0;
  // Bytes from slice to slice of a 3D image, or from layer to layer, where they have gaps; then
  // there is a row pitch, too.  0: without gaps.
  std::uint64_t slice_pitch = 0;

  friend bool operator==(const ImageDescriptor&, const ImageDescriptor&) = default;
};

// The limits of a full-profile device (API, CL_DEVICE_IMAGE2D_MAX_WIDTH and the others) are the
// least that a device must have; these are what assay has.
inline constexpr std::int64_t kMaxImageSide = 65536;
inline constexpr std::int64_t kMaxImage3dSide = 16384;
inline constexpr std::int64_t kMaxImageBufferElements = std::int64_t{1} << 31;
inline constexpr std::int64_t kMaxImageLayers = 65536;
inline constexpr int kMaxImageSamples = 64;

// kUsage with what is wrong: a format that no image may have, a size of 0 or beyond the limits,
// levels or samples that do not go with the shape.
Expected<void> CheckImage(const ImageDescriptor& image);

// "2d 640x480 CL_RGBA CL_UNORM_INT8", "2d_array 64x64, 3 layers, ...".
std::string DescribeImage(const ImageDescriptor& image);

// The memory of an image: levels one after the other, the largest first, each without gaps: rows,
// slices or layers.  Of a multisample image such a plane for each sample, one after the other.
std::uint64_t ImageBytes(const ImageDescriptor& image);

// A level in `data`, which has ImageBytes(image) bytes; of a multisample image the plane of one
// sample.
numerics::image::ImageView ImageLevel(const ImageDescriptor& image, int level,
                                      const std::byte* data, int sample = 0);

// What clCreateSamplerWithProperties is told.
struct SamplerDescriptor {
  numerics::image::Sampler sampler;
  numerics::image::MipFilter mip;
};
// kUsage for limits of the level of detail that are not in order, or not numbers.
Expected<void> CheckSampler(const SamplerDescriptor& sampler);
// "clamp_to_edge, linear, normalized".
std::string DescribeSampler(const SamplerDescriptor& sampler);

// Samplers that the text of a kernel declares (OpConstantSampler): their values are 1 to
// kLiteralSamplers in every launch.
inline constexpr std::uint64_t kLiteralSamplers = 20;
constexpr std::uint64_t LiteralSampler(const numerics::image::Sampler& sampler) {
  return 1 + static_cast<std::uint64_t>(sampler.address) * 4 +
         (sampler.normalized ? std::uint64_t{2} : 0) + static_cast<std::uint64_t>(sampler.filter);
}
constexpr numerics::image::Sampler LiteralSamplerOf(std::uint64_t value) {
  return {static_cast<numerics::image::AddressMode>((value - 1) / 4),
          static_cast<numerics::image::FilterMode>((value - 1) & 1), ((value - 1) & 2) != 0};
}

// The type of an image in a module, OpTypeImage.  The numbers are SPIR-V's Access Qualifier.
enum class ImageAccess : std::uint8_t { kReadOnly, kWriteOnly, kReadWrite };
struct ImageType {
  ImageShape shape = ImageShape::k2D;
  bool depth = false;
  bool multisampled = false;
  ImageAccess access = ImageAccess::kReadOnly;

  friend bool operator==(const ImageType&, const ImageType&) = default;
};
// "read_only image2d_array_depth_t", in the words of OpenCL C.
std::string DescribeImageType(const ImageType& type);
// Of an OpTypeImage; kUnsupported for one that OpenCL does not have.
Expected<ImageType> ImageTypeOf(const frontend::Module& module, frontend::Id type);

}  // namespace assay::interp
