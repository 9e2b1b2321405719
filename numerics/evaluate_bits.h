// Built-ins whose results follow from the bits alone: no rounding, so no MPFR.  Internal to
// numerics.  All of them take any operands, NaN included.
#pragma once

#include <cstdint>

#include "numerics/exact.h"
#include "numerics/format.h"

namespace assay::numerics {

// How a number with a fractional part becomes an integral one.
enum class IntegralRule : std::uint8_t { kDown, kUp, kTowardZero, kHalfEven, kHalfAway };

// The integral number that the rule gives, with the sign of `x` kept on a zero.
Bits ToIntegral(Format f, Bits x, IntegralRule rule);

// -1, 0, 1 as x < y, x == y, x > y; 2 where one is NaN.
int Compare(Format f, Bits x, Bits y);

// floor(log2 |x|) of a finite non-zero number, subnormals normalised.
int Exponent(Format f, Bits x);

// 2^n of any format number x: |x| scaled to [0.5, 1) with x's sign, as frexp returns it.
Bits FrexpSignificand(Format f, Bits x);

// The integer as a number of the format; |value| must be representable (below 2^precision).
Bits FromInteger(Format f, int value);

// The next number from x toward y; x != y, neither is NaN.
Bits NextToward(Format f, Bits x, Bits y);

}  // namespace assay::numerics
