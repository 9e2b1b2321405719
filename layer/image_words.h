// Image formats and samplers in the words of job files (docs/cli.md, "Images").
#pragma once

#include <CL/cl.h>

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace assay::layer {

// "" for one that jobs do not have.
std::string_view OrderName(cl_channel_order order);
std::string_view TypeName(cl_channel_type type);
std::string_view ShapeName(cl_mem_object_type type);
std::string_view AccessName(cl_mem_flags flags);
int DimensionsOf(cl_mem_object_type type);  // of its "size"

// By clGetSamplerInfo; null where the driver does not say.
nlohmann::ordered_json SamplerDescription(cl_sampler sampler);

}  // namespace assay::layer
