#include "numerics/double_parts.h"

#include "numerics/real.h"

namespace assay::numerics {

void ToParts(mpfr_srcptr value, double* hi, double* lo) {
  Real rest(kPartsPrecision);
  *hi = mpfr_get_d(value, MPFR_RNDN);
  mpfr_sub_d(rest, value, *hi, MPFR_RNDN);
  *lo = mpfr_get_d(rest, MPFR_RNDN);
}

Parts SplitInParts(mpfr_srcptr value, int first_bits) {
  Real rest(kPartsPrecision), rounded(first_bits);
  Parts parts;
  mpfr_set(rounded, value, MPFR_RNDN);
  parts.first = mpfr_get_d(rounded, MPFR_RNDN);
  mpfr_sub_d(rest, value, parts.first, MPFR_RNDN);
  parts.second = mpfr_get_d(rest, MPFR_RNDN);
  mpfr_sub_d(rest, rest, parts.second, MPFR_RNDN);
  parts.third = mpfr_get_d(rest, MPFR_RNDN);
  return parts;
}

void InterpolateInParts(MpfrFunction f, double center, double radius, int degree,
                        double* coefficients) {
  std::deque<Real> exact;
  InterpolateExactly(f, center, radius, degree, kPartsPrecision, &exact);
  for (int i = 0; i <= degree; ++i) {
    ToParts(exact[static_cast<std::size_t>(i)], &coefficients[2 * i], &coefficients[2 * i + 1]);
  }
}

}  // namespace assay::numerics
