// Exact rational numbers (GMP) and their place among the numbers of a format.  Internal to what
// computes with image coordinates and colors.
#pragma once

#include <gmpxx.h>

#include "numerics/format.h"
#include "numerics/rounding.h"

namespace assay::numerics::image {

using Rational = mpq_class;

// 2^exponent.
Rational PowerOfTwo(long exponent);

// n / d, in lowest terms.
inline Rational Ratio(long n, long d) {
  Rational ratio(n, d);
  ratio.canonicalize();
  return ratio;
}

// The largest integer that is not above `value`.
mpz_class Floor(const Rational& value);

// The integer nearest to `value`, ties to even (rint).
mpz_class NearestInteger(const Rational& value);

// The value of a finite number.
Rational ValueOf(Format format, Bits bits);

// One rounding; overflow follows IEEE 754-2019 7.4, zero is +0.
Bits RoundTo(const Rational& value, Format format, Rounding rounding);

// The exponent e with 2^e <= |value| < 2^(e+1); `value` is not 0.
long ExponentOf(const Rational& value);

// The unit in the last place of a real number in a format (OpenCL C 7.4, after Muller): the gap
// that holds it, and for a number of the format the smaller of the two gaps beside it.
Rational Ulp(const Rational& value, Format format);

// Numbers around an irrational one: low < it < high.  Both equal: it is that rational number.
struct Enclosure {
  Rational low, high;
};

// value^(power/root) for value > 0, to within 2^-bits.
Enclosure RootOfPower(const Rational& value, unsigned power, unsigned root, unsigned bits);

}  // namespace assay::numerics::image
