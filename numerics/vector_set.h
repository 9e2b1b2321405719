// The vector instructions for which a hot loop is compiled more than once, and which of them run.
#pragma once

#include <cstdint>

namespace assay::numerics {

// kSse2: what every x86-64 processor has; on others it is made of their own instructions
// (base/vector_instructions.h), and is the only set.  kAvx2: with FMA, F16C and BMI2; kAvx512: F,
// BW, DQ, VL and CD. A set includes those before it.
enum class VectorSet : std::uint8_t { kSse2, kAvx2, kAvx512 };

// Whether this processor has the set, and this build too (ASSAY_VECTOR_SETS in CMake).
bool HasVectorSet(VectorSet set);

// The best set that this processor and this build have.  For tests, the environment variable
// ASSAY_INSTRUCTION_SET (sse2, avx2 or avx512) names the highest set that is taken.
VectorSet ChosenVectorSet();

}  // namespace assay::numerics
