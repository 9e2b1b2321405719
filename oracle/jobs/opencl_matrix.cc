#include "oracle/jobs/opencl_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"

namespace assay::oracle {
namespace {

constexpr cl_uint kDefaultSubGroupVariants = 0x1078;
constexpr cl_device_info kSpirvExtensions = 0x12BA;  // CL_DEVICE_SPIRV_EXTENSIONS_KHR
constexpr std::size_t kMostVariants = 4096;

// cl_device_cooperative_matrix_variant_khr
struct Variant {
  cl_uint m, n, k;
  cl_uint a, b, c, result;
  cl_bool saturates;
};

// By cl_device_cooperative_matrix_component_type_khr.
constexpr std::string_view kComponentNames[] = {"f16", "f32", "f64", "s8",  "s16", "s32",
                                                "s64", "u8",  "u16", "u32", "u64"};

using GetMatrixInfo = cl_int(CL_API_CALL*)(cl_device_id, cl_uint, std::size_t, const void*,
                                           std::size_t, void*, std::size_t*);

std::string ComponentName(cl_uint type) {
  return type < std::size(kComponentNames) ? std::string(kComponentNames[type])
                                           : fmt::format("type{}", type);
}

// Nothing where the device does not know the question.
std::vector<std::string> SpirvExtensionsOf(const OpenClApi& api, cl_device_id device) {
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, kSpirvExtensions, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::vector<const char*> names(size / sizeof(const char*));
  if (names.empty() || api.clGetDeviceInfo(device, kSpirvExtensions, names.size() * sizeof names[0],
                                           names.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  std::vector<std::string> extensions;
  for (const char* name : names) {
    if (name != nullptr) extensions.emplace_back(name);
  }
  return extensions;
}

}  // namespace

Expected<DeclaredMatrixTiles> DeclaredMatrices(const std::string& selector) {
  const auto api = OpenClApi::Open();
  if (!api) return tl::unexpected<Error>(api.error());
  const auto info = SelectOpenClDevice(**api, selector);
  if (!info) return tl::unexpected<Error>(info.error());
  DeclaredMatrixTiles declared;
  declared.device = info->description.name;
  declared.driver = info->description.driver_version;
  void* const function = (*api)->clGetExtensionFunctionAddressForPlatform == nullptr
                             ? nullptr
                             : (*api)->clGetExtensionFunctionAddressForPlatform(
                                   info->platform, "clGetDeviceCooperativeMatrixInfoKHR");
  declared.spirv_extensions = SpirvExtensionsOf(**api, info->device);
  if (function == nullptr) return declared;
  const auto get = reinterpret_cast<GetMatrixInfo>(function);
  const auto check = [&](cl_int status, std::size_t size) -> Expected<void> {
    if (status == CL_SUCCESS && size % sizeof(Variant) == 0 &&
        size / sizeof(Variant) <= kMostVariants) {
      return {};
    }
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: clGetDeviceCooperativeMatrixInfoKHR gave {} and {} bytes",
                            declared.device, OpenClErrorName(status), size));
  };
  std::size_t size = 0;
  cl_int status = get(info->device, kDefaultSubGroupVariants, 0, nullptr, 0, nullptr, &size);
  if (auto checked = check(status, size); !checked) return tl::unexpected<Error>(checked.error());
  std::vector<Variant> variants(size / sizeof(Variant));
  if (!variants.empty()) {
    status = get(info->device, kDefaultSubGroupVariants, 0, nullptr, size, variants.data(), &size);
    if (auto checked = check(status, size); !checked) return tl::unexpected<Error>(checked.error());
  }
  for (const Variant& variant : variants) {
    const bool is_plain =
        variant.a == variant.b && variant.c == variant.result && variant.saturates == CL_FALSE;
    MatrixTile tile{ComponentName(variant.a), ComponentName(variant.c), static_cast<int>(variant.m),
                    static_cast<int>(variant.n), static_cast<int>(variant.k)};
    if (is_plain) {
      declared.tiles.push_back(std::move(tile));
    } else {
      declared.left_out.push_back(fmt::format("{}-{}-{}-{}-{}x{}x{}{}", tile.input,
                                              ComponentName(variant.b), tile.accumulator,
                                              ComponentName(variant.result), tile.m, tile.n, tile.k,
                                              variant.saturates == CL_FALSE ? "" : "-saturating"));
    }
  }
  return declared;
}

}  // namespace assay::oracle
