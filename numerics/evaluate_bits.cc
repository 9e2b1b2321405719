#include "numerics/evaluate_bits.h"

#include <cstdlib>

namespace assay::numerics {

Bits ToIntegral(Format f, Bits x, IntegralRule rule) {
  const Bits magnitude = Magnitude(f, x);
  const Bits sign = x & SignMask(f);
  const int shift = Traits(f).mantissa_bits() - (IsZero(f, x) ? 0 : GridExponent(f, x));
  if (shift <= 0 || !IsFinite(f, x) || IsZero(f, x)) return x;  // integral, infinite, NaN or zero
  // |x| = significand * 2^-shift.  Every |x| below 1/2 gives 0 or 1 by the rule alone.
  const bool tiny = magnitude < One(f) - MinNormal(f);
  const Bits significand =
      (magnitude & MantissaMask(f)) | (magnitude >= MinNormal(f) ? MinNormal(f) : 0);
  const Bits whole = tiny ? 0 : significand >> shift;
  const Bits rest = tiny ? 1 : significand & ((Bits{1} << shift) - 1);
  const Bits half = tiny ? 2 : Bits{1} << (shift - 1);
  if (rest == 0) return x;
  bool up = false;
  switch (rule) {
    case IntegralRule::kDown:
      up = sign != 0;
      break;
    case IntegralRule::kUp:
      up = sign == 0;
      break;
    case IntegralRule::kTowardZero:
      break;
    case IntegralRule::kHalfEven:
      up = rest > half || (rest == half && (whole & 1) != 0);
      break;
    case IntegralRule::kHalfAway:
      up = rest >= half;
      break;
  }
  if (magnitude < One(f)) return sign | (up ? One(f) : 0);
  // Numbers of one binade and the next have consecutive bits, so a carry needs no care.
  const Bits truncated = magnitude & ~((Bits{1} << shift) - 1);
  return sign | (truncated + (up ? Bits{1} << shift : 0));
}

int Compare(Format f, Bits x, Bits y) {
  if (IsNan(f, x) || IsNan(f, y)) return 2;
  const std::int64_t a = OrderedIndex(f, x);
  const std::int64_t b = OrderedIndex(f, y);
  return a < b ? -1 : (a > b ? 1 : 0);
}

int Exponent(Format f, Bits x) {
  const Bits magnitude = Magnitude(f, x);
  if (magnitude >= MinNormal(f)) return GridExponent(f, x);
  return Traits(f).tiny_exponent() + std::bit_width(magnitude) - 1;
}

Bits FrexpSignificand(Format f, Bits x) {
  const Bits magnitude = Magnitude(f, x);
  const Bits half = One(f) - MinNormal(f);  // 0.5
  if (magnitude >= MinNormal(f)) return (x & SignMask(f)) | half | (magnitude & MantissaMask(f));
  const int shift = Traits(f).precision - std::bit_width(magnitude);
  return (x & SignMask(f)) | half | ((magnitude << shift) & MantissaMask(f));
}

Bits FromInteger(Format f, int value) { return FromDouble(f, value); }

Bits NextToward(Format f, Bits x, Bits y) {
  const std::int64_t index = OrderedIndex(f, x);
  const bool up = Compare(f, x, y) < 0;
  const std::int64_t next = index + (up ? 1 : -1);
  // A step from the smallest subnormal to zero keeps the sign that it had.
  return next == 0 ? (x & SignMask(f)) : FromOrderedIndex(f, next);
}

}  // namespace assay::numerics
