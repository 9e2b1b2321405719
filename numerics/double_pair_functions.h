// The double functions by file; double_rows.inc has the table.  Internal to numerics.
#pragma once

#include "numerics/double_double.h"
#include "numerics/double_kernels.h"
#include "numerics/exact.h"

namespace assay::numerics::ASSAY_DOUBLE_DOUBLE {

// A real number near (hi + lo) 2^scale.  hi NaN: NaN is the exact answer.
struct Approximation {
  double hi = 0, lo = 0;
  int scale = 0;
  double error = 0;  // relative; 0: the number itself; negative: ask MPFR
};

// The bound of the compositions in double_*.inc that do not say another.
inline constexpr double kError = 0x1p-70;

// Places it on the grid of double, or answers false where the error leaves a doubt, and for zero.
bool Place(const Approximation& approximation, Exact* exact);

// Operands as FastPath has them: finite and not zero, integers as doubles.

inline Approximation Of(Dd value, int scale = 0, double error = kError) {
  return {.hi = value.hi, .lo = value.lo, .scale = scale, .error = error};
}
inline Approximation Of(const ScaledDd& value) { return Of(value.value, value.scale); }
inline Approximation AskMpfr() { return {.error = -1}; }
Approximation NotANumber();
// A result beyond every finite number, or below every number, by any amount.
Approximation Huge(double sign);
Approximation Tiny(double sign);
// anchor (1 + delta): so near to a number that double-double does not hold the difference.  delta
// is true to 2^-27 of it.
Approximation Beside(double anchor, double delta);
// e^t; |t| is of any size, and known to 2^-72 absolutely.
Approximation ExpOf(Dd t, double sign = 1);

// double_elementary.inc
Approximation DoubleExp(double x);
Approximation DoubleExp2(double x);
Approximation DoubleExp10(double x);
Approximation DoubleExpm1(double x);
Approximation DoubleLog(double x);
Approximation DoubleLog2(double x);
Approximation DoubleLog10(double x);
Approximation DoubleLog1p(double x);
Approximation DoubleSinh(double x);
Approximation DoubleCosh(double x);
Approximation DoubleTanh(double x);
Approximation DoubleAsinh(double x);
Approximation DoubleAcosh(double x);
Approximation DoubleAtanh(double x);
Approximation DoublePow(double x, double y);
Approximation DoublePowr(double x, double y);
Approximation DoubleRootn(double x, double n);
// The logarithm of any positive number.
Dd LogOf(double x);

// double_angles.inc
Approximation DoubleSin(double x);
Approximation DoubleCos(double x);
Approximation DoubleTan(double x);
Approximation DoubleAsin(double x);
Approximation DoubleAcos(double x);
Approximation DoubleAtan(double x);
Approximation DoubleAtan2(double y, double x);
Approximation DoubleSinpi(double x);
Approximation DoubleCospi(double x);
Approximation DoubleTanpi(double x);
Approximation DoubleAsinpi(double x);
Approximation DoubleAcospi(double x);
Approximation DoubleAtanpi(double x);
Approximation DoubleAtan2pi(double y, double x);
Approximation DoubleDegrees(double x);
Approximation DoubleRadians(double x);

// double_arithmetic.inc
Approximation DoubleAdd(double x, double y);
Approximation DoubleSub(double x, double y);
Approximation DoubleMul(double x, double y);
Approximation DoubleDiv(double x, double y);
Approximation DoubleRecip(double x);
Approximation DoubleFma(double x, double y, double z);
Approximation DoubleSqrt(double x);
Approximation DoubleRsqrt(double x);
Approximation DoubleCbrt(double x);
Approximation DoubleHypot(double x, double y);
Approximation DoubleFmod(double x, double y);
Approximation DoubleRemainder(double x, double y);
// The same as doubles, with the zero that IEEE 754 asks for.
double ExactFmod(double x, double y);
double ExactRemainder(double x, double y);
// The quotient of remquo modulo 128, with its sign.
int DoubleQuotientBits(double x, double y);

// double_special.inc
Approximation DoubleErf(double x);
Approximation DoubleErfc(double x);
Approximation DoubleTgamma(double x);
Approximation DoubleLgamma(double x);

}  // namespace assay::numerics::ASSAY_DOUBLE_DOUBLE
