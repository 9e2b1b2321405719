// SPIR-V as the programs of an OpenCL device.  API specification, 5.8.1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "oracle/devices/device.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/devices/spirv_writer.h"

namespace assay::oracle {

// What a device declares of SPIR-V, and the call that takes it.
struct SpirvSupport {
  using CreateCall = cl_program(CL_API_CALL*)(cl_context, const void*, std::size_t, cl_int*);
  CreateCall create = nullptr;  // clCreateProgramWithIL, or that of cl_khr_il_program
  bool has_constants = false;   // clSetProgramSpecializationConstant may be called
  SpirvTarget target;           // the newest version, and the size of addresses

  std::string Name() const;  // "SPIR-V 1.5"
};

// kUnsupported where the device takes no SPIR-V, or where the call is missing.
Expected<SpirvSupport> SpirvSupportOf(const OpenClApi& api, const OpenClDeviceInfo& info);

// The newest "SPIR-V_1.N" of CL_DEVICE_IL_VERSION as 0x10N; nothing where there is none.
std::optional<std::uint32_t> NewestSpirv(std::string_view il_version);

// What is given to the device as SPIR-V; nothing where it is given source.  As asked; by itself
// source, or SPIR-V where the device declares no compiler (CL_DEVICE_COMPILER_AVAILABLE) and takes
// SPIR-V.  kUnsupported where the device does not take what is asked.
Expected<std::optional<SpirvSupport>> SpirvToGive(const OpenClApi& api,
                                                  const OpenClDeviceInfo& info,
                                                  std::optional<ProgramForm> asked);

// A program that is not built yet; the caller releases it.  `name` is for messages.
Expected<cl_program> CreateProgramOfWords(const SpirvSupport& support, const OpenClDeviceInfo& info,
                                          cl_context context, std::span<const std::uint32_t> words,
                                          std::string_view name);

}  // namespace assay::oracle
