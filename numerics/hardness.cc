#include "numerics/hardness.h"

#include <algorithm>
#include <cmath>

#include "numerics/evaluate.h"
#include "numerics/evaluate_builtin.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

// A value this many bits wide shows every distance down to kLeastDistance: 1000 bits, the 53 before
// them, and those of the accuracy.
constexpr mpfr_prec_t kMostPrecision = 1200;
constexpr double kRelativeError = 0x1p-21;

// The distance as a double, which is 0 only if `exactly` at the place.
double ToDistance(mpfr_srcptr distance, bool exactly) {
  if (exactly) return 0;
  return std::clamp(mpfr_get_d(distance, MPFR_RNDN), kLeastDistance, 0x1p1000);
}

// How far |value| lies beyond `below`, in gaps; no bit is lost.
class Offset : public Real {
 public:
  Offset(mpfr_srcptr value, Format format, Bits below) : Real(mpfr_get_prec(value) + 64) {
    const int shift = Traits(format).mantissa_bits() - GridExponent(format, below);
    const Bits magnitude = Magnitude(format, below);
    const Bits units = (magnitude & MantissaMask(format)) |
                       (magnitude >= MinNormal(format) ? MinNormal(format) : 0);
    mpfr_abs(*this, value, MPFR_RNDN);
    mpfr_mul_2si(*this, *this, shift, MPFR_RNDN);
    error_ = std::ldexp(kValueError, static_cast<int>(std::clamp<long>(
                                         mpfr_get_exp(get()) - mpfr_get_prec(value), -4000, 4000)));
    mpfr_sub_ui(*this, *this, units, MPFR_RNDN);
  }

  double error() const { return error_; }  // in gaps

 private:
  double error_ = 0;
};

// Measures a value that is known to kValueError units in its last place (none where `is_true`);
// false: more bits are needed.
bool Measure(mpfr_srcptr value, bool is_true, const Exact& exact, Format format,
             Hardness* hardness) {
  if (mpfr_regular_p(value) == 0) return false;
  const Offset offset(value, format, exact.below);
  const double error = is_true ? 0 : offset.error();
  const bool last = Magnitude(format, exact.below) == MaxFinite(format);
  Real to_number(mpfr_get_prec(offset.get())), to_midpoint(mpfr_get_prec(offset.get()));
  mpfr_abs(to_number, offset, MPFR_RNDN);
  if (!last && mpfr_cmp_d(offset, 0.5) > 0) {
    mpfr_ui_sub(to_number, 1, offset, MPFR_RNDN);
    mpfr_abs(to_number, to_number, MPFR_RNDN);
  }
  mpfr_sub_d(to_midpoint, offset, 0.5, MPFR_RNDN);
  mpfr_abs(to_midpoint, to_midpoint, MPFR_RNDN);
  hardness->to_number = ToDistance(to_number, exact.fraction == 0);
  hardness->to_midpoint = ToDistance(to_midpoint, exact.fraction == 0.5);
  const auto certain = [&](double distance) {
    return distance == 0 || error <= distance * kRelativeError;
  };
  return certain(hardness->to_number) && certain(hardness->to_midpoint);
}

// From the place alone: values beyond the range, or nearer than kLeastDistance.
Hardness FromPlace(const Exact& exact, Format format) {
  const double fraction = exact.fraction;
  const bool last = Magnitude(format, exact.below) == MaxFinite(format);
  const double to_end = fraction > 0.5 && !last ? 1 - fraction : fraction;
  // A fraction that stands next to 0, 1/2 or 1 in double is nearer than it can tell.
  const auto sharpen = [](double distance) {
    return distance < 0x1p-50 ? kLeastDistance : distance;
  };
  return {.applies = true,
          .to_number = fraction == 0 ? 0 : sharpen(to_end),
          .to_midpoint = fraction == 0.5 ? 0 : sharpen(std::fabs(fraction - 0.5))};
}

// A conversion's exact value is its operand.
void MeasureConversion(const Operation& operation, Bits operand, const Exact& exact, Format format,
                       Hardness* hardness) {
  Real value(64);
  if (IsFloating(operation.from)) {
    SetBits(value, FormatOf(operation.from), operand);
  } else if (IsSigned(operation.from)) {
    const int unused = 64 - WidthOf(operation.from);
    mpfr_set_sj(value, static_cast<std::int64_t>(operand << unused) >> unused, MPFR_RNDN);
  } else {
    mpfr_set_uj(value, operand, MPFR_RNDN);
  }
  Measure(value, true, exact, format, hardness);
}

}  // namespace

std::vector<Hardness> MeasureHardness(const Operation& operation, std::span<const Bits> args) {
  const std::vector<ScalarType> types = operation.ResultTypes();
  std::vector<Exact> exact(types.size());
  EvaluateExact(operation, args, exact);
  std::vector<Hardness> hardness(types.size());
  std::vector<bool> open(types.size());  // is its value still needed?
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (exact[i].kind != ResultKind::kFinite || !IsFloating(types[i])) continue;
    hardness[i] = FromPlace(exact[i], FormatOf(types[i]));
    open[i] = exact[i].fraction != 0;
    if (open[i] && operation.kind != OperationKind::kBuiltin) {
      MeasureConversion(operation, args[0], exact[i], FormatOf(types[i]), &hardness[i]);
      open[i] = false;
    }
  }
  for (mpfr_prec_t precision = 192; std::find(open.begin(), open.end(), true) != open.end();
       precision = std::min(2 * precision, kMostPrecision)) {
    EvaluateValues(operation, args, precision, [&](int result, mpfr_srcptr value) {
      const auto i = static_cast<std::size_t>(result);
      Hardness measured{.applies = true};
      if (!open[i] || !Measure(value, false, exact[i], FormatOf(types[i]), &measured)) return;
      hardness[i] = measured;
      open[i] = false;
    });
    if (precision == kMostPrecision) break;
  }
  return hardness;
}

}  // namespace assay::numerics
