// The vocabulary of edge_cases.def (conditions on operands, values demanded) and its rows as data.
// Internal to numerics: edge_cases.cc matches the rows, edge_cases_test.cc samples them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "numerics/edge_cases.h"
#include "numerics/function.h"

namespace assay::numerics::edge {

// Classes of an operand; a condition accepts a set of them.
inline constexpr unsigned kZeroClass = 1, kNonZeroClass = 2, kInfClass = 4, kQuietClass = 8,
                          kSignalingClass = 16;
inline constexpr unsigned kFiniteClasses = kZeroClass | kNonZeroClass;
inline constexpr unsigned kOrderedClasses = kFiniteClasses | kInfClass;
inline constexpr unsigned kNanClasses = kQuietClass | kSignalingClass;

// Where a number stands among the integers; infinities are no integers.
enum class Form : std::uint8_t {
  kAny,
  kInteger,
  kNotInteger,
  kOddInteger,
  kNotOddInteger,
  kEvenInteger,
  kHalfInteger,
  kEvenPlusHalf,
  kOddPlusHalf,
};

enum class Quantifier : std::uint8_t { kOperand, kAllComponents, kSomeComponent };

// A condition on one operand.  The parts are independent and all must hold.
struct Condition {
  unsigned classes = kOrderedClasses | kNanClasses;
  bool positive = true, negative = true;  // signs accepted; of a NaN, either
  double low = -kInfinity, high = kInfinity;
  bool low_open = false, high_open = false;
  bool magnitude = false;  // low and high bound |x|
  Form form = Form::kAny;
  Quantifier quantifier = Quantifier::kOperand;
};

constexpr Condition operator&(Condition a, const Condition& b) {
  a.classes &= b.classes;
  a.positive = a.positive && b.positive;
  a.negative = a.negative && b.negative;
  a.magnitude = a.magnitude || b.magnitude;
  if (b.low > a.low) a.low = b.low, a.low_open = b.low_open;
  if (b.high < a.high) a.high = b.high, a.high_open = b.high_open;
  if (b.form != Form::kAny) a.form = b.form;
  return a;
}

inline constexpr Condition Any{};
inline constexpr Condition Quiet{.classes =
                                     kOrderedClasses | kQuietClass};  // all but signaling NaNs
inline constexpr Condition AnyNan{.classes = kNanClasses};
inline constexpr Condition QuietNan{.classes = kQuietClass};
inline constexpr Condition SignalingNan{.classes = kSignalingClass};
inline constexpr Condition Ordered{.classes = kOrderedClasses};
inline constexpr Condition Finite{.classes = kFiniteClasses};
inline constexpr Condition NonZero{.classes = kNonZeroClass | kInfClass | kNanClasses};
inline constexpr Condition Zero{.classes = kZeroClass};
inline constexpr Condition PosZero{.classes = kZeroClass, .negative = false};
inline constexpr Condition NegZero{.classes = kZeroClass, .positive = false};
inline constexpr Condition Inf{.classes = kInfClass};
inline constexpr Condition PosInf{.classes = kInfClass, .negative = false};
inline constexpr Condition NegInf{.classes = kInfClass, .positive = false};
inline constexpr Condition Integer{.classes = kFiniteClasses, .form = Form::kInteger};
inline constexpr Condition NotInteger{.classes = kOrderedClasses, .form = Form::kNotInteger};
inline constexpr Condition OddInteger{.classes = kFiniteClasses, .form = Form::kOddInteger};
inline constexpr Condition NotOddInteger{.classes = kOrderedClasses, .form = Form::kNotOddInteger};
inline constexpr Condition EvenInteger{.classes = kFiniteClasses, .form = Form::kEvenInteger};
inline constexpr Condition HalfInteger{.classes = kFiniteClasses, .form = Form::kHalfInteger};
inline constexpr Condition EvenPlusHalf{.classes = kFiniteClasses, .form = Form::kEvenPlusHalf};
inline constexpr Condition OddPlusHalf{.classes = kFiniteClasses, .form = Form::kOddPlusHalf};

constexpr Condition Equals(double v) { return {.classes = kOrderedClasses, .low = v, .high = v}; }
constexpr Condition MagnitudeEquals(double v) {
  return {.classes = kOrderedClasses, .low = v, .high = v, .magnitude = true};
}
constexpr Condition Below(double v) {
  return {.classes = kOrderedClasses, .high = v, .high_open = true};
}
constexpr Condition AtMost(double v) { return {.classes = kOrderedClasses, .high = v}; }
constexpr Condition Above(double v) {
  return {.classes = kOrderedClasses, .low = v, .low_open = true};
}
constexpr Condition AtLeast(double v) { return {.classes = kOrderedClasses, .low = v}; }
constexpr Condition Beyond(double v) {  // |x| > v
  return {.classes = kOrderedClasses, .low = v, .low_open = true, .magnitude = true};
}
constexpr Condition Within(double v) {  // |x| < v
  return {.classes = kOrderedClasses, .high = v, .high_open = true, .magnitude = true};
}
constexpr Condition All(Condition c) {
  c.quantifier = Quantifier::kAllComponents;
  return c;
}
constexpr Condition Some(Condition c) {
  c.quantifier = Quantifier::kSomeComponent;
  return c;
}

enum class Relation : std::uint8_t {
  kNone,
  kFirstEqualsSecond,
  kFirstAtLeastSecond,
  kSecondAboveThird,
  kProductOpposesThird,
  kSquaresOutOfRange,
};

struct When {
  Relation relation = Relation::kNone;
  std::array<Condition, 3> conditions{};
};

// The result that the clause requires.
enum class ValueKind : std::uint8_t {
  kKeep,
  kNumber,
  kNan,
  kArgument,
  kAbsolute,
  kMinSubnormal,
  kEitherZero,
  kInteger,
  kUnitOfInfinities,
  kUnspecified,
};
enum Operand : int { kNoOperand = -1, kFirst, kSecond, kThird };

struct Value {
  ValueKind kind = ValueKind::kKeep;
  double number = 0;
  Operand operand = kNoOperand;  // the argument meant, or the one that gives the sign
  bool opposite_sign = false;
  bool binding = true;
  std::int32_t integer = 0, alternative = 0;
};

inline constexpr std::int32_t kIntMax = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t kIntMin = std::numeric_limits<std::int32_t>::min();

inline constexpr Value Keep{};
inline constexpr Value NaN{.kind = ValueKind::kNan};
inline constexpr Value EitherZero{.kind = ValueKind::kEitherZero};
inline constexpr Value Unspecified{.kind = ValueKind::kUnspecified, .binding = false};
inline constexpr Value UnitOfInfinities{.kind = ValueKind::kUnitOfInfinities};
constexpr Value Number(double v) { return {.kind = ValueKind::kNumber, .number = v}; }
constexpr Value Signed(double v, Operand from) {
  return {.kind = ValueKind::kNumber, .number = v, .operand = from};
}
constexpr Value OppositelySigned(double v, Operand from) {
  return {.kind = ValueKind::kNumber, .number = v, .operand = from, .opposite_sign = true};
}
constexpr Value Argument(Operand i) { return {.kind = ValueKind::kArgument, .operand = i}; }
constexpr Value Absolute(Operand i) { return {.kind = ValueKind::kAbsolute, .operand = i}; }
constexpr Value MinSubnormal(double sign) {
  return {.kind = ValueKind::kMinSubnormal, .number = sign};
}
constexpr Value Int(std::int32_t v, std::optional<std::int32_t> alternative = {}) {
  return {.kind = ValueKind::kInteger, .integer = v, .alternative = alternative.value_or(v)};
}
constexpr Value NotBinding(Value v) {
  v.binding = false;
  return v;
}

struct Row {
  Function function{};
  bool is_note = false;
  When when;
  Value result, second;
};

#define WHEN(...) (When{Relation::kNone, {__VA_ARGS__}})
#define WHEN_RELATED(relation, ...) (When{Relation::relation, {__VA_ARGS__}})
inline constexpr Row kRows[] = {
#define ASSAY_EDGE_CASE(id, function, when, result, second, citation) \
  {Function::function, false, when, result, second},
#define ASSAY_EDGE_NOTE(id, function, citation) {Function::function, true, {}, {}, {}},
#include "numerics/edge_cases.def"
#undef ASSAY_EDGE_CASE
#undef ASSAY_EDGE_NOTE
};
#undef WHEN
#undef WHEN_RELATED

// The same rows for people: entry i documents kRows[i].
inline constexpr EdgeCase kEdgeCases[] = {
#define ASSAY_EDGE_CASE(id, function, when, result, second, citation) {#id, citation},
#define ASSAY_EDGE_NOTE(id, function, citation) {#id, citation},
#include "numerics/edge_cases.def"
#undef ASSAY_EDGE_CASE
#undef ASSAY_EDGE_NOTE
};

}  // namespace assay::numerics::edge
