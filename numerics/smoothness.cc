#include "numerics/smoothness.h"

#include <cmath>
#include <numbers>

#include "numerics/fast_path.h"

namespace assay::numerics {
namespace {

using enum Function;

// The function whose values these are; half_sin and its like are undefined beyond 2^16.
Function Named(Function function, double largest) {
  const bool in_domain = std::fabs(largest) <= 0x1p16;
  switch (function) {
    case half_cos:
      return in_domain ? cos : function;
    case half_sin:
      return in_domain ? sin : function;
    case half_tan:
      return in_domain ? tan : function;
    default:
      return CertifiedAs(function);
  }
}

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

std::optional<Disc> DiscOfLgamma(double x) {
  if (x > 0) return Disc{.radius = x / 2, .bound = BoundOfLgamma(x)};
  // log pi - log |sin(pi z)| - log gamma(1 - z); |sin(pi z)| is at least the distance to an
  // integer.
  const double distance = DistanceToInteger(x);
  if (distance == 0 || x < -0x1p10) return std::nullopt;
  return Disc{.radius = distance / 2, .bound = BoundOfLgamma(1 - x) - std::log(distance) + 5};
}

std::optional<Disc> DiscOfTgamma(double x, double magnitude) {
  // |gamma(z)| <= gamma(Re z) (DLMF 5.6.6), which in the disc is at most 3 gamma(x) (5.6.4).
  if (x > 0 && x <= 70) {
    return Disc{.radius = std::fmin(0.25, x / 2), .bound = 3 * magnitude};
  }
  // pi / (sin(pi z) gamma(1 - z)), and DLMF 5.6.7 is a lower bound of |gamma(1 - z)|.
  const double distance = DistanceToInteger(x);
  if (x > 0 || x < -64 || distance == 0) return std::nullopt;
  return Disc{.radius = distance / 2, .bound = 12 * magnitude};
}

std::optional<Disc> DiscOfExponential(Function function, double x, double magnitude) {
  const double size = std::fabs(x);
  switch (function) {
    // |b^z| = b^(Re z).
    case exp:
      return Disc{.radius = 1, .bound = 3 * magnitude};
    case exp2:
      return Disc{.radius = 1, .bound = 2.1 * magnitude};
    case exp10:
      return Disc{.radius = 0.4, .bound = 2.6 * magnitude};
    case expm1:
      // |e^z - 1| <= e^|z| - 1.
      if (size <= 0.5) return Disc{.radius = 0.5, .bound = 1.8};
      return Disc{.radius = 0.25, .bound = 1.3 * (1 + magnitude) + 1};
    // |log z| <= |log |z|| + |arg z|; |z| is half to one and a half of x.
    case log:
      if (x < 0) return std::nullopt;
      return Disc{.radius = x / 2, .bound = magnitude + 1.3};
    case log2:
      if (x < 0) return std::nullopt;
      return Disc{.radius = x / 2, .bound = magnitude + 1.8};
    case log10:
      if (x < 0) return std::nullopt;
      return Disc{.radius = x / 2, .bound = magnitude + 0.6};
    case log1p:
      if (x <= -1) return std::nullopt;
      // |log(1 + z)| <= -log(1 - |z|).
      if (size <= 0.5) return Disc{.radius = 0.25, .bound = 1.4};
      return Disc{.radius = (1 + x) / 2, .bound = magnitude + 1.3};
    default:
      return std::nullopt;
  }
}

std::optional<Disc> DiscOfAngle(Function function, double x, double value) {
  const double size = std::fabs(x), magnitude = std::fabs(value);
  // The distance to the branch points i and -i.
  const double to_i = std::sqrt(1 + x * x);
  switch (function) {
    // At most cosh(Im z).
    case sin:
    case cos:
      if (size > 0x1p12) return std::nullopt;
      return Disc{.radius = 8, .bound = 1491};
    case sinpi:
    case cospi:
      if (size > 0x1p12) return std::nullopt;
      return Disc{.radius = 2, .bound = 269};
    case tan:
      if (size > 0x1p12) return std::nullopt;
      return DiscOfTangent(value, 1);
    case tanpi:
      if (size > 0x1p12) return std::nullopt;
      return DiscOfTangent(value, std::numbers::pi);
    // |asin z| <= asin |z| <= pi / 2 in the unit disc.
    case asin:
    case acos:
      if (size >= 1) return std::nullopt;
      return Disc{.radius = (1 - size) / 2, .bound = 3.2};
    case asinpi:
    case acospi:
      if (size >= 1) return std::nullopt;
      return Disc{.radius = (1 - size) / 2, .bound = 1.1};
    // The derivatives 1 / (1 + z^2), 1 / sqrt(1 + z^2), 1 / sqrt(z^2 - 1) and 1 / (1 - z^2) in
    // discs that reach half the way to the next singularity, times the radius.
    case atan:
    case atanpi:
      return Disc{.radius = to_i / 2, .bound = magnitude + 2};
    case asinh:
      return Disc{.radius = to_i / 2, .bound = magnitude + 1.1};
    case acosh:
      if (x <= 1) return std::nullopt;
      return Disc{.radius = (x - 1) / 2, .bound = magnitude + 1.1};
    case atanh:
      if (size >= 1) return std::nullopt;
      return Disc{.radius = (1 - size) / 2, .bound = magnitude + 2.1};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Disc> DiscAround(Function function, double x, double value) {
  const double size = std::fabs(x), magnitude = std::fabs(value);
  const Function named = Named(function, x);
  if (const auto disc = DiscOfExponential(named, x, magnitude)) return disc;
  if (const auto disc = DiscOfAngle(named, x, value)) return disc;
  switch (named) {
    // |sinh z| and |cosh z| <= cosh(Re z).
    case sinh:
      return Disc{.radius = 1, .bound = 2.8 * std::sqrt(1 + value * value)};
    case cosh:
      return Disc{.radius = 1, .bound = 2.8 * magnitude};
    // |tanh z|^2 = (sinh^2 Re z + sin^2 Im z) / (sinh^2 Re z + cos^2 Im z) <= 1 for |Im z| <= pi
    // / 4.
    case tanh:
      return Disc{.radius = 0.75, .bound = 1.1};
    // |erf'(z)| = 2 / sqrt(pi) e^(-Re z^2), and Re z^2 >= -1/4.
    case erf:
      return Disc{.radius = 0.5, .bound = magnitude + 0.8};
    case erfc:
      if (x < 1) return Disc{.radius = 0.5, .bound = magnitude + 0.8};
      // 2 / sqrt(pi) e^(-z^2) times the integral of e^(-t^2 - 2 z t) over t > 0, which is at most
      // sqrt(pi) / 2 where Re z >= 0; and Re z^2 >= x^2 - 1.
      return Disc{.radius = 0.5 / x, .bound = 1.1 * std::exp(1 - x * x)};
    case lgamma:
      return DiscOfLgamma(x);
    case tgamma:
      return DiscOfTgamma(x, magnitude);
    // Powers of a z that is half to one and a half of x.
    case cbrt:
      return Disc{.radius = size / 2, .bound = 1.2 * magnitude};
    case sqrt:
      if (x < 0) return std::nullopt;
      return Disc{.radius = x / 2, .bound = 1.3 * magnitude};
    case rsqrt:
      if (x < 0) return std::nullopt;
      return Disc{.radius = x / 2, .bound = 1.5 * magnitude};
    case recip_div:
      return Disc{.radius = size / 2, .bound = 2.1 * magnitude};
    case degrees:
    case radians:
      return Disc{.radius = size / 2, .bound = 1.6 * magnitude};
    default:
      return std::nullopt;
  }
}

// Where a value is off from an anchor by at most 2^-53 of it, an approximation is off by at most
// that and its own error, so that no path is certain of its place but by algebra
// (FastPath::settle). 2^-27: an even or odd function, whose next term is x^2 / 2 of the first, or
// less.
bool IsPlateau(Function function, double first, double last) {
  const double least = std::fabs(first), most = std::fabs(last);
  const bool negative = first < 0;
  switch (Named(function, last)) {
    case exp:
      return most <= 0x1p-55 || least > 230;
    case exp2:
      return most <= 0x1p-55 || least > 320;
    case exp10:
      return most <= 0x1p-55 || least > 96;
    case expm1:
      return most <= 0x1p-53 || least > (negative ? 40 : 230);
    case log:
    case log2:
    case log10:
    case sqrt:
    case rsqrt:
      return negative;
    case log1p:
      return most <= 0x1p-53 || (negative && least > 1);
    case sin:
    case cos:
    case tan:
    case atan:
    case asinh:
      return most <= 0x1p-27;
    case asin:
    case atanh:
      return most <= 0x1p-27 || least > 1;
    case sinh:
    case cosh:
      return most <= 0x1p-27 || least > 230;
    case tanh:
      return most <= 0x1p-27 || least > 20;
    case acos:
    case asinpi:
      return least > 1;
    case acospi:
      return most <= 0x1p-54 || least > 1;
    case acosh:
      return negative || most < 1;
    case atanpi:
      return least >= 0x1p54;
    case sinpi:
    case tanpi:
      return least >= 0x1p25;
    case cospi:
      return most <= 0x1p-29 || least >= 0x1p25;
    case erf:
      return least >= 7;
    case erfc:
      return most <= 0x1p-54 || least >= (negative ? 7 : 14.6);
    case tgamma:
      return negative ? least >= 0x1p24 : least > 68;
    case lgamma:
      return negative && least >= 0x1p23;
    // Undefined.
    case half_cos:
    case half_sin:
    case half_tan:
      return least > 0x1p16;
    default:
      return false;
  }
}

}  // namespace assay::numerics
