#include "oracle/devices/opencl_spirv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "oracle/devices/opencl_query.h"

namespace assay::oracle {
namespace {

// CL_DEVICE_IL_VERSION, and that of cl_khr_il_program: they have the same number.
constexpr cl_device_info kIlVersion = 0x105B;

OpenClQuery QueryOf(const OpenClApi& api, const OpenClDeviceInfo& info) {
  return {
      info.selector, "clGetDeviceInfo",
      [&api, device = info.device](cl_uint what, std::size_t size, void* value, std::size_t* ret) {
        return api.clGetDeviceInfo(device, what, size, value, ret);
      }};
}

// "" where the device does not know the question.
Expected<std::string> IlVersionOf(const OpenClApi& api, const OpenClDeviceInfo& info) {
  OpenClQuery query = QueryOf(api, info);
  std::string versions =
      query.Knows(kIlVersion) ? query.Text(kIlVersion, "CL_DEVICE_IL_VERSION") : "";
  if (query.error()) return tl::unexpected<Error>(*query.error());
  return versions;
}

}  // namespace

std::optional<std::uint32_t> NewestSpirv(std::string_view il_version) {
  constexpr std::string_view kPrefix = "SPIR-V_1.";
  std::optional<std::uint32_t> newest;
  for (std::size_t at = il_version.find(kPrefix); at != std::string_view::npos;
       at = il_version.find(kPrefix, at + 1)) {
    const std::string_view minor = il_version.substr(at + kPrefix.size());
    if (minor.empty() || std::isdigit(static_cast<unsigned char>(minor[0])) == 0) continue;
    if (minor.size() > 1 && std::isdigit(static_cast<unsigned char>(minor[1])) != 0) continue;
    newest = std::max(newest.value_or(0), 0x100 + static_cast<std::uint32_t>(minor[0] - '0'));
  }
  return newest;
}

// A driver's table of calls ends with those of its version: others must not be called.
Expected<SpirvSupport> SpirvSupportOf(const OpenClApi& api, const OpenClDeviceInfo& info) {
  const auto versions = IlVersionOf(api, info);
  if (!versions) return tl::unexpected<Error>(versions.error());
  const auto newest = NewestSpirv(*versions);
  if (!newest) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} takes no SPIR-V: CL_DEVICE_IL_VERSION is \"{}\"; its driver is "
                            "given OpenCL C only",
                            info.selector, *versions));
  }
  OpenClQuery query = QueryOf(api, info);
  const auto bits = query.Value<cl_uint>(CL_DEVICE_ADDRESS_BITS, "CL_DEVICE_ADDRESS_BITS");
  if (bits != 32 && bits != 64) {
    query.Refuse("CL_DEVICE_ADDRESS_BITS", fmt::format("gave {}", bits));
  }
  if (query.error()) return tl::unexpected<Error>(*query.error());
  SpirvSupport support;
  // Nothing newer is known here; a device takes older modules, too.
  support.target = {.version = std::min(*newest, 0x106u), .address_bits = static_cast<int>(bits)};
  if (info.version >= 210) {
    support.create = api.clCreateProgramWithIL;
  } else if (api.clGetExtensionFunctionAddressForPlatform != nullptr) {
    support.create = reinterpret_cast<SpirvSupport::CreateCall>(
        api.clGetExtensionFunctionAddressForPlatform(info.platform, "clCreateProgramWithILKHR"));
  }
  if (support.create == nullptr) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} names \"{}\", but there is no clCreateProgramWithIL: the OpenCL "
                            "loader, libOpenCL.so.1, is older than OpenCL 2.1, or the driver is",
                            info.selector, *versions));
  }
  support.has_constants = info.version >= 220 && api.clSetProgramSpecializationConstant != nullptr;
  return support;
}

std::string SpirvSupport::Name() const {
  return fmt::format("SPIR-V {}.{}", target.version >> 8, target.version & 0xff);
}

Expected<std::optional<SpirvSupport>> SpirvToGive(const OpenClApi& api,
                                                  const OpenClDeviceInfo& info,
                                                  std::optional<ProgramForm> asked) {
  using Given = std::optional<SpirvSupport>;
  if (asked == ProgramForm::kSpirv) {
    return SpirvSupportOf(api, info).map(
        [](const SpirvSupport& support) -> Given { return support; });
  }
  OpenClQuery query = QueryOf(api, info);
  const bool compiles =
      query.ValueIfKnown<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE, "CL_DEVICE_COMPILER_AVAILABLE")
          .value_or(CL_TRUE) != CL_FALSE;
  if (query.error()) return tl::unexpected<Error>(*query.error());
  if (compiles) return Given();
  const std::string none =
      fmt::format("{} compiles no OpenCL C (CL_DEVICE_COMPILER_AVAILABLE is false)", info.selector);
  const auto support = SpirvSupportOf(api, info);
  if (!support && support.error().kind != ErrorKind::kUnsupported) {
    return tl::unexpected<Error>(support.error());
  }
  if (!support) {
    return Fail(ErrorKind::kUnsupported, fmt::format("{}, and {}", none, support.error().message));
  }
  if (asked == ProgramForm::kSource) {
    return Fail(ErrorKind::kUnsupported,
                none + "; it takes SPIR-V: leave out --program source, or say --program spirv");
  }
  return Given(*support);
}

Expected<cl_program> CreateProgramOfWords(const SpirvSupport& support, const OpenClDeviceInfo& info,
                                          cl_context context, std::span<const std::uint32_t> words,
                                          std::string_view name) {
  cl_int status = CL_SUCCESS;
  cl_program program = support.create(context, words.data(), words.size_bytes(), &status);
  if (status == CL_SUCCESS && program != nullptr) return program;
  return Fail(ErrorKind::kDevice, fmt::format("{} did not take {}: clCreateProgramWithIL: {}",
                                              info.selector, name, OpenClErrorName(status)));
}

}  // namespace assay::oracle
