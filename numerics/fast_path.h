// The certified fast path: double-precision approximations with a proved or certified error. Double
// results have paths of their own (double_path.h).
//
// For half, bfloat16 and float results a double with relative error below 2^-46 places the exact
// value on the format's grid with certainty, unless it lies that close to a representable number or
// a midpoint.  There `settle` decides by algebra (sin x is just below a tiny x, 4^0.5 is exactly
// 2); what it cannot decide goes to MPFR.  So a fast path can be slow to decide, never wrong, as
// long as its error bound holds, and `assay certify` compares its answers with MPFR's.
#pragma once

#include <bit>
#include <cstdint>

#include "numerics/exact.h"
#include "numerics/functions.h"

namespace assay::numerics {

struct FastPath {
  // Exactly one, or `whole`, is set.  Arguments are finite and non-zero, as exact doubles; integer
  // operands (pown, rootn, ldexp) as doubles too, zero included.  A NaN result means "NaN is the
  // exact answer"; an infinite one, or a zero, says nothing and leaves the answer to `settle` or
  // MPFR.
  double (*unary)(double x) = nullptr;
  double (*binary)(double x, double y) = nullptr;
  double (*ternary)(double x, double y, double z) = nullptr;
  // |approximation - exact| <= relative_error * |exact|; 0: the approximation is the exact value.
  // A result at or below 2^-300 or at or above 2^300 in magnitude only says "at most" or "at
  // least" that much.
  double relative_error = 0;
  // Decides the cases that Locate leaves open and algebra settles; false: ask MPFR.  `args` has
  // the operands in order, `approximation` what the function above returned for them.
  bool (*settle)(Format format, const double* args, double approximation, Exact* exact) = nullptr;
  // Of a double result (double_path.h), where it stands alone: places it, or false: ask MPFR.
  bool (*whole)(const double* args, Exact* exact) = nullptr;
};

enum class Coverage : std::uint8_t {
  kNone,        // no certificate: not to be used
  kSampled,     // hard cases and a stated random sample
  kExhaustive,  // every operand
};

// The fast path of a function of one result whose arguments and result have this format, or
// nullptr.  A function without a certificate (certificates.def) has none.
const FastPath* FindFastPath(Function function, Format format);

// The same for one result of any function (sincos, lgamma_r and remquo have two).
const FastPath* FindFastPathOfResult(Function function, Format format, int result);

// The same whether or not there is a certificate: for `assay certify`.
const FastPath* FindUncertifiedFastPath(Function function, Format format, int result = 0);

// The coverage that certificates.def states.
Coverage CertifiedCoverage(Function function, Format format);

// The function whose fast path `function` shares (half_exp and native_exp: exp), or itself.
Function CertifiedAs(Function function);

// A finite number of the format as a double, exactly.
template <Format kFormat>
double FiniteToDouble(Bits bits);

// Places `approximation` on the grid, or answers false where the error bound leaves a doubt (and
// for zero, infinity and NaN).
bool Locate(Format format, double approximation, double relative_error, Exact* exact);

// Places a value that is `anchor` itself (direction 0) or lies beyond it, away from zero
// (direction > 0) or toward zero (< 0), by at most 2^-48 of it.  `anchor` is finite, not zero.
Exact LocateNear(Format format, double anchor, int direction);

// The answer of the fast path at one input; false: ask MPFR.  `args` has three entries, of which
// the function takes as many as it has operands.
bool Answer(const FastPath& path, Format format, const double* args, Exact* exact);

// ---- Inline: this is the inner loop of every exhaustive sweep -----------------------------------

namespace internal {
// Subnormal results, overflow, zero, infinity and NaN.
bool LocateExtreme(Format format, double approximation, double relative_error, Exact* exact);

// The error bound in units of the last place of a double, rounded up; 0 stays 0.
inline Bits ErrorUnits(double relative_error) {
  return relative_error == 0 ? 0 : static_cast<Bits>(relative_error * 0x1p53) + 1;
}

template <Format kFormat>
inline bool LocateIn(double approximation, double relative_error, Exact* exact) {
  constexpr FormatTraits kTraits = Traits(kFormat);
  constexpr int kShift = 53 - kTraits.precision;  // bits of a double below the format's last place
  constexpr Bits kLowMask = (Bits{1} << kShift) - 1;
  const Bits bits = std::bit_cast<Bits>(approximation);
  const Bits magnitude = bits & MagnitudeMask(Format::kDouble);
  const int exponent = static_cast<int>(magnitude >> 52) - Traits(Format::kDouble).emax;
  if (exponent < kTraits.emin() || exponent > kTraits.emax) [[unlikely]] {
    return LocateExtreme(kFormat, approximation, relative_error, exact);
  }
  const Bits low = magnitude & kLowMask;
  const Bits error = ErrorUnits(relative_error);
  // Within `error` of a multiple of half a gap (both ends and the middle).
  if (error != 0 && ((low + error) & (kLowMask >> 1)) <= 2 * error) [[unlikely]] {
    return false;
  }
  constexpr Bits kRebias = static_cast<Bits>(Traits(Format::kDouble).emax - kTraits.emax)
                           << kTraits.mantissa_bits();
  const Bits sign = bits >> 63 << (kTraits.width - 1);
  *exact = {.below = sign | ((magnitude >> kShift) - kRebias),
            .fraction = static_cast<double>(static_cast<std::int64_t>(low)) *
                        (1.0 / static_cast<double>(Bits{1} << kShift)),
            .kind = ResultKind::kFinite};
  return true;
}
}  // namespace internal

template <Format kFormat>
inline double FiniteToDouble(Bits bits) {
  constexpr FormatTraits kTraits = Traits(kFormat);
  if constexpr (kFormat == Format::kDouble) {
    return std::bit_cast<double>(bits);
  } else if constexpr (kFormat == Format::kFloat) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    // The fields in a double's place are the number times 2^(emax - 1023), subnormals included.
    constexpr double kScale = std::bit_cast<double>(
        static_cast<Bits>(2 * Traits(Format::kDouble).emax - kTraits.emax) << 52);
    const Bits fields = Magnitude(kFormat, bits) << (52 - kTraits.mantissa_bits());
    const double magnitude = std::bit_cast<double>(fields) * kScale;
    return IsNegative(kFormat, bits) ? -magnitude : magnitude;
  }
}

inline bool Locate(Format format, double approximation, double relative_error, Exact* exact) {
  switch (format) {
    case Format::kHalf:
      return internal::LocateIn<Format::kHalf>(approximation, relative_error, exact);
    case Format::kBfloat16:
      return internal::LocateIn<Format::kBfloat16>(approximation, relative_error, exact);
    case Format::kFloat:
      return internal::LocateIn<Format::kFloat>(approximation, relative_error, exact);
    case Format::kDouble:
      return false;
  }
  return false;
}

inline bool Answer(const FastPath& path, Format format, const double* args, Exact* exact) {
  if (path.whole != nullptr) return path.whole(args, exact);
  const double approximation = path.unary != nullptr    ? path.unary(args[0])
                               : path.binary != nullptr ? path.binary(args[0], args[1])
                                                        : path.ternary(args[0], args[1], args[2]);
  if (Locate(format, approximation, path.relative_error, exact)) [[likely]] {
    return true;
  }
  if (approximation != approximation) {
    *exact = Exact::Nan();
    return true;
  }
  return path.settle != nullptr && path.settle(format, args, approximation, exact);
}

}  // namespace assay::numerics
