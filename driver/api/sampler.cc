// Samplers (OpenCL API, "Sampler Objects").
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/core/info.h"
#include "driver/objects/memory.h"

namespace assay::driver::api {

namespace {

namespace ni = numerics::image;

ni::AddressMode ReadAddressMode(cl_sampler_properties value) {
  // The API's numbers are SPIR-V's from CL_ADDRESS_NONE on.
  if (value < CL_ADDRESS_NONE || value > CL_ADDRESS_MIRRORED_REPEAT) {
    Refuse(CL_INVALID_VALUE, fmt::format("{:#x} is no addressing mode (CL_ADDRESS_*)", value));
  }
  return static_cast<ni::AddressMode>(value - CL_ADDRESS_NONE);
}
ni::FilterMode ReadFilterMode(cl_sampler_properties value) {
  if (value != CL_FILTER_NEAREST && value != CL_FILTER_LINEAR) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("{:#x} is neither CL_FILTER_NEAREST nor CL_FILTER_LINEAR", value));
  }
  return value == CL_FILTER_LINEAR ? ni::FilterMode::kLinear : ni::FilterMode::kNearest;
}
bool ReadBool(cl_sampler_properties value) {
  if (value != CL_TRUE && value != CL_FALSE) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("normalized_coords is {:#x}, neither CL_TRUE nor CL_FALSE", value));
  }
  return value == CL_TRUE;
}

// cl_khr_mipmap_image: the bits of a float, in a property's lower half.
float ReadLevelOfDetail(cl_sampler_properties value) {
  RefuseIf(value > 0xffffffff, CL_INVALID_VALUE,
           "a level of detail is no float (it has more than 32 bits)");
  return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}

// Of a null pointer the defaults.
interp::SamplerDescriptor ReadProperties(const cl_sampler_properties* given,
                                         std::vector<cl_sampler_properties>* kept) {
  interp::SamplerDescriptor made;
  made.sampler = {
      .address = ni::AddressMode::kClamp, .filter = ni::FilterMode::kNearest, .normalized = true};
  if (given == nullptr) return made;
  std::set<cl_sampler_properties> seen;
  for (; *given != 0; given += 2) {
    const cl_sampler_properties name = given[0];
    const cl_sampler_properties value = given[1];
    if (!seen.insert(name).second)
      Refuse(CL_INVALID_VALUE, fmt::format("property {:#x} is given twice", name));
    switch (name) {
      case CL_SAMPLER_NORMALIZED_COORDS:
        made.sampler.normalized = ReadBool(value);
        break;
      case CL_SAMPLER_ADDRESSING_MODE:
        made.sampler.address = ReadAddressMode(value);
        break;
      case CL_SAMPLER_FILTER_MODE:
        made.sampler.filter = ReadFilterMode(value);
        break;
      case CL_SAMPLER_MIP_FILTER_MODE_KHR:
        made.mip.mode = ReadFilterMode(value);
        break;
      case CL_SAMPLER_LOD_MIN_KHR:
        made.mip.lod_min = ReadLevelOfDetail(value);
        break;
      case CL_SAMPLER_LOD_MAX_KHR:
        made.mip.lod_max = ReadLevelOfDetail(value);
        break;
      default:
        Refuse(CL_INVALID_VALUE, fmt::format("{:#x} is no property of samplers", name));
    }
    kept->insert(kept->end(), {name, value});
  }
  kept->push_back(0);
  if (const auto good = interp::CheckSampler(made); !good)
    Refuse(CL_INVALID_VALUE, good.error().message);
  return made;
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized,
                                       cl_addressing_mode address, cl_filter_mode filter,
                                       cl_int* errcode_ret) {
  return Create<cl_sampler>("clCreateSampler", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    interp::SamplerDescriptor made;
    made.sampler = {.address = ReadAddressMode(address),
                    .filter = ReadFilterMode(filter),
                    .normalized = ReadBool(normalized)};
    return new Sampler(&in, made);
  });
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                     const cl_sampler_properties* properties,
                                                     cl_int* errcode_ret) {
  return Create<cl_sampler>("clCreateSamplerWithProperties", errcode_ret, [&](Call& call) {
    auto& in = call.Find<Context>(context);
    std::vector<cl_sampler_properties> kept;
    const interp::SamplerDescriptor made = ReadProperties(properties, &kept);
    auto* sampler = new Sampler(&in, made);
    sampler->properties = std::move(kept);
    return sampler;
  });
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler) {
  return Enter("clRetainSampler", [&](Call& call) { call.Find<Sampler>(sampler).Retain(); });
}
cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) {
  return Enter("clReleaseSampler", [&](Call& call) { call.Release<Sampler>(sampler); });
}

cl_filter_mode ToApi(ni::FilterMode mode) {
  return mode == ni::FilterMode::kLinear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler handle, cl_sampler_info name, size_t size,
                                    void* value, size_t* size_ret) {
  return Enter("clGetSamplerInfo", [&](Call& call) {
    const Sampler& object = call.Find<Sampler>(handle);
    const auto& [sampler, mip] = object.sampler;
    const Info info(size, value, size_ret);
    switch (name) {
      case CL_SAMPLER_REFERENCE_COUNT:
        return info.Put<cl_uint>(object.references());
      case CL_SAMPLER_CONTEXT:
        return info.Put(driver::ToApi<cl_context>(object.context.get()));
      case CL_SAMPLER_NORMALIZED_COORDS:
        return info.Put<cl_bool>(sampler.normalized ? CL_TRUE : CL_FALSE);
      case CL_SAMPLER_ADDRESSING_MODE:
        return info.Put(CL_ADDRESS_NONE + static_cast<cl_addressing_mode>(sampler.address));
      case CL_SAMPLER_FILTER_MODE:
        return info.Put(ToApi(sampler.filter));
      case CL_SAMPLER_MIP_FILTER_MODE_KHR:
        return info.Put(ToApi(mip.mode));
      case CL_SAMPLER_LOD_MIN_KHR:
        return info.Put<cl_float>(mip.lod_min);
      case CL_SAMPLER_LOD_MAX_KHR:
        return info.Put<cl_float>(mip.lod_max);
      case CL_SAMPLER_PROPERTIES:
        return info.PutAll<cl_sampler_properties>(object.properties);
      default:
        Info::Unknown();
    }
  });
}

}  // namespace

void AddSampler(Entries* entries) {
  ASSAY_ENTRY(clCreateSampler);
  ASSAY_ENTRY(clCreateSamplerWithProperties);
  ASSAY_ENTRY(clRetainSampler);
  ASSAY_ENTRY(clReleaseSampler);
  ASSAY_ENTRY(clGetSamplerInfo);
}

}  // namespace assay::driver::api
