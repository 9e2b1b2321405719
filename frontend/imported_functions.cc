#include "frontend/imported_functions.h"

#include <cstddef>

namespace assay::frontend {

std::string_view UnmangledName(std::string_view name) {
  if (!name.starts_with("_Z")) return "";
  std::size_t length = 0;
  std::size_t at = 2;
  for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && at < 6; ++at) {
    length = length * 10 + static_cast<std::size_t>(name[at] - '0');
  }
  return name.substr(at, length);
}

std::optional<OpenClStd> FindOpenClFunction(std::string_view unmangled) {
  constexpr std::string_view kBegin = "__spirv_ocl_";
  constexpr std::uint32_t kEnd = 256;  // beyond the set's numbers
  if (!unmangled.starts_with(kBegin)) return std::nullopt;
  for (std::uint32_t number = 0; number < kEnd; ++number) {
    const auto rule = FindInstruction(ExtendedSet::kOpenClStd, number);
    if (rule && rule->name == unmangled.substr(kBegin.size())) return OpenClStd{number};
  }
  return std::nullopt;
}

ImportedFunction FindImportedFunction(std::string_view name) {
  if (name == "__devicelib_assert_fail") return ImportedFunction::kAssert;
  // Only what has several types is mangled.
  const std::string_view unmangled = UnmangledName(name);
  if (unmangled == "get_image_channel_order" || unmangled == "read_imageh") {
    return ImportedFunction::kImage;
  }
  if (unmangled == "__spirv_SubgroupMatrixMultiplyAccumulateINTEL") {
    return ImportedFunction::kMatrixInstruction;
  }
  if (FindDeviceFunction(name)) return ImportedFunction::kDevice;
  if (FindOpenClFunction(unmangled)) return ImportedFunction::kOpenCl;
  return FindMatrixFunction(unmangled) ? ImportedFunction::kMatrix : ImportedFunction::kNone;
}

}  // namespace assay::frontend
