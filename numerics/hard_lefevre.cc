#include "numerics/hard_lefevre.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "numerics/evaluate_builtin.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

__extension__ using Fixed = unsigned __int128;  // a number mod 1, in units of 2^-128

constexpr int kDegree = 4;
constexpr mpfr_prec_t kPrecision = 256;
// The error that a line may have, in gaps: larger makes segments longer and hits more.
constexpr double kLineError = 0x1p-21;
constexpr int kModulusBits = 46;  // of the line: a slope times the longest segment fits 64 bits
constexpr std::uint64_t kLongest = 1 << 17, kShortest = 1 << 5;
constexpr std::uint64_t kMostOperands = std::uint64_t{1} << 30;
constexpr std::size_t kMostHitsOfSegment = 256;

using Reals = std::array<std::unique_ptr<Real>, kDegree + 1>;

Reals MakeReals() {
  Reals reals;
  for (auto& real : reals) real = std::make_unique<Real>(kPrecision);
  return reals;
}

// |f| in gaps of the binade that it is in.
class Values {
 public:
  explicit Values(const Operation& operation) : operation_(operation) {}

  // False where the value is no normal number, or not in the binade and of the sign of the first.
  bool At(Bits operand, Real& gaps) {
    bool found = false;
    EvaluateValues(operation_, {&operand, 1}, kPrecision, [&](int result, mpfr_srcptr value) {
      if (result != 0 || mpfr_regular_p(value) == 0) return;
      const long exponent = mpfr_get_exp(value) - 1;
      const FormatTraits& traits = Traits(Format::kDouble);
      if (exponent < traits.emin() || exponent > traits.emax) return;
      if (!started_) {
        started_ = true;
        exponent_ = exponent;
        negative_ = mpfr_signbit(value) != 0;
      }
      if (exponent != exponent_ || negative_ != (mpfr_signbit(value) != 0)) return;
      mpfr_abs(gaps, value, MPFR_RNDN);
      mpfr_mul_2si(gaps, gaps, traits.mantissa_bits() - exponent, MPFR_RNDN);
      found = true;
    });
    return found;
  }

 private:
  const Operation& operation_;
  bool started_ = false, negative_ = false;
  long exponent_ = 0;
};

Fixed ToFixed(mpfr_srcptr value) {
  Real fraction(kPrecision);
  mpfr_frac(fraction, value, MPFR_RNDN);
  if (mpfr_sgn(fraction.get()) < 0) mpfr_add_ui(fraction, fraction, 1, MPFR_RNDN);
  mpfr_mul_2ui(fraction, fraction, 64, MPFR_RNDN);
  const std::uint64_t high = mpfr_get_ui(fraction, MPFR_RNDZ);
  mpfr_frac(fraction, fraction, MPFR_RNDN);
  mpfr_mul_2ui(fraction, fraction, 64, MPFR_RNDN);
  return static_cast<Fixed>(high) << 64 | mpfr_get_ui(fraction, MPFR_RNDZ);
}

// A polynomial in the number of the operand, with coefficients by MPFR.
class Polynomial {
 public:
  // Through the values at 0, step, 2 step, ...
  Polynomial(const Reals& values, std::uint64_t step) : coefficients_(MakeReals()) {
    Reals d = MakeReals();  // forward differences
    for (std::size_t k = 0; k <= kDegree; ++k) mpfr_set(*d[k], *values[k], MPFR_RNDN);
    for (std::size_t k = 1; k <= kDegree; ++k) {
      for (std::size_t j = kDegree; j >= k; --j) mpfr_sub(*d[j], *d[j], *d[j - 1], MPFR_RNDN);
    }
    // Newton's form in powers: row k has the coefficients of binomial(t, k), times 24.
    constexpr int kBinomial[kDegree + 1][kDegree + 1] = {{24, 0, 0, 0, 0},
                                                         {0, 24, 0, 0, 0},
                                                         {0, -12, 12, 0, 0},
                                                         {0, 8, -12, 4, 0},
                                                         {0, -6, 11, -6, 1}};
    Real term(kPrecision);
    for (std::size_t power = 0; power <= kDegree; ++power) {
      Real& sum = *coefficients_[power];
      mpfr_set_zero(sum, 1);
      for (std::size_t k = 0; k <= kDegree; ++k) {
        mpfr_mul_si(term, *d[k], kBinomial[k][power], MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
      }
      mpfr_div_ui(sum, sum, 24, MPFR_RNDN);
      for (std::size_t i = 0; i < power; ++i) mpfr_div_ui(sum, sum, step, MPFR_RNDN);
    }
  }

  // The derivative of this order at t.
  void At(std::uint64_t t, unsigned derivative, Real& result) const {
    mpfr_set_zero(result, 1);
    Real term(kPrecision);
    for (unsigned power = kDegree + 1; power-- > derivative;) {
      mpfr_mul_ui(result, result, t, MPFR_RNDN);
      unsigned factor = 1;
      for (unsigned i = 0; i < derivative; ++i) factor *= power - i;
      mpfr_mul_ui(term, *coefficients_[power], factor, MPFR_RNDN);
      mpfr_add(result, result, term, MPFR_RNDN);
    }
  }

  double CurvatureAt(std::uint64_t t) const {
    Real curvature(kPrecision);
    At(t, 2, curvature);
    return mpfr_get_d(curvature, MPFR_RNDN);
  }

 private:
  Reals coefficients_;
};

// The values of a polynomial (or a derivative) at equidistant places, mod 1, by differences alone.
template <std::size_t kOrder>
class Stepper {
 public:
  Stepper(const Polynomial& polynomial, unsigned derivative, std::uint64_t first,
          std::uint64_t step) {
    Real value(kPrecision);
    for (std::size_t k = 0; k <= kOrder; ++k) {
      polynomial.At(first + k * step, derivative, value);
      differences_[k] = ToFixed(value);
    }
    for (std::size_t k = 1; k <= kOrder; ++k) {
      for (std::size_t j = kOrder; j >= k; --j) differences_[j] -= differences_[j - 1];
    }
  }
  Fixed value() const { return differences_[0]; }
  void Step() {
    for (std::size_t k = 0; k < kOrder; ++k) differences_[k] += differences_[k + 1];
  }

 private:
  std::array<Fixed, kOrder + 1> differences_;
};

// One line: value + slope * j + curvature / 2 * j^2 mod 1 at operand middle + j.
struct Segment {
  Bits begin = 0;
  std::uint64_t length = 0;
  Fixed value = 0, slope = 0;
  double curvature = 0;

  LefevreHit At(std::uint64_t i) const {
    const auto j = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(length / 2);
    const Fixed line = value + slope * static_cast<Fixed>(j);  // negative j wraps as it should
    const double fraction = static_cast<double>(static_cast<std::int64_t>(line >> 64)) * 0x1p-64;
    const auto offset = static_cast<double>(j);
    const double curved = std::fabs(fraction + curvature / 2 * offset * offset);
    const double to_midpoint = std::fabs(curved - 0.5);
    return {.operand = begin + i,
            .distance = std::min(curved, to_midpoint),
            .to_midpoint = to_midpoint < curved};
  }

  // False where more operands than chance explains are near: nothing of the segment counts then.
  bool Search(double bound, std::vector<LefevreHit>* hits) const {
    constexpr std::uint64_t kModulus = std::uint64_t{1} << kModulusBits;
    // In half gaps, where numbers and midpoints are the integers.
    const auto reduce = [](Fixed gaps) {
      return static_cast<std::uint64_t>((gaps << 1) >> (128 - kModulusBits));
    };
    const auto window = static_cast<std::uint64_t>(2 * (kLineError + bound) * 0x1p46) + 2 * length;
    std::uint64_t at = reduce(value - slope * static_cast<Fixed>(length / 2));
    const std::uint64_t step = reduce(slope);
    const std::size_t before = hits->size();
    std::size_t near = 0;
    for (std::uint64_t i = 0; i < length; ++i, at = (at + step) % kModulus) {
      // at + step * k within the window around 0.
      if (at > window && at < kModulus - window) {
        const std::uint64_t low = kModulus - window - at, high = low + 2 * window;
        const std::uint64_t k = FirstInRange(step, kModulus, low, high, length - i);
        i += k;
        if (i >= length) break;
        at = (at + step * k) % kModulus;
      }
      if (++near > kMostHitsOfSegment) {
        hits->resize(before);
        return false;
      }
      const LefevreHit hit = At(i);
      if (hit.distance <= bound) hits->push_back(hit);
    }
    return true;
  }
};

// As many operands as a line follows that bends so much.
std::uint64_t SegmentLength(double curvature) {
  std::uint64_t length = kLongest;
  const auto error = [&] {
    const double half = static_cast<double>(length) / 2;
    return std::fabs(curvature) / 2 * half * half;
  };
  while (length >= kShortest && error() > kLineError) length /= 2;
  return length;
}

// The polynomial of operands [first, first + count), nothing where it is not within `error` gaps at
// one more place.
std::optional<Polynomial> Approximate(const Operation& operation, Bits first, std::uint64_t count,
                                      double error) {
  Values values(operation);
  const std::uint64_t step = count / kDegree;
  const Reals nodes = MakeReals();
  for (std::size_t k = 0; k <= kDegree; ++k) {
    // The last one may be the first of the next binade: a number like all others.
    if (!values.At(first + k * step, *nodes[k])) return std::nullopt;
  }
  std::optional<Polynomial> polynomial(std::in_place, nodes, step);
  // The error is that of (t - 0)(t - 1)...(t - 4), which is 3.6 at its largest and 3.2 here.
  const std::uint64_t check = step / 4 + step / 8;
  Real expected(kPrecision), computed(kPrecision);
  if (!values.At(first + check, expected)) return std::nullopt;
  polynomial->At(check, 0, computed);
  mpfr_sub(computed, computed, expected, MPFR_RNDN);
  if (std::fabs(mpfr_get_d(computed, MPFR_RNDN)) > error / 2) return std::nullopt;
  return polynomial;
}

}  // namespace

std::uint64_t FirstInRange(std::uint64_t a, std::uint64_t m, std::uint64_t low, std::uint64_t high,
                           std::uint64_t n) {
  if (low == 0) return 0;
  if (n <= 1 || a == 0) return n;
  // Mirrored, the remainders fall by less than half of the modulus.
  if (a > m / 2) return FirstInRange(m - a, m, m - high, m - low, n);
  const std::uint64_t direct = (low + a - 1) / a;
  if (direct >= n) return n;
  if (direct * a <= high) return direct;
  // a * i in [low, high] + m * y: no multiple of a lies in [low, high], so look where m * y mod a
  // is.
  const std::uint64_t wraps = a * (n - 1) / m;
  if (wraps == 0) return n;
  const std::uint64_t y = FirstInRange(m % a, a, a - high % a, a - low % a, wraps + 1);
  if (y > wraps) return n;
  const std::uint64_t i = (low + m * y + a - 1) / a;
  return std::min(i, n);
}

std::optional<LefevreRun> SearchConsecutive(const Operation& operation, Bits first,
                                            std::uint64_t segments, double bound) {
  std::uint64_t count = kMostOperands;
  std::optional<Polynomial> polynomial;
  std::uint64_t length = 0;
  // Shorter until a polynomial fits and its lines are not too many.
  for (;; count /= 4) {
    if (count < kShortest * kDegree) return std::nullopt;
    polynomial = Approximate(operation, first, count, bound / 16);
    if (!polynomial) continue;
    double curvature = 0;
    for (std::uint64_t at : {std::uint64_t{0}, count / 2, count}) {
      curvature = std::max(curvature, std::fabs(polynomial->CurvatureAt(at)));
    }
    length = std::min(SegmentLength(curvature), count);
    if (length < kShortest) return std::nullopt;
    if (count / length <= segments) break;
  }
  LefevreRun run{.searched = count, .segments = count / length};
  Stepper<4> value(*polynomial, 0, length / 2, length);
  Stepper<3> slope(*polynomial, 1, length / 2, length);
  const double begin_curvature = polynomial->CurvatureAt(length / 2);
  const double end_curvature = polynomial->CurvatureAt(count - length / 2);
  for (std::uint64_t s = 0; s < run.segments; ++s, value.Step(), slope.Step()) {
    const double share = static_cast<double>(s) / static_cast<double>(run.segments);
    const Segment segment{.begin = first + s * length,
                          .length = length,
                          .value = value.value(),
                          .slope = slope.value(),
                          .curvature = begin_curvature + share * (end_curvature - begin_curvature)};
    if (!segment.Search(bound, &run.hits)) run.skipped += length;
  }
  return run;
}

}  // namespace assay::numerics
