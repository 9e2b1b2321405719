#include "numerics/vector_set.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "vector_sets.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace assay::numerics {
namespace {

#ifdef __x86_64__
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
#else
bool HasAvx2() { return false; }
bool HasAvx512() { return false; }
#endif

struct SetName {
  VectorSet set;
  std::string_view name;
};
constexpr SetName kNames[] = {  // the best one first
    {VectorSet::kAvx512, "avx512"},
    {VectorSet::kAvx2, "avx2"},
    {VectorSet::kSse2, "sse2"}};

VectorSet Choose() {
  const std::string wanted = base::EnvironmentText("ASSAY_INSTRUCTION_SET");
  const auto* first = std::ranges::find(kNames, wanted, &SetName::name);
  if (first == std::end(kNames)) first = std::begin(kNames);
  for (const auto* row = first; row != std::end(kNames); ++row) {
    if (HasVectorSet(row->set)) return row->set;
  }
  std::fputs(
      "assay: error: this build is for processors with other vector instructions; `./dev build` in "
      "the clone "
      "makes it for all\n",
      stderr);
  std::_Exit(4);
}

}  // namespace

bool HasVectorSet(VectorSet set) {
  if (!kCompiledVectorSets[static_cast<std::size_t>(set)]) return false;
  switch (set) {
    case VectorSet::kAvx512:
      return HasAvx512();
    case VectorSet::kAvx2:
      return HasAvx2();
    case VectorSet::kSse2:
      return true;
  }
  return false;
}

VectorSet ChosenVectorSet() {
  static const VectorSet chosen = Choose();
  return chosen;
}

}  // namespace assay::numerics
