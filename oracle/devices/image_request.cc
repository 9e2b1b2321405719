#include "oracle/devices/image_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "oracle/devices/request_json.h"

namespace assay::oracle {
namespace {

using nlohmann::json;
using numerics::image::AddressMode;
using numerics::image::ChannelOrder;
using numerics::image::DataType;
using numerics::image::FilterMode;

// No request of assay is larger.
constexpr std::uint64_t kMostTexels = std::uint64_t{1} << 24;
constexpr std::uint32_t kMostReads = 1U << 24;
constexpr std::size_t kColorBytes = 16;

ImageRequest ReadRequest(const json& j) {
  ImageRequest request;
  request.op = EnumFrom(j.at("op"), ImageOp::kQuery);
  request.shape = EnumFrom(j.at("shape"), ImageShape::k3D);
  request.write = j.at("write").get<bool>();
  request.format.order = EnumFrom(j.at("order"), ChannelOrder::kABGR);
  request.format.type = EnumFrom(j.at("channel_type"), numerics::image::ChannelType::kUnormInt14X2);
  request.size = j.at("size").get<std::array<std::uint32_t, 3>>();
  request.layers = j.at("layers").get<std::uint32_t>();
  request.type = EnumFrom(j.at("type"), DataType::kUint);
  request.sampled = j.at("sampled").get<bool>();
  request.sampler.address = EnumFrom(j.at("address"), AddressMode::kMirroredRepeat);
  request.sampler.filter = EnumFrom(j.at("filter"), FilterMode::kLinear);
  request.sampler.normalized = j.at("normalized").get<bool>();
  request.integers = j.at("integers").get<bool>();
  request.count = j.at("count").get<std::uint32_t>();
  return request;
}

Expected<ImageRequest> Checked(const ImageRequest& request) {
  const auto bad = [](std::string_view what) {
    return Fail(ErrorKind::kInternal, fmt::format("assay serve: an image request with {}", what));
  };
  const auto& types = numerics::image::kAllChannelTypes;
  if (std::find(types.begin(), types.end(), request.format.type) == types.end() ||
      !numerics::image::LayoutOf(request.format)) {
    return bad("a format that has no layout");
  }
  std::uint64_t texels = 1;
  for (const std::uint32_t side :
       {request.size[0], request.size[1], request.size[2], request.layers}) {
    if (side == 0 || side > kMostTexels) return bad("a size that is 0 or too large");
    texels *= side;
    if (texels > kMostTexels) return bad("too many elements");
  }
  if (request.count > kMostReads) return bad("too many reads");
  return request;
}

}  // namespace

std::string_view ImageShapeName(ImageShape shape) {
  constexpr std::string_view kNames[] = {"1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"};
  return kNames[static_cast<int>(shape)];
}

int DimensionsOf(ImageShape shape) {
  if (shape == ImageShape::k3D) return 3;
  return shape == ImageShape::k2D || shape == ImageShape::k2DArray ? 2 : 1;
}

bool IsArray(ImageShape shape) {
  return shape == ImageShape::k1DArray || shape == ImageShape::k2DArray;
}

std::size_t TexelBytes(const ImageRequest& request) {
  const auto layout = numerics::image::LayoutOf(request.format);
  return std::size_t{request.size[0]} * request.size[1] * request.size[2] * request.layers *
         static_cast<std::size_t>(layout ? layout->bytes : 0);
}

ImageOperands OperandsOf(const ImageRequest& request) {
  const std::size_t colors = request.count * kColorBytes;
  switch (request.op) {
    case ImageOp::kAbilities:
      return {{}, {kAbilityCount * sizeof(std::uint64_t)}};
    case ImageOp::kFormats:
      return {{}, {(1 + 2 * kMostFormats) * sizeof(std::uint32_t)}};
    case ImageOp::kRead:
      return {{TexelBytes(request), colors}, {colors}};
    case ImageOp::kWrite:
      return {{colors, colors}, {TexelBytes(request)}};
    case ImageOp::kQuery:
      return {{}, {kQueryCount * sizeof(std::uint32_t)}};
  }
  return {};
}

json ToJson(const ImageRequest& request) {
  return {{"op", static_cast<int>(request.op)},
          {"shape", static_cast<int>(request.shape)},
          {"write", request.write},
          {"order", static_cast<int>(request.format.order)},
          {"channel_type", static_cast<int>(request.format.type)},
          {"size", request.size},
          {"layers", request.layers},
          {"type", static_cast<int>(request.type)},
          {"sampled", request.sampled},
          {"address", static_cast<int>(request.sampler.address)},
          {"filter", static_cast<int>(request.sampler.filter)},
          {"normalized", request.sampler.normalized},
          {"integers", request.integers},
          {"count", request.count}};
}

Expected<ImageRequest> ImageRequestFromJson(const json& j) {
  try {
    return Checked(ReadRequest(j));
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kInternal,
                fmt::format("assay serve: no image request: {}", error.what()));
  }
}

}  // namespace assay::oracle
