// The combinations of matrices that the device declares: cl_khr_cooperative_matrix, by its draft of
// 2026-01-23 (OpenCL-Docs pull request 1533).  A header with its names does not exist yet.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/core/info.h"
#include "driver/objects/newer.h"
#include "driver/objects/platform.h"
#include "numerics/matrix/variants.h"

namespace assay::driver::api {
namespace {

// cl_device_cooperative_matrix_variant_khr
struct MatrixVariant {
  cl_uint m_size, n_size, k_size;
  cl_uint a_type, b_type, c_type, result_type;
  cl_bool saturating_accumulation;
};

// By cl_device_cooperative_matrix_component_type_khr.
constexpr std::string_view kComponentTypes[] = {"f16", "f32", "f64", "s8",  "s16", "s32",
                                                "s64", "u8",  "u16", "u32", "u64"};

cl_uint ComponentType(std::string_view name) {
  const auto* const found = std::ranges::find(kComponentTypes, name);
  return static_cast<cl_uint>(found - std::begin(kComponentTypes));
}

std::vector<MatrixVariant> MatrixVariants() {
  std::vector<MatrixVariant> variants;
  for (const numerics::matrix::Variant& one : numerics::matrix::kVariants) {
    const cl_uint factor = ComponentType(one.input), sum = ComponentType(one.accumulator);
    variants.push_back({static_cast<cl_uint>(one.m), static_cast<cl_uint>(one.n),
                        static_cast<cl_uint>(one.k), factor, factor, sum, sum, CL_FALSE});
  }
  return variants;
}

cl_int CL_API_CALL clGetDeviceCooperativeMatrixInfoKHR(cl_device_id device, cl_uint name,
                                                       std::size_t input_size, const void* input,
                                                       std::size_t size, void* value,
                                                       std::size_t* size_ret) {
  return Enter("clGetDeviceCooperativeMatrixInfoKHR", [&](Call& call) {
    call.Find<Device>(device);
    const Info info(size, value, size_ret);
    if (name == kCooperativeMatrixSubGroupVariants) {
      RefuseIf(input == nullptr || input_size != sizeof(cl_uint), CL_INVALID_VALUE,
               "input_value must be a cl_uint, the size of a sub-group");
    } else if (name != kCooperativeMatrixDefaultSubGroupVariants) {
      Info::Unknown();
    }
    // A kernel may have sub-groups of any size, and all execute the same.
    const std::vector<MatrixVariant> variants = MatrixVariants();
    info.PutAll<MatrixVariant>(variants);
  });
}

}  // namespace

void AddCooperativeMatrix(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clGetDeviceCooperativeMatrixInfoKHR);
}

}  // namespace assay::driver::api
