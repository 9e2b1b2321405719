// What the device declares: extensions, optional features of OpenCL C, versions.  Each row is
// something that works; compilers and interpreter decide it.
#pragma once

#include <CL/cl.h>

#include <span>
#include <string>

namespace assay::driver {

std::span<const cl_name_version> Extensions();
std::string ExtensionNames();  // separated by spaces
// CL_DEVICE_OPENCL_C_FEATURES: "__opencl_c_images", ...
std::span<const cl_name_version> OpenClCFeatures();
std::span<const cl_name_version> OpenClCVersions();
std::span<const cl_name_version> IlVersions();  // SPIR-V
std::string IlVersionNames();
// CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, _EXTENSIONS and _CAPABILITIES.
std::span<const char* const> SpirvInstructionSets();
std::span<const char* const> SpirvExtensions();
std::span<const cl_uint> SpirvCapabilities();

}  // namespace assay::driver
