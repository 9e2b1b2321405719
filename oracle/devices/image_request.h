// What a device is asked about images: one image, and reads, writes or queries of it.
//
// OpenCL API specification, "Image Objects"; OpenCL C 6.15.15, "Image Read and Write Functions".  A
// request and its answers are bytes, so that they pass through the shared memory of a served
// device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/image/format.h"
#include "numerics/image/sampler.h"
#include "numerics/image/texel.h"

namespace assay::oracle {

enum class ImageShape : std::uint8_t { k1D, k1DBuffer, k1DArray, k2D, k2DArray, k3D };
inline constexpr std::array kImageShapes = {ImageShape::k1D,      ImageShape::k1DBuffer,
                                            ImageShape::k1DArray, ImageShape::k2D,
                                            ImageShape::k2DArray, ImageShape::k3D};
// "1d", "1d_buffer", "2d_array".
std::string_view ImageShapeName(ImageShape shape);
// Of one layer: 1 to 3.
int DimensionsOf(ImageShape shape);
bool IsArray(ImageShape shape);

enum class ImageOp : std::uint8_t {
  // Outputs: kAbilityCount 64-bit numbers, see ImageAbilities.
  kAbilities,
  // Outputs: 32-bit numbers: how many formats, then order and type of each as OpenCL numbers.
  kFormats,
  // Inputs: the elements without gaps; coordinates, four 32-bit numbers a read.  Outputs: four
  // 32-bit numbers a read; of a depth image only the first is written.
  kRead,
  // Inputs: coordinates as of kRead, integers; colors, four 32-bit numbers a write.  Outputs: the
  // elements, in and out.
  kWrite,
  // Outputs: kQueryCount 32-bit numbers.
  kQuery,
};

struct ImageRequest {
  ImageOp op = ImageOp::kAbilities;
  ImageShape shape = ImageShape::k2D;
  bool write = false;  // kFormats: of CL_MEM_WRITE_ONLY instead of CL_MEM_READ_ONLY
  numerics::image::ImageFormat format;
  std::array<std::uint32_t, 3> size = {1, 1, 1};
  std::uint32_t layers = 1;
  numerics::image::DataType type = numerics::image::DataType::kFloat;
  bool sampled = false;  // with `sampler`
  numerics::image::Sampler sampler;
  bool integers = false;  // the coordinates are
  std::uint32_t count = 0;
};

// The bytes of the image's elements.
std::size_t TexelBytes(const ImageRequest& request);

// kAbilities: CL_DEVICE_* of the same names, 0 where the device does not say.
enum class ImageAbility : std::uint8_t {
  kImageSupport,
  kIsGpu,
  kMax2DWidth,
  kMax2DHeight,
  kMax3DWidth,
  kMax3DHeight,
  kMax3DDepth,
  kMaxArraySize,
  kMaxBufferSize,
  kMaxSamplers,
  kMaxReadArgs,
  kMaxWriteArgs,
  kWrites3D,  // cl_khr_3d_image_writes, or the feature of OpenCL C 3.0
  kVersion,   // CL_DEVICE_VERSION: 120, 300; 0 where it is no version
};
inline constexpr std::size_t kAbilityCount = 14;

// kQuery: what the kernel's built-ins say, then clGetImageInfo.
enum class ImageQuestion : std::uint8_t {
  kKernelWidth,
  kKernelHeight,  // 0 where the shape has none, and so below
  kKernelDepth,
  kKernelLayers,
  kKernelOrder,  // CLK_* number
  kKernelType,
  kKernelDimX,  // get_image_dim
  kKernelDimY,
  kKernelDimZ,
  kHostElementSize,
  kHostWidth,
  kHostHeight,
  kHostDepth,
  kHostLayers,
  kHostOrder,
  kHostType,
};
inline constexpr std::size_t kQueryCount = 16;

// One operand or result of a request.
using ImageInputs = std::span<const std::span<const std::byte>>;
using ImageOutputs = std::span<const std::span<std::byte>>;

// The sizes of a request's operands and results in bytes.
struct ImageOperands {
  std::vector<std::size_t> inputs, outputs;
};
inline constexpr std::size_t kMostFormats = 1024;
ImageOperands OperandsOf(const ImageRequest& request);

// A device that has images.
class AnswersImages {
 public:
  // One request, independent of tasks.  The operands have the sizes of OperandsOf; the outputs hold
  // poison on entry.  kUnsupported: the device has no such image.
  virtual Expected<void> AskImages(const ImageRequest& request, ImageInputs inputs,
                                   ImageOutputs outputs) = 0;

 protected:
  ~AnswersImages() = default;
};

nlohmann::json ToJson(const ImageRequest& request);
// kInternal where it is no request, or one that no image can have: a size that is 0 or too large, a
// format without a layout.
Expected<ImageRequest> ImageRequestFromJson(const nlohmann::json& json);

}  // namespace assay::oracle
