#include "oracle/devices/image_kernels.h"

#include <fmt/format.h>

namespace assay::oracle {
namespace {

using numerics::image::ChannelOrder;
using numerics::image::DataType;

// "image2d_array_depth_t".
std::string ImageType(const ImageRequest& request) {
  constexpr std::string_view kNames[] = {"1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"};
  return fmt::format("image{}{}_t", kNames[static_cast<int>(request.shape)],
                     IsDepth(request) ? "_depth" : "");
}

// The part of a vector of four coordinates that the shape takes.
std::string_view CoordinateSuffix(ImageShape shape) {
  switch (shape) {
    case ImageShape::k1D:
    case ImageShape::k1DBuffer:
      return ".x";
    case ImageShape::k1DArray:
    case ImageShape::k2D:
      return ".xy";
    case ImageShape::k2DArray:
    case ImageShape::k3D:
      break;
  }
  return "";
}

// "f", "i", "ui", and the vector of four of it.
std::string_view FunctionSuffix(DataType type) {
  constexpr std::string_view kSuffixes[] = {"f", "h", "i", "ui"};
  return kSuffixes[static_cast<int>(type)];
}
std::string_view ColorVector(DataType type) {
  constexpr std::string_view kVectors[] = {"float4", "half4", "int4", "uint4"};
  return kVectors[static_cast<int>(type)];
}

constexpr std::string_view kExtensions =
    "#ifdef cl_khr_depth_images\n"
    "#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n"
    "#endif\n"
    "#ifdef cl_khr_3d_image_writes\n"
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "#endif\n";

std::string ReadSource(const ImageRequest& request) {
  const std::string call =
      fmt::format("read_image{}(image, {}at[i]{})", FunctionSuffix(request.type),
                  request.sampled ? "sampler, " : "", CoordinateSuffix(request.shape));
  const std::string store = IsDepth(request)
                                ? fmt::format("out[4 * (first + i)] = as_uint({});", call)
                                : fmt::format("vstore4(as_uint4({}), first + i, out);", call);
  return fmt::format(
      "__kernel void ask(__read_only {} image, {}__global const {}4 *at, __global uint *out,\n"
      "                  uint first, uint count) {{\n"
      "  size_t i = get_global_id(0);\n"
      "  if (i < count) {}\n"
      "}}\n",
      ImageType(request), request.sampled ? "sampler_t sampler, " : "",
      request.integers ? "int" : "float", store);
}

std::string WriteSource(const ImageRequest& request) {
  return fmt::format(
      "__kernel void ask(__write_only {} image, __global const int4 *at,\n"
      "                  __global const {} *colors, uint count) {{\n"
      "  size_t i = get_global_id(0);\n"
      "  if (i < count) write_image{}(image, at[i]{}, colors[i]{});\n"
      "}}\n",
      ImageType(request), ColorVector(request.type), FunctionSuffix(request.type),
      CoordinateSuffix(request.shape), IsDepth(request) ? ".x" : "");
}

std::string QuerySource(const ImageRequest& request) {
  const int dimensions = DimensionsOf(request.shape);
  std::string text = fmt::format(
      "__kernel void ask(__read_only {} image, __global uint *out) {{\n"
      "  out[0] = (uint)get_image_width(image);\n",
      ImageType(request));
  const auto add = [&](ImageQuestion question, std::string_view value) {
    text += fmt::format("  out[{}] = {};\n", static_cast<int>(question), value);
  };
  add(ImageQuestion::kKernelHeight, dimensions > 1 ? "(uint)get_image_height(image)" : "0");
  add(ImageQuestion::kKernelDepth, dimensions > 2 ? "(uint)get_image_depth(image)" : "0");
  add(ImageQuestion::kKernelLayers,
      IsArray(request.shape) ? "(uint)get_image_array_size(image)" : "0");
  add(ImageQuestion::kKernelOrder, "(uint)get_image_channel_order(image)");
  add(ImageQuestion::kKernelType, "(uint)get_image_channel_data_type(image)");
  add(ImageQuestion::kKernelDimX, dimensions > 1 ? "(uint)get_image_dim(image).x" : "0");
  add(ImageQuestion::kKernelDimY, dimensions > 1 ? "(uint)get_image_dim(image).y" : "0");
  add(ImageQuestion::kKernelDimZ, dimensions > 2 ? "(uint)get_image_dim(image).z" : "0");
  return text + "}\n";
}

}  // namespace

bool IsDepth(const ImageRequest& request) { return request.format.order == ChannelOrder::kDepth; }

ImageKernel ImageKernelFor(const ImageRequest& request) {
  std::string source(kExtensions);
  source += request.op == ImageOp::kWrite   ? WriteSource(request)
            : request.op == ImageOp::kQuery ? QuerySource(request)
                                            : ReadSource(request);
  return {source, "ask"};
}

}  // namespace assay::oracle
