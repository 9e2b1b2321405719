// Functions that compilers leave as imports, and that assay executes: nobody links anything to
// them.
#pragma once

#include <optional>
#include <string_view>

#include "frontend/device_functions.h"
#include "frontend/intel_functions.h"
#include "frontend/module.h"

namespace assay::frontend {

enum class ImportedFunction : std::uint8_t {
  kNone,               // not executed
  kAssert,             // __devicelib_assert_fail
  kImage,              // get_image_channel_order and read_imageh of OpenCL C
  kMatrix,             // intel_sub_group_i8_i8_matrix_mad_k32 and its kin
  kMatrixInstruction,  // __spirv_SubgroupMatrixMultiplyAccumulateINTEL
  kOpenCl,             // __spirv_ocl_sin and its kin: of OpenCL.std
  kDevice              // of DPC++'s device library (device_functions.h)
};

// By the name of its linkage, which C++ may have mangled.
ImportedFunction FindImportedFunction(std::string_view name);

// The instruction of OpenCL.std that __spirv_ocl_NAME is, unmangled.
std::optional<OpenClStd> FindOpenClFunction(std::string_view unmangled);

// "amd_bitalign" of "_Z12amd_bitalignjjj"; "" for a name that C++ did not mangle.
std::string_view UnmangledName(std::string_view name);

}  // namespace assay::frontend
