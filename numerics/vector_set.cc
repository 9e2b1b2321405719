#include "numerics/vector_set.h"

#include <cpuid.h>

#include <cstdlib>
#include <string_view>

namespace assay::numerics {
namespace {

// Clang's __builtin_cpu_supports does not know the name.
bool HasF16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && HasF16c() &&
         __builtin_cpu_supports("bmi2");
}

bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}

VectorSet Choose() {
  const char* wanted = std::getenv("ASSAY_INSTRUCTION_SET");
  const std::string_view name = wanted == nullptr ? "avx512" : wanted;
  if (HasAvx512() && name == "avx512") return VectorSet::kAvx512;
  if (HasAvx2() && name != "sse2") return VectorSet::kAvx2;
  return VectorSet::kSse2;
}

}  // namespace

bool HasVectorSet(VectorSet set) {
  switch (set) {
    case VectorSet::kAvx512:
      return HasAvx512();
    case VectorSet::kAvx2:
      return HasAvx2();
    default:
      return true;
  }
}

VectorSet ChosenVectorSet() {
  static const VectorSet chosen = Choose();
  return chosen;
}

}  // namespace assay::numerics
