// The exact value of one result, located on the grid of the format that has to hold it.
//
// A real number v of a function at floating-point arguments is rarely representable, but all that
// rounding and error measurement need is its place: the format number next to it toward zero, and
// how far beyond that number v lies, in units of the gap there.  Both are certain: `fraction` is 0
// exactly when v is representable and 0.5 exactly when v is a midpoint; otherwise it is strictly on
// the right side of 0, 0.5 and 1, whatever precision that took (Ziv's strategy).  Beyond the
// largest finite number, where it is more than 1, the same holds for the multiples of 0.5 there: an
// error limit of some ulp ends at one.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/format.h"
#include "numerics/rounding.h"

namespace assay::numerics {

enum class ResultKind : std::uint8_t {
  kFinite,       // a real number: sign, `below` and `fraction`
  kInfinite,     // an exact infinity (a pole or an infinite limit), not an overflow; `below` has it
  kNan,          // any NaN
  kInteger,      // an exact integer of the result's integer type, in `below`
  kUnspecified,  // the specification leaves the value open; every result conforms
};

struct Exact {
  // kFinite: the number next to v toward zero, with v's sign (v == 0: the required zero).  A |v|
  // beyond the largest finite number has that number here and a fraction of 1 or more unless v
  // lies within one gap of it.
  Bits below = 0;
  // kFinite: (|v| - |below|) / gap(below).  Accurate to 2^-22 for half and float, 2^-12 for double
  // on the fast path's account, and in every case on the right side of each multiple of 1/2, of 0,
  // 0.5 and 1 and, beyond the largest finite number, of those up to kBeyondLimits.
  double fraction = 0;
  ResultKind kind = ResultKind::kUnspecified;
  // A clause (Annex F, 7.5.1, 7.5.2) prescribes this value: neither the error allowance nor
  // flushing to zero applies to it.
  bool prescribed = false;
  // A zero result of either sign conforms.
  bool any_zero_sign = false;
  // A zero that is a sum of opposite numbers: +0, but -0 when rounding toward negative infinity
  // (IEEE 754-2019, 6.3).
  bool cancelled = false;
  // kInteger: a second value that conforms (ilogb of zero and NaN), or equal to `below`.
  // kUnspecified: a sum that overflows in some order; `below` and `fraction` have it as of kFinite,
  // and rounding takes it.
  bool has_alternative = false;
  // kInteger: only the sign and the low seven bits of the magnitude count (remquo, 6.15.2).
  bool low_seven_bits = false;
  std::int32_t alternative = 0;

  bool IsExact() const { return kind != ResultKind::kFinite || fraction == 0; }

  static Exact Nan() { return {.kind = ResultKind::kNan}; }
  static Exact Unspecified() { return {}; }
  static Exact Infinite(Format f, bool negative) {
    return {.below = CopySign(f, numerics::Infinity(f), negative ? SignMask(f) : 0),
            .kind = ResultKind::kInfinite};
  }
  static Exact Number(Bits bits) { return {.below = bits, .kind = ResultKind::kFinite}; }
  static Exact Integer(std::int64_t value) {
    return {.below = static_cast<Bits>(value), .kind = ResultKind::kInteger};
  }
};

// The correctly rounded result; overflow follows IEEE 754-2019 7.4.  NaN is the canonical quiet NaN
// and an unspecified value gives it too; integers are returned as they are.
Bits Round(const Exact& exact, Format format, Rounding rounding);

// |observed - v| in the specification's ulp of v (OpenCL C 7.4, after Muller, RR-5504): the gap
// that holds v, and for a representable v the distance to the nearer neighbour, which for a power
// of two is the one below.  An infinite `observed` counts as the number that would follow the
// largest finite one ("Result overflow within the specified ULP error is permitted").
// `exact` must be kFinite; a NaN gives NaN; opposite or wrong infinities give +infinity.
// Rounded up, so that an error beyond a limit by any amount is not taken for the limit itself.
double UlpError(const Exact& exact, Format format, Bits observed);

// |a - b|, rounded up (Knuth's two-sum knows what the subtraction lost).
inline double DifferenceUp(double a, double b) {
  const double difference = a - b;
  const double a_part = difference + b, b_part = difference - a_part;
  const double lost = (a - a_part) - (b + b_part);
  const double magnitude = std::fabs(difference);
  const bool short_of = lost != 0 && (lost > 0) == (difference > 0);
  return short_of ? std::nextafter(magnitude, std::numeric_limits<double>::infinity()) : magnitude;
}

namespace internal {

// Gaps; no error limit of the tables is as large.
inline constexpr double kBeyondLimits = 0x1p20;

inline double NearestHalves(double fraction) { return std::nearbyint(2 * fraction) / 2; }
inline bool IsHalves(double fraction) { return fraction == NearestHalves(fraction); }

}  // namespace internal

// Is v, before rounding, a non-zero number below the smallest normal (7.5.3)?
bool IsSubnormalBeforeRounding(const Exact& exact, Format format);

}  // namespace assay::numerics
