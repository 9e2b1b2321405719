#include "numerics/approximation.h"

namespace assay::numerics {
namespace {
// Newton's divided differences lose a bit or two at each of up to 16 nodes; 60 must be left.
constexpr mpfr_prec_t kPrecision = 112;
}  // namespace

void InterpolateExactly(MpfrFunction f, double center, double radius, int degree,
                        mpfr_prec_t precision, std::deque<Real>* coefficients) {
  const int nodes = degree + 1;
  std::deque<Real> t, value;  // Real is neither copied nor moved
  Real x(precision), scratch(precision);
  for (int j = 0; j < nodes; ++j) {
    Real& node = t.emplace_back(precision);
    mpfr_const_pi(node, MPFR_RNDN);
    mpfr_mul_ui(node, node, static_cast<unsigned long>(2 * j + 1), MPFR_RNDN);
    mpfr_div_ui(node, node, static_cast<unsigned long>(2 * nodes), MPFR_RNDN);
    mpfr_cos(node, node, MPFR_RNDN);
    mpfr_mul_d(node, node, radius, MPFR_RNDN);
    mpfr_add_d(x, node, center, MPFR_RNDN);
    f(value.emplace_back(precision), x);
  }
  const auto at = [](auto& list, int i) -> Real& { return list[static_cast<std::size_t>(i)]; };
  for (int order = 1; order < nodes; ++order) {
    for (int j = nodes - 1; j >= order; --j) {
      mpfr_sub(at(value, j), at(value, j), at(value, j - 1), MPFR_RNDN);
      mpfr_sub(scratch, at(t, j), at(t, j - order), MPFR_RNDN);
      mpfr_div(at(value, j), at(value, j), scratch, MPFR_RNDN);
    }
  }
  // Newton's form to powers of t: p = p * (t - t_j) + value_j, from the innermost factor out.
  std::deque<Real>& power = *coefficients;
  for (int i = 0; i < nodes; ++i) mpfr_set_zero(power.emplace_back(precision), 1);
  for (int j = nodes - 1; j >= 0; --j) {
    for (int i = degree; i >= 0; --i) {
      mpfr_mul(scratch, at(power, i), at(t, j), MPFR_RNDN);
      if (i > 0) {
        mpfr_sub(at(power, i), at(power, i - 1), scratch, MPFR_RNDN);
      } else {
        mpfr_sub(at(power, 0), at(value, j), scratch, MPFR_RNDN);
      }
    }
  }
}

void Interpolate(MpfrFunction f, double center, double radius, int degree, double* coefficients) {
  std::deque<Real> exact;
  InterpolateExactly(f, center, radius, degree, kPrecision, &exact);
  for (int i = 0; i <= degree; ++i) {
    coefficients[i] = mpfr_get_d(exact[static_cast<std::size_t>(i)], MPFR_RNDN);
  }
}

}  // namespace assay::numerics
