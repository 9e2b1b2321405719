#include "numerics/double_table.h"

#include "numerics/real.h"

namespace assay::numerics::dd {
namespace {

constexpr mpfr_prec_t kPrecision = 240;

Dd ToDd(mpfr_srcptr value) {
  Real rest(kPrecision);
  const double hi = mpfr_get_d(value, MPFR_RNDN);
  mpfr_sub_d(rest, value, hi, MPFR_RNDN);
  return {hi, mpfr_get_d(rest, MPFR_RNDN)};
}

}  // namespace

Dd Constant(const std::function<void(mpfr_ptr)>& set) {
  Real value(kPrecision);
  set(value);
  return ToDd(value);
}

Parts SplitConstant(const std::function<void(mpfr_ptr)>& set, int first_bits) {
  Real value(kPrecision), rounded(first_bits);
  set(value);
  Parts parts;
  mpfr_set(rounded, value, MPFR_RNDN);
  parts.first = mpfr_get_d(rounded, MPFR_RNDN);
  mpfr_sub_d(value, value, parts.first, MPFR_RNDN);
  parts.second = mpfr_get_d(value, MPFR_RNDN);
  mpfr_sub_d(value, value, parts.second, MPFR_RNDN);
  parts.third = mpfr_get_d(value, MPFR_RNDN);
  return parts;
}

std::vector<Dd> Tabulated(MpfrFunction f, double step, int count) {
  std::vector<Dd> table;
  Real x(kPrecision), value(kPrecision);
  for (int j = 0; j < count; ++j) {
    mpfr_set_d(x, j * step, MPFR_RNDN);
    f(value, x);
    table.push_back(ToDd(value));
  }
  return table;
}

void Interpolate(MpfrFunction f, double center, double radius, int degree, Dd* coefficients) {
  std::deque<Real> exact;
  InterpolateExactly(f, center, radius, degree, kPrecision, &exact);
  for (int i = 0; i <= degree; ++i) {
    coefficients[i] = ToDd(exact[static_cast<std::size_t>(i)]);
  }
}

}  // namespace assay::numerics::dd
