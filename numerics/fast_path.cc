#include "numerics/fast_path.h"

#include <array>
#include <cmath>

#include "numerics/double_path.h"
#include "numerics/fast_path_functions.h"

namespace assay::numerics {
namespace {

// The fast path of each result of each function.
struct Row {
  Function function;
  const FastPath* path;
  Function certified_as;  // the row whose certificate covers this one
  const FastPath* second = nullptr;
};

using enum Function;

constexpr Row kRows[] = {
    {acos, &fast::kAcos, acos},
    {acosh, &fast::kAcosh, acosh},
    {acospi, &fast::kAcospi, acospi},
    {add, &fast::kAdd, add},
    {asin, &fast::kAsin, asin},
    {asinh, &fast::kAsinh, asinh},
    {asinpi, &fast::kAsinpi, asinpi},
    {atan, &fast::kAtan, atan},
    {atan2, &fast::kAtan2, atan2},
    {atan2pi, &fast::kAtan2pi, atan2pi},
    {atanh, &fast::kAtanh, atanh},
    {atanpi, &fast::kAtanpi, atanpi},
    {cbrt, &fast::kCbrt, cbrt},
    {cos, &fast::kCos, cos},
    {cosh, &fast::kCosh, cosh},
    {cospi, &fast::kCospi, cospi},
    {degrees, &fast::kDegrees, degrees},
    {div, &fast::kDiv, div},
    {erf, &fast::kErf, erf},
    {erfc, &fast::kErfc, erfc},
    {exp, &fast::kExp, exp},
    {exp10, &fast::kExp10, exp10},
    {exp2, &fast::kExp2, exp2},
    {expm1, &fast::kExpm1, expm1},
    {fdim, &fast::kFdim, fdim},
    {fma, &fast::kFma, fma},
    {fmod, &fast::kFmod, fmod},
    {half_cos, &fast::kHalfCos, half_cos},
    {half_divide, &fast::kDiv, div},
    {half_exp, &fast::kExp, exp},
    {half_exp10, &fast::kExp10, exp10},
    {half_exp2, &fast::kExp2, exp2},
    {half_log, &fast::kLog, log},
    {half_log10, &fast::kLog10, log10},
    {half_log2, &fast::kLog2, log2},
    {half_powr, &fast::kPowr, powr},
    {half_recip, &fast::kRecip, recip_div},
    {half_rsqrt, &fast::kRsqrt, rsqrt},
    {half_sin, &fast::kHalfSin, half_sin},
    {half_sqrt, &fast::kSqrt, sqrt},
    {half_tan, &fast::kHalfTan, half_tan},
    {hypot, &fast::kHypot, hypot},
    {ldexp, &fast::kLdexp, ldexp},
    {lgamma, &fast::kLgamma, lgamma},
    {lgamma_r, &fast::kLgamma, lgamma_r, &fast::kGammaSign},
    {log, &fast::kLog, log},
    {log10, &fast::kLog10, log10},
    {log1p, &fast::kLog1p, log1p},
    {log2, &fast::kLog2, log2},
    {mad, &fast::kFma, fma},
    {mix, &fast::kMix, mix},
    {mul, &fast::kMul, mul},
    {mul_add, &fast::kFma, fma},
    {native_cos, &fast::kCos, cos},
    {native_divide, &fast::kDiv, div},
    {native_exp, &fast::kExp, exp},
    {native_exp10, &fast::kExp10, exp10},
    {native_exp2, &fast::kExp2, exp2},
    {native_log, &fast::kLog, log},
    {native_log10, &fast::kLog10, log10},
    {native_log2, &fast::kLog2, log2},
    {native_powr, &fast::kPowr, powr},
    {native_recip, &fast::kRecip, recip_div},
    {native_rsqrt, &fast::kRsqrt, rsqrt},
    {native_sin, &fast::kSin, sin},
    {native_sqrt, &fast::kSqrt, sqrt},
    {native_tan, &fast::kTan, tan},
    {pow, &fast::kPow, pow},
    {pown, &fast::kPow, pown},
    {powr, &fast::kPowr, powr},
    {radians, &fast::kRadians, radians},
    {recip_div, &fast::kRecip, recip_div},
    {remainder, &fast::kRemainder, remainder},
    {remquo, &fast::kRemainder, remquo, &fast::kQuotientBits},
    {rootn, &fast::kRootn, rootn},
    {rsqrt, &fast::kRsqrt, rsqrt},
    {sin, &fast::kSin, sin},
    {sincos, &fast::kSin, sincos, &fast::kCos},
    {sinh, &fast::kSinh, sinh},
    {sinpi, &fast::kSinpi, sinpi},
    {smoothstep, &fast::kSmoothstep, smoothstep},
    {sqrt, &fast::kSqrt, sqrt},
    {sub, &fast::kSub, sub},
    {tan, &fast::kTan, tan},
    {tanh, &fast::kTanh, tanh},
    {tanpi, &fast::kTanpi, tanpi},
    {tgamma, &fast::kTgamma, tgamma},
};

constexpr std::size_t kFunctionCount = [] {
  std::size_t count = 0;
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact) ++count;
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
  return count;
}();

constexpr std::size_t IndexOf(Function function) { return static_cast<std::size_t>(function); }

// Rows by function; nullptr where a function has none.
constexpr auto kRowOf = [] {
  std::array<const Row*, kFunctionCount> rows{};
  for (const Row& row : kRows) rows[IndexOf(row.function)] = &row;
  return rows;
}();

constexpr auto kCoverage = [] {
  std::array<std::array<Coverage, 4>, kFunctionCount> coverage{};
#define ASSAY_CERTIFICATE(function, format, kind) \
  coverage[IndexOf(Function::function)][static_cast<std::size_t>(Format::format)] = Coverage::kind;
#include "numerics/certificates.def"
#undef ASSAY_CERTIFICATE
  return coverage;
}();

// 2^n for the exponent of a normal double.
double PowerOfTwo(int n) { return std::bit_cast<double>(static_cast<Bits>(n + 1023) << 52); }

}  // namespace

const FastPath* FindUncertifiedFastPath(Function function, Format format, int result) {
  if (format == Format::kDouble) return FindDoublePath(function, result);
  const Row* row = kRowOf[IndexOf(function)];
  if (row == nullptr) return nullptr;
  return result == 0 ? row->path : row->second;
}

Function CertifiedAs(Function function) {
  const Row* row = kRowOf[IndexOf(function)];
  return row == nullptr ? function : row->certified_as;
}

Coverage CertifiedCoverage(Function function, Format format) {
  return kCoverage[IndexOf(CertifiedAs(function))][static_cast<std::size_t>(format)];
}

const FastPath* FindFastPathOfResult(Function function, Format format, int result) {
  if (CertifiedCoverage(function, format) == Coverage::kNone) return nullptr;
  return FindUncertifiedFastPath(function, format, result);
}

const FastPath* FindFastPath(Function function, Format format) {
  const bool single = Info(function).results.size() == 1;
  return single ? FindFastPathOfResult(function, format, 0) : nullptr;
}

namespace internal {

bool LocateExtreme(Format format, double approximation, double relative_error, Exact* exact) {
  const FormatTraits& traits = Traits(format);
  const Bits bits = std::bit_cast<Bits>(approximation);
  const Bits magnitude_bits = Magnitude(Format::kDouble, bits);
  // Zero, infinity, NaN; and a subnormal double, which no fast path returns.
  if (magnitude_bits < MinNormal(Format::kDouble)) return false;
  if (magnitude_bits >= Infinity(Format::kDouble)) return false;
  const Bits sign = bits >> 63 << (traits.width - 1);
  const double magnitude = std::bit_cast<double>(magnitude_bits);
  const Bits error = ErrorUnits(relative_error);
  const Bits trailing = magnitude_bits & MantissaMask(Format::kDouble);
  const Bits significand = trailing | MinNormal(Format::kDouble);
  const int exponent = GridExponent(Format::kDouble, magnitude_bits);
  if (exponent > traits.emax) {
    // In gaps of the largest binade, beyond the largest finite number.
    const double gaps = magnitude * PowerOfTwo(traits.mantissa_bits() - traits.emax);
    const Bits units = 2 * MinNormal(format) - 1;
    const double fraction = gaps - static_cast<double>(static_cast<std::int64_t>(units));
    *exact = {.below = sign | MaxFinite(format), .fraction = fraction, .kind = ResultKind::kFinite};
    // Only the first numbers beyond 2^(emax+1) can belong below it.
    if (exponent == traits.emax + 1 && trailing < error) return false;
    if (error == 0 || fraction > kBeyondLimits) return true;
    return std::fabs(fraction - NearestHalves(fraction)) > 2 * gaps * relative_error;
  }
  // Subnormal: the spacing stays that of 2^emin.
  const int shift = 53 - traits.precision + (traits.emin() - exponent);
  if (shift > 54) {  // below a quarter of the smallest subnormal
    *exact = {.below = sign,
              .fraction = magnitude * PowerOfTwo(-traits.tiny_exponent()),
              .kind = ResultKind::kFinite};
    return true;
  }
  const Bits low = significand & ((Bits{1} << shift) - 1);
  const Bits half_mask = (Bits{1} << (shift - 1)) - 1;
  if (error != 0 && ((low + error) & half_mask) <= 2 * error) return false;
  *exact = {.below = sign | significand >> shift,
            .fraction = static_cast<double>(static_cast<std::int64_t>(low)) * PowerOfTwo(-shift),
            .kind = ResultKind::kFinite};
  return true;
}

}  // namespace internal

Exact LocateNear(Format format, double anchor, int direction) {
  Exact exact;
  Locate(format, anchor, 0, &exact);
  if (direction == 0) return exact;
  if (exact.fraction == 0) {
    if (direction > 0) {
      exact.fraction = 0x1p-1000;
    } else {  // the anchor is not zero, so there is a number next to it toward zero
      exact.below -= 1;
      exact.fraction = 1 - 0x1p-53;
    }
  } else if (internal::IsHalves(exact.fraction)) {
    exact.fraction = std::nextafter(exact.fraction, direction > 0 ? HUGE_VAL : 0.0);
  }
  return exact;
}

}  // namespace assay::numerics
