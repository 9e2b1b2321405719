// MPFR numbers as values, and the placing of an MPFR result on a format's grid.  Internal to
// numerics: no other folder sees MPFR.
#pragma once

#include <mpfr.h>

#include "numerics/exact.h"
#include "numerics/format.h"

namespace assay::numerics {

// An mpfr_t with its lifetime.
class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  operator mpfr_ptr() { return value_; }           // NOLINT(google-explicit-constructor)
  operator mpfr_srcptr() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t value_;
};

// Sets `real` (of at least 53 bits) to the number that `bits` mean.
void SetBits(Real& real, Format format, Bits bits);

// Bits that make the fraction of a located result true to 2^-40 of a gap: whole limbs, so that
// they cost nothing extra.
mpfr_prec_t WorkingPrecision(Format format);

// Bits with which a located result of double is on the right side of everything, and its fraction
// true to 2^-26 of a gap.
inline constexpr mpfr_prec_t kCoarsePrecision = 80;

// Bits in which sums, differences and products of up to three numbers of the format are exact.
mpfr_prec_t ExactPrecision(Format format);

// Places the true value on the grid, given its rounding to nearest at some precision of at least
// WorkingPrecision or kCoarsePrecision and MPFR's ternary value (the sign of rounded - true).  Grid
// points and midpoints are representable at that precision, so none lies strictly between the two,
// and the ternary value alone decides on which side the truth is: no retry is ever needed.
Exact PlaceRounded(mpfr_srcptr rounded, int ternary, Format format);

// Places a value known to within `error_ulps` units in its own last place; answers false where the
// interval touches a grid point or a midpoint and more bits are needed.
bool PlaceApproximate(mpfr_srcptr value, double error_ulps, Format format, Exact* exact);

}  // namespace assay::numerics
