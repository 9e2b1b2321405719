#include "numerics/double_parts.h"

#include "numerics/real.h"

namespace assay::numerics {

void ToParts(mpfr_srcptr value, double* hi, double* lo) {
  Real rest(mpfr_get_prec(value));
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

void ScaledErfcInParts(double center, double, int degree, double* coefficients) {
  // Each step of the recurrence loses up to 2 log2(2 center) + 1 bits, fewer than 10.
  const mpfr_prec_t precision = kPartsPrecision + 10 * degree;
  Real x(precision), square(2 * precision), before(precision), now(precision), next(precision),
      constant(precision);
  mpfr_set_d(x, center, MPFR_RNDN);
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(now, x, MPFR_RNDN);
  mpfr_mul(now, now, square, MPFR_RNDN);
  mpfr_const_pi(constant, MPFR_RNDN);
  mpfr_rec_sqrt(constant, constant, MPFR_RNDN);
  mpfr_mul_ui(constant, constant, 2, MPFR_RNDN);
  mpfr_set_zero(before, 1);
  for (int k = 0; k <= degree; ++k) {
    ToParts(now, &coefficients[2 * k], &coefficients[2 * k + 1]);
    // (k + 1) a[k + 1] = 2 c a[k] + 2 a[k - 1], for k = 0 less 2 / sqrt(pi)
    mpfr_mul(next, now, x, MPFR_RNDN);
    mpfr_add(next, next, before, MPFR_RNDN);
    mpfr_mul_ui(next, next, 2, MPFR_RNDN);
    if (k == 0) mpfr_sub(next, next, constant, MPFR_RNDN);
    mpfr_div_ui(next, next, static_cast<unsigned long>(k + 1), MPFR_RNDN);
    mpfr_swap(before, now);
    mpfr_swap(now, next);
  }
}

}  // namespace assay::numerics
