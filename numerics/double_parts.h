// MPFR numbers as sums of doubles: what the tables in double-double are made of
// (double_pair_table.h), and is compiled once.  Internal to numerics.
#pragma once

#include <mpfr.h>

#include "numerics/approximation.h"

namespace assay::numerics {

inline constexpr mpfr_prec_t kPartsPrecision = 200;

// About 106 bits of a value as two doubles.
void ToParts(mpfr_srcptr value, double* hi, double* lo);

// As three, of which the first has so many bits: its product with a small integer is exact.
struct Parts {
  double first = 0, second = 0, third = 0;
};
Parts SplitInParts(mpfr_srcptr value, int first_bits);

// Makes the coefficients of a piece of a table, each as two doubles.
using PieceMaker = void (*)(double center, double radius, int degree, double* coefficients);

// A piece maker by the interpolating polynomial of approximation.h.
void InterpolateInParts(MpfrFunction f, double center, double radius, int degree,
                        double* coefficients);

// Of e^(x^2) erfc(x), which solves y' = 2 x y - 2 / sqrt(pi): Taylor's coefficients follow from one
// value, and MPFR's erfc is slow.
void ScaledErfcInParts(double center, double radius, int degree, double* coefficients);

}  // namespace assay::numerics
