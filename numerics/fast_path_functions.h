// The fast paths themselves, one per function of real numbers.  Internal to numerics; functions.def
// says which built-in uses which.
#pragma once

#include "numerics/fast_path.h"

namespace assay::numerics::fast {

// fast_path_elementary.cc: LLVM libc and compositions of it.
extern const FastPath kExp, kExp2, kExp10, kExpm1, kLog, kLog2, kLog10, kLog1p;
extern const FastPath kSin, kCos, kTan, kAsin, kAcos, kAtan, kAtan2;
extern const FastPath kHalfSin, kHalfCos, kHalfTan;
extern const FastPath kSinh, kCosh, kTanh, kAsinh, kAcosh, kAtanh;
extern const FastPath kSinpi, kCospi, kTanpi, kAsinpi, kAcospi, kAtanpi, kAtan2pi;
extern const FastPath kDegrees, kRadians;

// fast_path_arithmetic.cc: operations that double arithmetic decides with an exact remainder.
extern const FastPath kAdd, kSub, kMul, kDiv, kRecip, kFma, kFdim, kMix, kSmoothstep;
extern const FastPath kSqrt, kRsqrt, kCbrt, kHypot, kFmod, kRemainder, kLdexp;
extern const FastPath kQuotientBits;  // the second result of remquo

// fast_path_power.cc
extern const FastPath kPow, kPowr, kRootn;

// fast_path_special.cc: polynomials from MPFR.
extern const FastPath kErf, kErfc, kTgamma, kLgamma;
extern const FastPath kGammaSign;  // the second result of lgamma_r

// A magnitude that only says "at least" or "at most" (FastPath::relative_error).
inline constexpr double kHuge = 0x1p300;
inline constexpr double kTiny = 0x1p-300;

// sin(pi x), cos(pi x) for any finite x, with relative error below 2^-51 (zero where it is zero).
double Sinpi(double x);
double Cospi(double x);

inline int SignOf(double x) { return (x > 0) - (x < 0); }

// Answers with LocateNear.
inline bool Near(Format format, double anchor, int direction, Exact* exact) {
  *exact = LocateNear(format, anchor, direction);
  return true;
}

// The same beside 1, which half of all floats are for an exponential.
inline bool NearOne(Format format, int direction, Exact* exact) {
  const Bits one = One(format);
  *exact = {.below = direction > 0 ? one : one - 1,
            .fraction = direction > 0 ? 0x1p-1000 : 1 - 0x1p-53,
            .kind = ResultKind::kFinite};
  return true;
}

}  // namespace assay::numerics::fast
