#include "layer/image_words.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "layer/follow.h"

namespace assay::layer {

namespace {

template <std::size_t count>
std::string_view Find(const std::pair<cl_uint, const char*> (&names)[count], cl_uint value) {
  for (const auto& [number, name] : names) {
    if (number == value) return name;
  }
  return "";
}

constexpr std::pair<cl_uint, const char*> kOrders[] = {{CL_R, "R"},
                                                       {CL_A, "A"},
                                                       {CL_RG, "RG"},
                                                       {CL_RA, "RA"},
                                                       {CL_RGB, "RGB"},
                                                       {CL_RGBA, "RGBA"},
                                                       {CL_BGRA, "BGRA"},
                                                       {CL_ARGB, "ARGB"},
                                                       {CL_ABGR, "ABGR"},
                                                       {CL_INTENSITY, "INTENSITY"},
                                                       {CL_LUMINANCE, "LUMINANCE"},
                                                       {CL_DEPTH, "DEPTH"},
                                                       {CL_sRGBA, "sRGBA"},
                                                       {CL_sBGRA, "sBGRA"},
                                                       {CL_Rx, "Rx"},
                                                       {CL_RGx, "RGx"},
                                                       {CL_RGBx, "RGBx"},
                                                       {CL_sRGBx, "sRGBx"}};

constexpr std::pair<cl_uint, const char*> kTypes[] = {{CL_SNORM_INT8, "SNORM_INT8"},
                                                      {CL_SNORM_INT16, "SNORM_INT16"},
                                                      {CL_UNORM_INT8, "UNORM_INT8"},
                                                      {CL_UNORM_INT16, "UNORM_INT16"},
                                                      {CL_UNORM_SHORT_565, "UNORM_SHORT_565"},
                                                      {CL_UNORM_SHORT_555, "UNORM_SHORT_555"},
                                                      {CL_UNORM_INT_101010, "UNORM_INT_101010"},
                                                      {CL_UNORM_INT_101010_2, "UNORM_INT_101010_2"},
                                                      {CL_SIGNED_INT8, "SIGNED_INT8"},
                                                      {CL_SIGNED_INT16, "SIGNED_INT16"},
                                                      {CL_SIGNED_INT32, "SIGNED_INT32"},
                                                      {CL_UNSIGNED_INT8, "UNSIGNED_INT8"},
                                                      {CL_UNSIGNED_INT16, "UNSIGNED_INT16"},
                                                      {CL_UNSIGNED_INT32, "UNSIGNED_INT32"},
                                                      {CL_HALF_FLOAT, "HALF_FLOAT"},
                                                      {CL_FLOAT, "FLOAT"}};

constexpr std::pair<cl_uint, const char*> kShapes[] = {{CL_MEM_OBJECT_IMAGE1D, "1d"},
                                                       {CL_MEM_OBJECT_IMAGE1D_ARRAY, "1d_array"},
                                                       {CL_MEM_OBJECT_IMAGE2D, "2d"},
                                                       {CL_MEM_OBJECT_IMAGE2D_ARRAY, "2d_array"},
                                                       {CL_MEM_OBJECT_IMAGE3D, "3d"}};

constexpr std::pair<cl_uint, const char*> kAddresses[] = {
    {CL_ADDRESS_NONE, "none"},
    {CL_ADDRESS_CLAMP_TO_EDGE, "clamp_to_edge"},
    {CL_ADDRESS_CLAMP, "clamp"},
    {CL_ADDRESS_REPEAT, "repeat"},
    {CL_ADDRESS_MIRRORED_REPEAT, "mirrored_repeat"}};

}  // namespace

std::string_view OrderName(cl_channel_order order) { return Find(kOrders, order); }
std::string_view TypeName(cl_channel_type type) { return Find(kTypes, type); }
std::string_view ShapeName(cl_mem_object_type type) { return Find(kShapes, type); }

std::string_view AccessName(cl_mem_flags flags) {
  if ((flags & CL_MEM_READ_ONLY) != 0) return "read_only";
  return (flags & CL_MEM_WRITE_ONLY) != 0 ? "write_only" : "read_write";
}

int DimensionsOf(cl_mem_object_type type) {
  if (type == CL_MEM_OBJECT_IMAGE3D) return 3;
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 2 : 1;
}

nlohmann::ordered_json SamplerDescription(cl_sampler sampler) {
  const auto& info = *Target(sampler).clGetSamplerInfo;
  cl_bool normalized = CL_FALSE;
  cl_addressing_mode address = 0;
  cl_filter_mode filter = 0;
  cl_int status =
      info(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, nullptr);
  status |= info(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof address, &address, nullptr);
  status |= info(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, nullptr);
  const std::string_view name = Find(kAddresses, address);
  if (status != CL_SUCCESS || name.empty()) return nullptr;
  return {{"address", name},
          {"filter", filter == CL_FILTER_LINEAR ? "linear" : "nearest"},
          {"normalized", normalized != CL_FALSE}};
}

}  // namespace assay::layer
