// SPIR-V modules as programs of an OpenCL device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/expected.h"
#include "frontend/constants.h"
#include "frontend/grammar.h"
#include "frontend/loader.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"

namespace assay::oracle {

// A program that is not built yet, by clCreateProgramWithIL of OpenCL 2.1 or that of
// cl_khr_il_program; the caller releases it.  Values of specialization constants are given to it by
// clSetProgramSpecializationConstant of OpenCL 2.2.  kUnsupported where the device takes no SPIR-V
// or has no such call, kUsage for a SpecId that the module does not have.
Expected<cl_program> CreateProgramWithIl(const OpenClApi& api, const OpenClDeviceInfo& info,
                                         cl_context context, const frontend::Binary& module,
                                         const frontend::Specialization& constants);

// How many bytes the host gives for the specialization constant with this SpecId: 1 for a boolean,
// 0 where the module has none.
std::size_t SpecializationConstantBytes(const frontend::Binary& module, std::uint32_t spec_id);

// The parameters of kernels that are images, with the access qualifier of their OpTypeImage, by the
// kernel's name and the place of the parameter; without those whose type has no qualifier.
using ImageParameters = std::map<std::pair<std::string, std::size_t>, frontend::AccessQualifier>;
ImageParameters ImageParametersOf(const frontend::Binary& module);

}  // namespace assay::oracle
