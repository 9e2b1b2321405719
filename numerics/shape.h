// What is certain of a built-in's values, by its row in functions.def: where it is defined, where
// it grows or falls, where it hardly changes, and which function has the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <optional>
#include <string_view>

#include "numerics/format.h"
#include "numerics/function.h"

namespace assay::numerics {

// Where a built-in grows or falls with each of its operands.
enum class Pieces : std::uint8_t {
  kNotStated,  // as its base does
  kNone,       // nothing is stated
  kMonotone,   // wherever it is defined
  // Of one operand.
  kEven,       // on each side of zero, and only the magnitude matters (hypot: of each operand)
  kSides,      // on each side of zero, where it is something else
  kPole,       // on each side of zero, where its value is an infinity of the zero's sign
  kWave,       // between its maxima 1 at top + n * period, and its minima -1 half a period away
  kTangent,    // between its poles, half a period from n * period
  kGamma,      // on both sides of its minimum at 1.4616; zero and the negative integers are poles
  kFloorPart,  // fract: between two whole numbers; the second result grows
  kTruncPart,  // modf: the same on each side of zero
  // Of two and three.
  kQuotient,          // where the second operand is not zero
  kPower,             // of a positive base, or for one whole exponent on one side of zero
  kRoot,              // as a power, for one integer
  kAngleOfTwo,        // atan2(y, x): away from its cut and from the origin
  kRemainder,         // is bounded by its operands
  kNearestRemainder,  // the same, by half of the second one
  kSmoothstep,        // for two edges that are known and in order
};

// The function is analytic in the disc |z - center| < radius of the complex plane, and its
// magnitude is at most `bound` there.
struct Disc {
  double radius = 0;
  double bound = 0;
};

// A disc around an operand.
struct DiscRule {
  enum class Reach : std::uint8_t {
    kNoDisc,   // none is stated
    kFixed,    // the radius is `radius`,
    kToZero,   // or so much of the distance to zero,
    kToEnds,   // to the ends of the domain,
    kToI,      // or to the branch points i and -i
    kSpecial,  // as `special` says
  };
  Reach reach = Reach::kNoDisc;
  double radius = 0;
  // The bound is `constant` + `factor` * |value at the operand|.
  double constant = 0, factor = 0;
  std::optional<Disc> (*special)(double x, double value) = nullptr;
};

// Magnitudes from which on the function hardly changes.
struct FarEnds {
  double negative = kInfinity, positive = kInfinity;
};

struct Interval {
  double low = -kInfinity, high = kInfinity;
};

struct Shape {
  // The function that has this one's first result and, of sincos, the second one.  Nothing: no
  // other row does.
  std::optional<Function> base{}, second{};
  // The first operand outside of it has no result that is a number (half_sin and its like: any).
  Interval domain{};
  Pieces pieces = Pieces::kNotStated;
  double period = 0, top = 0;  // kWave, kTangent
  // A value is off from one number, or from the operand if `is_like_operand`, by at most 2^-53 of
  // it for operands up to `near`, and beyond `far` it is that, no number, or at least 2^300 or at
  // most 2^-300.  No path is certain of such a place but by algebra (FastPath::settle).  2^-27 is
  // that of an even or odd function, whose next term is x^2 / 2 of the first, or less.
  double near = 0;
  // f(x) - x is monotone on each side of zero, for |x| up to 1/2: its derivative is 0 at 0 only.
  bool is_like_operand = false;
  FarEnds far{};
  DiscRule disc{};
  // C's name; '%' is where the suffix goes if not at the end.  "=": the row's own.  "": C has none.
  std::string_view libm = "=";
};

// The discs whose rule is their own (smoothness.cc).
std::optional<Disc> DiscOfTan(double x, double value);
std::optional<Disc> DiscOfTanpi(double x, double value);
std::optional<Disc> DiscOfSinh(double x, double value);
std::optional<Disc> DiscOfExpm1(double x, double value);
std::optional<Disc> DiscOfLog1p(double x, double value);
std::optional<Disc> DiscOfErfc(double x, double value);
std::optional<Disc> DiscOfLgamma(double x, double value);
std::optional<Disc> DiscOfTgamma(double x, double value);

namespace shape_rows {

using enum Function;
using enum Pieces;
using enum DiscRule::Reach;
constexpr double kPi = std::numbers::pi;
constexpr DiscRule Special(std::optional<Disc> (*disc)(double, double)) {
  return {.reach = kSpecial, .special = disc};
}

inline constexpr Shape kShapes[] = {
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact, path, inputs, ...) \
  {__VA_ARGS__},
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

constexpr bool AreComplete() {
  for (const Shape& shape : kShapes) {
    if ((shape.pieces == kNotStated) != shape.base.has_value()) return false;
  }
  return true;
}
static_assert(AreComplete(), "functions.def: each row states either its base or its pieces");

}  // namespace shape_rows

inline constexpr std::size_t kFunctionCount = std::size(shape_rows::kShapes);

constexpr const Shape& ShapeOf(Function function) {
  return shape_rows::kShapes[static_cast<std::size_t>(function)];
}

// The function that has the first result of this one: sin of half_sin, native_sin and sincos.
constexpr Function BaseOf(Function function) { return ShapeOf(function).base.value_or(function); }

// The same for any result; that of the first one where no function has the second one alone.
constexpr Function PartOf(Function function, std::size_t result) {
  return result == 0 ? BaseOf(function) : ShapeOf(function).second.value_or(BaseOf(function));
}

// The same for operands up to `largest` in magnitude: half_sin and its like are undefined beyond
// 2^16, and sin is not.
constexpr Function PartUpTo(Function function, double largest, std::size_t result = 0) {
  const Interval& domain = ShapeOf(function).domain;
  const double magnitude = largest < 0 ? -largest : largest;
  const bool is_limited = ShapeOf(function).base.has_value() && magnitude > domain.high;
  return is_limited ? function : PartOf(function, result);
}

// Of a function of one operand that is its own base: is it certain to have no number as a result
// anywhere between two operands; to grow or to fall between them?
bool IsOutsideDomain(Function function, double low, double high);
bool IsMonotone(Function function, double low, double high);

// How many multiples of `period`, shifted by `shift`, lie between two operands.
enum class Multiples : std::uint8_t { kNone, kSome, kNotCertain };
Multiples MultiplesBetween(double low, double high, double period, double shift);

}  // namespace assay::numerics
