// The combinations of types and sizes that assay's OpenCL driver and interpreter declare
// (cl_khr_cooperative_matrix, cl_device_cooperative_matrix_variant_khr).  The interpreter executes
// others, too: a device has to name those that a program may rely on.
#pragma once

#include <string_view>

namespace assay::numerics::matrix {

struct Variant {
  std::string_view input, accumulator;  // of a and b; of c and the result
  int m = 0, n = 0, k = 0;
};

// 16 x 16 x 16 is what all sub-group sizes from 8 to 64 fill; 8 x 16 has the shapes of devices with
// rows of 16 work-items.
inline constexpr Variant kVariants[] = {
    {"f16", "f32", 16, 16, 16}, {"f16", "f16", 16, 16, 16}, {"f32", "f32", 16, 16, 16},
    {"f64", "f64", 16, 16, 16}, {"s8", "s32", 16, 16, 16},  {"u8", "u32", 16, 16, 16},
    {"s16", "s32", 16, 16, 16}, {"f16", "f32", 8, 16, 16},  {"f16", "f16", 8, 16, 16},
    {"s8", "s32", 8, 16, 32},   {"u8", "u32", 8, 16, 32}};

}  // namespace assay::numerics::matrix
