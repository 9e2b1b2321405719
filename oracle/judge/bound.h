// The vocabulary of limits.def: bounds as typed values.  Internal to limits.cc, derivation.cc and
// their test; all other code uses limits.h.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "oracle/judge/limits.h"

namespace assay::oracle {

inline constexpr double kPi = 0x1.921fb54442d18p+1;
inline constexpr double kHalfEpsilon = 0x1p-10;
inline constexpr double kFloatEpsilon = 0x1p-23;  // FLT_EPSILON, which the double column uses too

// A closed range of the first operands.
struct Domain {
  double low = 0, high = 0;
  int operands = 1;        // of the first operand, or of the first two
  bool magnitude = false;  // low and high bound |x|
  std::string_view text;   // for people
};
inline constexpr Domain kPiDomain{.low = -kPi, .high = kPi, .text = "[-pi, pi]"};
inline constexpr Domain kUnitDomain{.low = -1, .high = 1, .text = "[-1, 1]"};
inline constexpr Domain kAroundOneDomain{.low = 0.5, .high = 2, .text = "[0.5, 2]"};
inline constexpr Domain kReciprocalDomain{
    .low = 0x1p-126, .high = 0x1p126, .magnitude = true, .text = "2^-126..2^126"};
inline constexpr Domain kDivideDomain{
    .low = 0x1p-62, .high = 0x1p62, .operands = 2, .magnitude = true, .text = "2^-62..2^62"};

// Where the table defines a function at all, or bounds an implementation that is not derived.
enum class Defined : std::uint8_t {
  kEverywhere,
  kOpenUnit,     // -1 < x < 1
  kUnit,         // -1 <= x <= 1
  kWithin88,     // -88 <= x <= 88
  kWithinPi,     // -pi <= x <= pi
  kNotBothZero,  // not x = y = 0
  kPow,          // that, and for x < 0 only integers y in [-2^24, 2^24]
  kPowr,         // that, and only x >= 0
  kRootn,        // x > 0 and y != 0, x < 0 and y odd, x = 0 and y > 0
};

// The operands at which a derived formula applies.
enum class Where : std::uint8_t {
  kNever,
  kAlways,
  kTiny,  // -2^-10 <= x <= 2^-10
  kNotTiny,
  kXPositive,
  kXNegativeYPositive,
  kXNegativeYNegative,
  kXNotNegativeOrYEven,
  kXNegativeYOdd,
  kXZero,
};

// A formula over x and y (of atan2 too: the names, not the order) that an implementation may use.
struct Derived {
  Where where = Where::kNever;
  std::string_view formula;
};

struct Bound {
  LimitKind kind = LimitKind::kUnbounded;
  double value = 0;          // ulp, or absolute; the domain's in kPiecewise
  double per_n = 0;          // ulp for each component of the operands
  double growing_up_to = 0;  // not 0: + floor(|2x|) ulp, |x| being at most this
  // Not 0: the absolute error is max * max * (value + per_n * n) * epsilon, max being the largest
  // magnitude among the components of the operands.
  double epsilon = 0;
  // kPiecewise: `inside` (kUlp or kAbsolute) with `value` in the domain, else `outside` ulp, which
  // is nothing where the table sets no bound.
  Domain domain{};
  LimitKind inside = LimitKind::kUnbounded;
  std::optional<double> outside{};
  // kDerivedOrUlp
  Defined defined = Defined::kEverywhere;
  std::array<Derived, 3> derived{};
};

struct Limit {
  Bound bound;
  std::string_view citation;
  bool relaxed = false;  // a cell of the unsafe table: finite operands and results only
};

// The words of the table.
inline constexpr Bound CorrectlyRounded{.kind = LimitKind::kCorrectlyRounded, .value = 0.5};
inline constexpr Bound ZeroUlp{.kind = LimitKind::kExact};
inline constexpr Bound Unbounded{.kind = LimitKind::kUnbounded};
inline constexpr Bound FmaOrMulAdd{.kind = LimitKind::kOneOf, .value = 0.5};
constexpr Bound Ulp(double k) { return {.kind = LimitKind::kUlp, .value = k}; }
constexpr Bound UlpPerN(double base, double per_n) {
  return {.kind = LimitKind::kUlp, .value = base, .per_n = per_n};
}
// base + floor(|2x|) ulp; no |x| above `largest` has a result that is neither zero nor infinite.
constexpr Bound UlpGrowing(double base, double largest) {
  return {.kind = LimitKind::kUlp, .value = base, .growing_up_to = largest};
}
constexpr Bound Absolute(double v) { return {.kind = LimitKind::kAbsolute, .value = v}; }
constexpr Bound CrossError(double epsilon) {  // max * max * 3 * epsilon
  return {.kind = LimitKind::kAbsolute, .value = 3, .epsilon = epsilon};
}
constexpr Bound DotError(double epsilon) {  // max * max * (2n - 1) * epsilon
  return {.kind = LimitKind::kAbsolute, .value = -1, .per_n = 2, .epsilon = epsilon};
}
constexpr Bound UlpIn(const Domain& domain, double k) {
  return {.kind = LimitKind::kPiecewise, .value = k, .domain = domain, .inside = LimitKind::kUlp};
}
constexpr Bound AbsoluteIn(const Domain& domain, double v, std::optional<double> else_ulp = {}) {
  return {.kind = LimitKind::kPiecewise,
          .value = v,
          .domain = domain,
          .inside = LimitKind::kAbsolute,
          .outside = else_ulp};
}
constexpr Bound DerivedOrUlp(double k, std::array<Derived, 3> derived,
                             Defined defined = Defined::kEverywhere) {
  return {.kind = LimitKind::kDerivedOrUlp, .value = k, .defined = defined, .derived = derived};
}
constexpr std::array<Derived, 3> As(std::string_view formula) {
  return {Derived{Where::kAlways, formula}};
}

// The bound of a float built-in in relaxed mode: from the unsafe table, else the profile's.
const Bound& RelaxedBound(numerics::Function function, Profile profile);

}  // namespace assay::oracle
