#include "numerics/smoothness.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::numerics {
namespace {

double DistanceToInteger(double x) { return std::fabs(x - std::nearbyint(x)); }

// |tan z| <= cosh(Im z) / |cos(Re z)|, and cos changes by at most 0.49 of its value `cosine` in the
// disc, whose radius is in units of the angle.
Disc DiscOfTangent(double value, double unit) {
  const double cosine = 1 / std::sqrt(1 + value * value);
  return {.radius = 0.49 * cosine / unit, .bound = 2.3 / cosine};
}

// log gamma of positive x: Stirling's series of x + 1 (DLMF 5.11.1; its error in the right half
// plane is below 1 / 6 there) and log x, all taken larger.
double BoundOfLgamma(double x) { return 4 * (x + 1) * (std::fabs(std::log(x)) + 3); }

}  // namespace

std::optional<Disc> DiscOfTan(double /*x*/, double value) { return DiscOfTangent(value, 1); }
std::optional<Disc> DiscOfTanpi(double /*x*/, double value) {
  return DiscOfTangent(value, std::numbers::pi);
}

// |sinh z| and |cosh z| <= cosh(Re z).
std::optional<Disc> DiscOfSinh(double /*x*/, double value) {
  return Disc{.radius = 1, .bound = 2.8 * std::sqrt(1 + value * value)};
}

// |e^z - 1| <= e^|z| - 1.
std::optional<Disc> DiscOfExpm1(double x, double value) {
  if (std::fabs(x) <= 0.5) return Disc{.radius = 0.5, .bound = 1.8};
  return Disc{.radius = 0.25, .bound = 1.3 * (1 + std::fabs(value)) + 1};
}

// |log(1 + z)| <= -log(1 - |z|).
std::optional<Disc> DiscOfLog1p(double x, double value) {
  if (std::fabs(x) <= 0.5) return Disc{.radius = 0.25, .bound = 1.4};
  return Disc{.radius = (1 + x) / 2, .bound = std::fabs(value) + 1.3};
}

std::optional<Disc> DiscOfErfc(double x, double value) {
  // As erf.
  if (x < 1) return Disc{.radius = 0.5, .bound = std::fabs(value) + 0.8};
  // 2 / sqrt(pi) e^(-z^2) times the integral of e^(-t^2 - 2 z t) over t > 0, which is at most
  // sqrt(pi) / 2 where Re z >= 0; and Re z^2 >= x^2 - 1.
  return Disc{.radius = 0.5 / x, .bound = 1.1 * std::exp(1 - x * x)};
}

std::optional<Disc> DiscOfLgamma(double x, double /*value*/) {
  if (x > 0) return Disc{.radius = x / 2, .bound = BoundOfLgamma(x)};
  // log pi - log |sin(pi z)| - log gamma(1 - z); |sin(pi z)| is at least the distance to an
  // integer.
  const double distance = DistanceToInteger(x);
  if (distance == 0 || x < -0x1p10) return std::nullopt;
  return Disc{.radius = distance / 2, .bound = BoundOfLgamma(1 - x) - std::log(distance) + 5};
}

std::optional<Disc> DiscOfTgamma(double x, double value) {
  const double magnitude = std::fabs(value);
  // |gamma(z)| <= gamma(Re z) (DLMF 5.6.6), which in the disc is at most 3 gamma(x) (5.6.4).
  if (x > 0 && x <= 70) {
    return Disc{.radius = std::fmin(0.25, x / 2), .bound = 3 * magnitude};
  }
  // pi / (sin(pi z) gamma(1 - z)), and DLMF 5.6.7 is a lower bound of |gamma(1 - z)|.
  const double distance = DistanceToInteger(x);
  if (x > 0 || x < -64 || distance == 0) return std::nullopt;
  return Disc{.radius = distance / 2, .bound = 12 * magnitude};
}

// The bounds of those with a rule, by the definitions:
//   |b^z| = b^(Re z), and |z^a| = |z|^a for real a;
//   |log z| <= |log |z|| + |arg z|, where |z| is half to one and a half of x;
//   |sin z| and |cos z| <= cosh(Im z), |cosh z| <= cosh(Re z);
//   |asin z| <= asin |z| <= pi / 2 in the unit disc;
//   |tanh z|^2 = (sinh^2 Re z + sin^2 Im z) / (sinh^2 Re z + cos^2 Im z) <= 1 for |Im z| <= pi / 4;
//   |erf'(z)| = 2 / sqrt(pi) e^(-Re z^2), and Re z^2 >= -1/4;
//   the other inverse functions: their derivatives 1 / (1 + z^2), 1 / sqrt(1 + z^2),
//   1 / sqrt(z^2 - 1) and 1 / (1 - z^2) in discs that reach half the way to the next singularity,
//   times the radius.
std::optional<Disc> DiscAround(Function function, double x, double value) {
  using enum DiscRule::Reach;
  const Shape& shape = ShapeOf(PartUpTo(function, x));
  const Interval& domain = shape.domain;
  if (x <= domain.low || x >= domain.high) return std::nullopt;
  // Beyond this magnitude a period holds too few floats for a polynomial.
  if (shape.period != 0 && std::fabs(x) > 0x1p12) return std::nullopt;
  const DiscRule& rule = shape.disc;
  double reach = 1;
  switch (rule.reach) {
    case kNoDisc:
      return std::nullopt;
    case kSpecial:
      return rule.special(x, value);
    case kFixed:
      break;
    case kToZero:
      reach = std::fabs(x);
      break;
    case kToEnds:
      reach = std::min(x - domain.low, domain.high - x);
      break;
    case kToI:
      reach = std::sqrt(1 + x * x);
      break;
  }
  return Disc{.radius = rule.radius * reach,
              .bound = rule.constant + rule.factor * std::fabs(value)};
}

bool IsPlateau(Function function, double first, double last) {
  const Function base = PartUpTo(function, last);
  if (IsOutsideDomain(base, std::min(first, last), std::max(first, last))) return true;
  const Shape& shape = ShapeOf(base);
  return std::fabs(last) <= shape.near ||
         std::fabs(first) >= (first < 0 ? shape.far.negative : shape.far.positive);
}

}  // namespace assay::numerics
