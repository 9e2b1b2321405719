// The rows of `assay validate --functions @images`: what is judged together, by name.
//
// OpenCL API specification, "Minimum List of Supported Image Formats"; OpenCL C 6.15.15 and chapter
// 8.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/device.h"
#include "oracle/devices/image_request.h"

namespace assay::oracle {

enum class ImageRowOp : std::uint8_t {
  kFormats,  // the formats of a shape that the device must have
  kQuery,    // get_image_width and the like, and clGetImageInfo
  kRead,     // reads without a sampler
  kNearest,  // unnormalized, CLK_FILTER_NEAREST: "without any loss of precision"
  kNearestNormalized,
  kLinear,
  kLinearNormalized,
  kWrite,
};

struct ImageRow {
  ImageRowOp op = ImageRowOp::kFormats;
  ImageShape shape = ImageShape::k2D;
  numerics::image::ImageFormat format;  // not of kFormats

  // "image_formats_2d", "image_linear_normalized_2d_array_rgba_unorm_int8".
  std::string Name() const;
};

// What a device says of its images.
struct ImageAbilities {
  // Order and type as OpenCL numbers.
  struct Listed {
    std::uint32_t order = 0, type = 0;
    friend bool operator==(const Listed&, const Listed&) = default;
  };
  std::array<std::uint64_t, kAbilityCount> values = {};
  std::array<std::vector<Listed>, kImageShapes.size()> reads, writes;

  std::uint64_t Of(ImageAbility ability) const { return values[static_cast<std::size_t>(ability)]; }
  const std::vector<Listed>& ListOf(ImageShape shape, bool write) const {
    return (write ? writes : reads)[static_cast<std::size_t>(shape)];
  }
};
// kUnsupported where the device has no images.
Expected<ImageAbilities> AskImageAbilities(Device& device);

// A listed format that kernels of assay can read or write in images of this shape; nullopt where
// the number is none of the specification's, or where the language has no type for such an image.
std::optional<numerics::image::ImageFormat> UsableFormat(ImageAbilities::Listed listed,
                                                         ImageShape shape);
// "CL_RGBA CL_UNORM_INT8", or the numbers.
std::string FormatText(ImageAbilities::Listed listed);

// Every row of the device.
std::vector<ImageRow> ImageRows(const ImageAbilities& abilities);
// Those that one of the names selects: "@images", a name, or a pattern with '*'.  kUsage: a name
// selects nothing.
Expected<std::vector<ImageRow>> SelectImageRows(const std::vector<ImageRow>& rows,
                                                const std::vector<std::string>& names);
// Does the name belong to a row of images, or select some?
bool IsImageName(const std::string& name);

}  // namespace assay::oracle
