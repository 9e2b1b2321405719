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
  return FindMatrixFunction(unmangled) ? ImportedFunction::kMatrix : ImportedFunction::kNone;
}

}  // namespace assay::frontend
