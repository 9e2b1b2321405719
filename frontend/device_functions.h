// Functions of DPC++'s device library, which its compiler leaves as imports where it does not link
// the library (intel/llvm, sycl/doc/design/DeviceLibExtensions.rst; sycl/ext/intel/math.hpp). Their
// names say what they compute.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "frontend/grammar.h"

namespace assay::frontend {

enum class DeviceType : std::uint8_t {
  kHalf,
  kFloat,
  kDouble,
  kBfloat16,  // an integer of 16 bits
  kShort,
  kUshort,
  kInt,
  kUint,
  kLong,  // 64 bits
  kUlong
};

// As OpenCL C's suffixes and SPIR-V's FPRoundingMode.
enum class DeviceRounding : std::uint8_t { kRte, kRtz, kRtp, kRtn };

enum class DeviceFunctionKind : std::uint8_t {
  kMath,         // __devicelib_sinf, __imf_sinf_ha: an instruction of OpenCL.std
  kArithmetic,   // __imf_fadd_rz: name is add, sub, mul, div, rcp, fma or sqrt
  kConversion,   // __imf_float2int_rd
  kBits,         // __imf_float_as_int
  kInteger,      // __imf_popcll: an instruction of OpenCL.std
  kEvaluated,    // __imf_brev: name is that of an EVALUATED row
  kTest,         // __imf_isnanf: name is isnan, isinf, isfinite or signbit
  kToLong,       // __imf_llroundf: name is rint or round
  kMemory,       // __devicelib_memcpy: name is memcpy, memset or memcmp
  kBfloatArray,  // __devicelib_ConvertFToBF16INTELVec4: from one pointer to another
  kBfloatValue   // __devicelib_ConvertFToBF16INTEL: from a pointer
};

struct DeviceFunction {
  DeviceFunctionKind kind;
  std::string_view name = "";
  OpenClStd instruction{};  // of kMath and kInteger
  DeviceType type{};        // of operands
  DeviceType result{};
  DeviceRounding rounding = DeviceRounding::kRte;
  std::uint32_t count = 1;  // elements of kBfloatArray
};

// Nothing for what is not of the library, and for what is not executed.
std::optional<DeviceFunction> FindDeviceFunction(std::string_view name);

// Whether the name is one of the library's.
bool IsOfDeviceLibrary(std::string_view name);

}  // namespace assay::frontend
