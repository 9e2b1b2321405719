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

  friend bool operator==(const ImageDescriptor&, const ImageDescriptor&) = default;
};

// The limits of a full-profile device (API, CL_DEVICE_IMAGE2D_MAX_WIDTH and the others) are the
// least that a device must have; these are what assay has.
inline constexpr std::int64_t kMaxImageSide = 65536;
inline constexpr std::int64_t kMaxImage3dSide = 16384;
inline constexpr std::int64_t kMaxImageBufferElements = std::int64_t{1} << 31;
inline constexpr std::int64_t kMaxImageLayers = 65536;

// kUsage with what is wrong: a format that no image may have, a size of 0 or beyond the limits,
// levels or samples that do not go with the shape.
Expected<void> CheckImage(const ImageDescriptor& image);

// The memory of an image: levels one after the other, the largest first, each without gaps: rows,
// slices or layers, of a multisample image the samples of an element side by side.
std::uint64_t ImageBytes(const ImageDescriptor& image);

// A level in `data`, which has ImageBytes(image) bytes.  For multisample images: of one sample
// (row pitch and element size are those of all samples).
numerics::image::ImageView ImageLevel(const ImageDescriptor& image, int level,
                                      const std::byte* data);

// What clCreateSamplerWithProperties is told.
struct SamplerDescriptor {
  numerics::image::Sampler sampler;
  numerics::image::MipFilter mip;
};

}  // namespace assay::interp
