// The processor's control of floating-point arithmetic, a word of each thread: MXCSR on x86-64,
// FPCR on arm64.
#pragma once

#include <cstdint>

#include "numerics/rounding.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace assay::numerics {

using FloatEnvironment = std::uint64_t;

// No exception traps, and no flag is set.  With `flushes` subnormal operands and results count as
// zeros.
constexpr FloatEnvironment MakeFloatEnvironment(Rounding rounding, bool flushes) {
#if defined(__x86_64__)
  // Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 10.2.3: masks of
  // exceptions in bits 7 to 12, rounding in 13 and 14, flush to zero in 15, denormals are zeros
  // in 6.
  constexpr FloatEnvironment kModes[] = {0x0000, 0x6000, 0x4000, 0x2000};  // by Rounding
  return 0x1f80 | kModes[static_cast<int>(rounding)] | (flushes ? 0x8040 : 0);
#elif defined(__aarch64__)
  // Arm Architecture Reference Manual, FPCR: rounding in bits 22 and 23, flush to zero in 24 (float
  // and double).
  constexpr FloatEnvironment kModes[] = {0, 0xc00000, 0x400000, 0x800000};
  return kModes[static_cast<int>(rounding)] | (flushes ? FloatEnvironment{0x1000000} : 0);
#else
#error "assay knows the floating-point control of x86-64 and of arm64 only"
#endif
}

inline FloatEnvironment GetFloatEnvironment() {
#ifdef __x86_64__
  return _mm_getcsr();
#else
  FloatEnvironment control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#endif
}

inline void SetFloatEnvironment(FloatEnvironment control) {
#ifdef __x86_64__
  _mm_setcsr(static_cast<unsigned>(control));
#else
  asm volatile("msr fpcr, %0" : : "r"(control) : "memory");
#endif
}

// Holds for as long as it lives; then what was before holds again.
class FloatEnvironmentScope {
 public:
  explicit FloatEnvironmentScope(FloatEnvironment control) : saved_(GetFloatEnvironment()) {
    SetFloatEnvironment(control);
  }
  ~FloatEnvironmentScope() { SetFloatEnvironment(saved_); }
  FloatEnvironmentScope(const FloatEnvironmentScope&) = delete;
  FloatEnvironmentScope& operator=(const FloatEnvironmentScope&) = delete;

 private:
  FloatEnvironment saved_;
};

}  // namespace assay::numerics
