#include "numerics/stretch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/certify.h"
#include "numerics/evaluate.h"
#include "numerics/real.h"
#include "numerics/shape.h"

namespace assay::numerics {
namespace {

constexpr Format kFloat = Format::kFloat;
constexpr int kLast = kNeighbours - 1;

// A value closer than this to a number or a midpoint is left to MPFR, whatever the polynomial says.
constexpr double kMargin = 0x1p-20;
// Of fractions of which less is known nothing is said.
constexpr double kMostError = 0x1p-24;
// MPFR gives a value with 64 bits, rounded once (or three times: PlaceApproximate): 2^-41 gaps, or
// less than 2^-38.
constexpr double kNodeError = 0x1p-36;
// One rounding of a double.
constexpr double kUnit = 0x1p-53;
// A slope, in gaps an item, is a whole number of these, so that its products are exact.
constexpr int kSlopeBits = 32;
constexpr double kSlopeUnit = 0x1p-32;
constexpr std::int64_t kSlopeMask = (std::int64_t{1} << kSlopeBits) - 1;
constexpr double kMostSlope = 0x1p20;  // gaps an item: the sums of 1024 stay far below 2^63

using Results = std::array<Exact, 2>;

bool IsPlain(const Exact& exact) {
  return exact.kind == ResultKind::kFinite && !exact.prescribed && !exact.any_zero_sign;
}

double Operand(Bits bits) { return ToDouble(kFloat, bits); }

// Whether all operands from `first` to `last` have one result: far from zero all are whole numbers,
// even ones for sinpi and poles of the gamma function; or none has a number as a result.
bool AreAllAlike(Function function, double first, double last) {
  const Shape& shape = ShapeOf(function);
  const bool negative = first < 0;
  if (IsOutsideDomain(function, std::min(first, last), std::max(first, last))) return true;
  if (shape.period == 0 && !(shape.pieces == Pieces::kGamma && negative)) return false;
  return std::fabs(first) >= (negative ? shape.far.negative : shape.far.positive);
}

// Of the gamma function, whose sign changes at its poles only: zero and the negative whole numbers.
bool HasPoleBetween(double a, double b) {
  return a < 0 && (std::floor(a) != std::floor(b) || a == std::floor(a) || b == std::floor(b));
}

// Beyond this magnitude a period holds too few floats for a polynomial.
constexpr double kLargeAngle = 0x1p10;
// What long doubles lose: three roundings of 2^-64 and less for a sine, and twice that and one more
// for a tangent, beside a sine and a cosine that are not below kLeastOfAngles.  That is 2^-52 of a
// value, 2^-28 gaps.
constexpr long double kLeastOfAngles = 0x1p-9;
constexpr double kMostErrorOfAngles = 0x1p-26;
static_assert(std::numeric_limits<long double>::digits >= 64);

// Sines and cosines of a stretch by the addition theorem: those of each 32nd operand, and of the
// first 31 multiples of the distance of neighbours.
class Angles {
 public:
  // `turns`: the operands are multiples of pi.
  Angles(Bits first, bool turns) {
    const double gap = Operand(first + 1) - Operand(first);
    Real angle(64), sine(64), cosine(64);
    for (int n = 0; n < kSteps; ++n) {
      const auto set = [&](double x, Pair* pair) {
        mpfr_set_d(angle, x, MPFR_RNDN);
        if (turns) {
          mpfr_sinpi(sine, angle, MPFR_RNDN);
          mpfr_cospi(cosine, angle, MPFR_RNDN);
        } else {
          mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
        }
        *pair = {mpfr_get_ld(sine, MPFR_RNDN), mpfr_get_ld(cosine, MPFR_RNDN)};
      };
      set(Operand(first + static_cast<Bits>(n * kSteps)), &coarse_[static_cast<std::size_t>(n)]);
      set(n * gap, &fine_[static_cast<std::size_t>(n)]);
    }
  }

  struct Pair {
    long double sine = 0, cosine = 1;
  };
  Pair At(int item) const {
    const Pair& a = coarse_[static_cast<std::size_t>(item / kSteps)];
    const Pair& b = fine_[static_cast<std::size_t>(item % kSteps)];
    return {a.sine * b.cosine + a.cosine * b.sine, a.cosine * b.cosine - a.sine * b.sine};
  }

 private:
  static constexpr int kSteps = 32;
  std::array<Pair, kSteps> coarse_, fine_;
};
static_assert(kNeighbours == 32 * 32);

// Are the operands angles?  Multiples of pi?
bool IsOfAngle(Function function) { return ShapeOf(function).period != 0; }
bool IsOfTurns(Function function) {
  return IsOfAngle(function) && ShapeOf(function).period == std::floor(ShapeOf(function).period);
}

long double OfAngle(Function function, const Angles::Pair& angle) {
  const Shape& shape = ShapeOf(function);
  if (shape.pieces == Pieces::kTangent) return angle.sine / angle.cosine;
  return shape.top == 0 ? angle.cosine : angle.sine;
}

}  // namespace

// What is known of one result at all items.
struct Stretch::Places {
  enum class Kind : std::uint8_t {
    kAlike,   // the kind of both ends: NaN, or an integer, or far beyond the largest number
    kBeside,  // in a part of a gap that holds no boundary: of one gap, or of each operand's own
    kPlaces,  // as `below` and `fraction` have it
  };
  Kind kind = Kind::kAlike;
  Exact end;                 // kAlike, kBeside: at the first item
  Bits step = 0;             // kBeside: of `below`, from item to item
  double low = 0, high = 0;  // kBeside: all fractions lie here
  double error = 0;          // kPlaces, of the fractions
  std::array<Bits, kNeighbours> below{};
  std::array<double, kNeighbours> fraction{};  // 0: nothing is known

  bool Confirms(int item, const Exact& fast, double* difference) const;
  bool FitEnds(Function function, Bits first, const Exact& a, const Exact& b);
  bool FitPolynomial(Function function, Bits first, std::span<const Exact> nodes);
  void FitAngles(Function function, const Angles& angles);
};

bool Stretch::Places::Confirms(int item, const Exact& fast, double* difference) const {
  *difference = 0;
  if (kind == Kind::kAlike) {
    if (end.kind != ResultKind::kFinite || end.fraction == 0) return Agrees(fast, end, kFloat);
    return IsPlain(fast) && fast.below == end.below && fast.fraction > kFarOverflow;
  }
  if (!IsPlain(fast)) return false;
  const double tolerance = FractionTolerance(kFloat);
  const auto i = static_cast<std::size_t>(item);
  if (kind == Kind::kPlaces) {
    const double known = fraction[i];
    if (fast.below != below[i] || DistanceToBoundary(known) <= kMargin) return false;
    *difference = std::fabs(fast.fraction - known) + error;
    return *difference <= tolerance;
  }
  if (fast.below != end.below + i * step ||
      SideOfBoundaries(fast.fraction) != SideOfBoundaries(low)) {
    return false;
  }
  *difference = std::max(std::fabs(fast.fraction - low), std::fabs(fast.fraction - high));
  return *difference <= tolerance;
}

// From the values at both ends.
bool Stretch::Places::FitEnds(Function function, Bits first, const Exact& a, const Exact& b) {
  const double x = Operand(first), y = Operand(first + kLast);
  kind = Kind::kAlike;
  end = a;
  if (a.kind != b.kind) return false;
  if (AreAllAlike(function, x, y)) return Agrees(a, b, kFloat);
  if (a.kind == ResultKind::kInteger) {
    return Agrees(a, b, kFloat) && !HasPoleBetween(x, y);
  }
  if (!IsMonotone(function, std::min(x, y), std::max(x, y))) return false;
  if (a.kind == ResultKind::kNan) return true;
  if (!IsPlain(a) || !IsPlain(b)) return false;
  if (a.fraction > kFarOverflow && b.fraction > kFarOverflow) return a.below == b.below;
  const int side = SideOfBoundaries(a.fraction);
  if (side != SideOfBoundaries(b.fraction) || DistanceToBoundary(a.fraction) <= 0 ||
      DistanceToBoundary(b.fraction) <= 0 || a.fraction >= 1) {
    return false;
  }
  kind = Kind::kBeside;
  low = std::min(a.fraction, b.fraction);
  high = std::max(a.fraction, b.fraction);
  if (high - low > kMostError) return false;
  if (a.below == b.below) return true;
  // The gap below a power of two is half of the others.
  step = 1;
  return (a.below == first || a.below + 1 == first) && b.below == a.below + kLast &&
         ShapeOf(function).is_like_operand && std::fabs(y) <= 0.5 &&
         (first & MantissaMask(kFloat)) != 0;
}

bool Stretch::Places::FitPolynomial(Function function, Bits first, std::span<const Exact> nodes) {
  kind = Kind::kPlaces;
  const Exact& center = nodes[kCenterNode];
  // Where all values are of one binade, the bits of `below` count gaps.
  constexpr int kMantissaBits = Traits(kFloat).mantissa_bits();
  for (const Exact& node : nodes) {
    if (!IsPlain(node) || (node.below ^ center.below) >> kMantissaBits != 0 || node.fraction >= 1) {
      return false;
    }
  }
  const double gap = std::ldexp(1, GridExponent(kFloat, center.below) - kMantissaBits);
  const double value = std::fabs(Operand(center.below)) + center.fraction * gap;
  const double operand = Operand(first + kNodes[kCenterNode]);
  const auto disc =
      DiscAround(function, operand, IsNegative(kFloat, center.below) ? -value : value);
  if (!disc) return false;

  // Less a line through the values at the outer nodes, whose products are exact.
  const auto gaps = [&](std::size_t k) {
    return static_cast<std::int64_t>(nodes[k].below) - static_cast<std::int64_t>(center.below);
  };
  const double rise = static_cast<double>(gaps(kNodeCount - 1) - gaps(0)) +
                      (nodes[kNodeCount - 1].fraction - nodes[0].fraction);
  const double slope = rise / static_cast<double>(kNodes[kNodeCount - 1] - kNodes[0]);
  if (std::fabs(slope) > kMostSlope) return false;
  const std::int64_t units = std::llround(slope / kSlopeUnit);
  const auto line = [&](std::size_t item) {
    return units *
           (static_cast<std::int64_t>(item) - static_cast<std::int64_t>(kNodes[kCenterNode]));
  };
  std::array<double, kNodeCount> rest{};
  double spread = 1;
  for (std::size_t k = 0; k < kNodeCount; ++k) {
    const std::int64_t there = line(kNodes[k]);
    rest[k] = static_cast<double>(gaps(k) - (there >> kSlopeBits)) -
              static_cast<double>(there & kSlopeMask) * kSlopeUnit + nodes[k].fraction;
    spread = std::max(spread, std::fabs(rest[k]));
  }
  const Interpolation& interpolation = NeighbourInterpolation();
  const double operand_gap = std::fabs(Operand(first + 1) - Operand(first));
  // `rest` and the last sums are rounded, too.
  error = interpolation.Error(*disc, operand_gap) / gap +
          interpolation.growth * (kNodeError + 4 * kUnit * spread) +
          interpolation.RoundingError(spread) + 8 * kUnit * spread * interpolation.growth;
  if (!(error <= kMostError)) return false;

  const auto c = interpolation.Through(rest);
  for (int item = 0; item < kNeighbours; ++item) {
    const auto i = static_cast<std::size_t>(item);
    const double t = InterpolationVariable(item);
    const double r =
        ((((((c[7] * t + c[6]) * t + c[5]) * t + c[4]) * t + c[3]) * t + c[2]) * t + c[1]) * t +
        c[0];
    const std::int64_t there = line(i);
    const double sum = static_cast<double>(there & kSlopeMask) * kSlopeUnit + r;
    const double whole = std::floor(sum);
    below[i] =
        center.below + static_cast<Bits>((there >> kSlopeBits) + static_cast<std::int64_t>(whole));
    const bool in_binade = (below[i] ^ center.below) >> kMantissaBits == 0;
    fraction[i] = in_binade ? sum - whole : 0;
  }
  return true;
}

void Stretch::Places::FitAngles(Function function, const Angles& angles) {
  kind = Kind::kPlaces;
  error = kMostErrorOfAngles;
  for (int item = 0; item < kNeighbours; ++item) {
    const Angles::Pair angle = angles.At(item);
    const long double value = OfAngle(function, angle);
    const auto i = static_cast<std::size_t>(item);
    // Close to zero too little is known.
    const bool is_known =
        std::fabs(angle.sine) >= kLeastOfAngles && std::fabs(angle.cosine) >= kLeastOfAngles;
    if (!is_known) continue;
    constexpr int kMantissaBits = Traits(kFloat).mantissa_bits();
    int exponent = 0;
    const long double scaled =
        std::ldexp(std::frexp(std::fabs(value), &exponent), kMantissaBits + 1);
    const auto units = static_cast<Bits>(scaled);
    below[i] = (value < 0 ? SignMask(kFloat) : 0) +
               (static_cast<Bits>(exponent - 2 + Traits(kFloat).emax) << kMantissaBits) + units;
    fraction[i] = static_cast<double>(scaled - static_cast<long double>(units));
  }
}

Stretch::Stretch(Function function, Bits first) : results_(Info(function).results.size()) {
  const Operation operation = Operation::Builtin(function, kFloat);
  const auto exact_at = [&](std::size_t item) {
    Results results;
    const Bits operand = first + item;
    EvaluateExact(operation, {&operand, 1}, std::span(results).first(results_));
    return results;
  };
  const Results a = exact_at(0), b = exact_at(kLast);
  std::optional<std::array<Results, kNodeCount>> nodes;
  std::optional<Angles> angles;
  for (std::size_t r = 0; r < results_; ++r) {
    const Function component = PartUpTo(function, Operand(first + kLast), r);
    auto places = std::make_unique<Places>();
    if (IsOfAngle(component) && std::fabs(Operand(first)) >= kLargeAngle &&
        !AreAllAlike(component, Operand(first), Operand(first + kLast))) {
      if (!angles) angles.emplace(first, IsOfTurns(component));
      places->FitAngles(component, *angles);
    } else if (!places->FitEnds(component, first, a[r], b[r])) {
      if (a[r].kind != ResultKind::kFinite) continue;
      if (!nodes) {
        nodes.emplace();
        for (std::size_t k = 0; k < kNodeCount; ++k) (*nodes)[k] = exact_at(kNodes[k]);
      }
      std::array<Exact, kNodeCount> values;
      for (std::size_t k = 0; k < kNodeCount; ++k) values[k] = (*nodes)[k][r];
      if (!places->FitPolynomial(component, first, values)) continue;
    }
    for (const Exact* end : {&a[r], &b[r]}) {
      if (end->kind != ResultKind::kFinite || end->fraction >= 2) continue;
      const double distance = DistanceToBoundary(end->fraction);
      if (distance > kSettled) nearest_ = std::min(nearest_, distance);
    }
    places_[r] = std::move(places);
  }
}

Stretch::~Stretch() = default;

double Stretch::error() const {
  double error = 0;
  for (const auto& places : places_) {
    if (places != nullptr && places->kind == Places::Kind::kPlaces) {
      error = std::max(error, places->error);
    }
  }
  return error;
}

bool Stretch::Confirms(int item, std::span<const Exact> fast, double* difference) const {
  *difference = 0;
  for (std::size_t r = 0; r < results_; ++r) {
    double one = 0;
    if (places_[r] == nullptr || !places_[r]->Confirms(item, fast[r], &one)) return false;
    *difference = std::max(*difference, one);
  }
  return true;
}

}  // namespace assay::numerics
