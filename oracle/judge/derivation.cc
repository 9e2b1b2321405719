#include "oracle/judge/derivation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "numerics/evaluate.h"
#include "numerics/shape.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ResultKind;

using numerics::kInfinity;
constexpr Format kFloat = Format::kFloat;
constexpr double kMinNormal = 0x1p-126, kMaxFinite = 0x1.fffffep+127;

double Down(double v) { return std::nextafter(v, -kInfinity); }
double Up(double v) { return std::nextafter(v, kInfinity); }

// The float next to v on its way to -infinity or +infinity: v itself if it is a float.  Every
// rounding mode, and an intermediate kept unrounded (a contraction), lies between the two.
double FloatDown(double v) {
  const Bits nearest = numerics::FromDouble(kFloat, v);
  const double value = numerics::ToDouble(kFloat, nearest);
  if (value <= v) return value;
  return numerics::ToDouble(
      kFloat, numerics::FromOrderedIndex(kFloat, numerics::OrderedIndex(kFloat, nearest) - 1));
}
double FloatUp(double v) { return -FloatDown(-v); }

// The float spacing at v; of a power of two the one above, which is the larger.
double UlpAt(double v) {
  int exponent = 0;
  std::frexp(v, &exponent);
  return std::ldexp(1.0, std::max(exponent - 24, -149));
}

// Converts to a float result: an overflow is an infinity, and unsafe math includes
// -cl-denorms-are-zero, so a subnormal may be flushed.
Interval AsFloatResult(Interval r) {
  if (r.anything) return r;
  if (r.high > kMaxFinite) r.high = kInfinity;
  if (r.low < -kMaxFinite) r.low = -kInfinity;
  if (r.low > 0 && r.low < kMinNormal) r.low = 0;
  if (r.high < 0 && r.high > -kMinNormal) r.high = 0;
  return r;
}

Interval WidenByUlp(const Interval& exact, double ulp) {
  const double largest = std::max(std::fabs(exact.low), std::fabs(exact.high));
  if (std::isinf(largest)) {
    // The error of an infinite end is its own; the finite end has the spacing there.
    const double low = std::isinf(exact.low) ? exact.low : exact.low - ulp * UlpAt(exact.low);
    const double high = std::isinf(exact.high) ? exact.high : exact.high + ulp * UlpAt(exact.high);
    return {Down(low), Up(high)};
  }
  const double error = ulp * UlpAt(largest);
  return {Down(exact.low - error), Up(exact.high + error)};
}

double LargestMagnitude(const Interval& x) { return std::max(std::fabs(x.low), std::fabs(x.high)); }

enum class Overlap { kInside, kOutside, kBoth };
Overlap Compare(const Domain& domain, std::span<const Interval> args) {
  bool inside = true, outside = false;
  for (int i = 0; i < domain.operands; ++i) {
    const Interval& arg = args[static_cast<std::size_t>(i)];
    double low = arg.low, high = arg.high;
    if (domain.magnitude) {
      high = LargestMagnitude(arg);
      low = arg.low <= 0 && arg.high >= 0 ? 0 : std::min(std::fabs(arg.low), std::fabs(arg.high));
    }
    inside = inside && domain.low <= low && high <= domain.high;
    outside = outside || high < domain.low || domain.high < low;
  }
  return inside ? Overlap::kInside : (outside ? Overlap::kOutside : Overlap::kBoth);
}

Interval WidenPiecewise(const Bound& bound, std::span<const Interval> args, const Interval& exact) {
  const Interval inside = bound.inside == LimitKind::kUlp ? WidenByUlp(exact, bound.value)
                                                          : Interval{Down(exact.low - bound.value),
                                                                     Up(exact.high + bound.value)};
  const Interval outside =
      bound.outside ? WidenByUlp(exact, *bound.outside) : Interval{-kInfinity, kInfinity};
  switch (Compare(bound.domain, args)) {
    case Overlap::kInside:
      return inside;
    case Overlap::kOutside:
      return outside;
    case Overlap::kBoth:
      return Interval::Hull(inside, outside);
  }
  return outside;
}

// The answers that `bound` allows a step whose exact results fill `exact`.
Interval Widen(const Bound& bound, std::span<const Interval> args, const Interval& exact) {
  if (exact.anything) return exact;
  switch (bound.kind) {
    case LimitKind::kCorrectlyRounded:
    case LimitKind::kExact:
    case LimitKind::kOneOf:
      return {FloatDown(exact.low), FloatUp(exact.high)};
    case LimitKind::kUlp: {
      const double grown =
          bound.growing_up_to == 0
              ? 0
              : std::floor(2 * std::min(LargestMagnitude(args[0]), bound.growing_up_to));
      return WidenByUlp(exact, bound.value + grown);
    }
    case LimitKind::kDerivedOrUlp:
      return WidenByUlp(exact, bound.value);
    case LimitKind::kAbsolute:
      return {Down(exact.low - bound.value), Up(exact.high + bound.value)};
    case LimitKind::kPiecewise:
      return WidenPiecewise(bound, args, exact);
    case LimitKind::kUnbounded:
      return {-kInfinity, kInfinity};
  }
  return Interval::Anything();
}

// An enclosure of f at one point, from the exact value on the grid of double.
Interval ExactAt(Function function, std::span<const double> args) {
  const Operation operation = Operation::Builtin(function, Format::kDouble);
  std::array<Bits, 3> bits{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool is_int = numerics::Info(function).operands[i] == 'I';
    bits[i] = is_int ? static_cast<std::uint32_t>(static_cast<std::int32_t>(args[i]))
                     : std::bit_cast<Bits>(args[i]);
  }
  Exact exact;
  EvaluateExact(operation, std::span(bits).first(args.size()), std::span(&exact, 1));
  if (exact.kind == ResultKind::kNan || exact.kind == ResultKind::kUnspecified) {
    return Interval::Anything();
  }
  const double below = numerics::ToDouble(Format::kDouble, exact.below);
  if (exact.IsExact()) return {below, below};
  return std::signbit(below) ? Interval{Down(below), below} : Interval{below, Up(below)};
}

Interval Monotone(Function function, const Interval& x) {
  const double ends[] = {x.low, x.high};
  return Interval::Hull(ExactAt(function, std::span(ends, 1)),
                        ExactAt(function, std::span(ends + 1, 1)));
}

// The host's sqrt is correctly rounded (IEEE 754).
Interval SquareRoot(const Interval& x) {
  return {std::max(Down(std::sqrt(x.low)), 0.0), Up(std::sqrt(x.high))};
}

// sin and cos: the value in the middle and a slope of at most 1.
Interval Lipschitz(Function function, const Interval& x) {
  if (std::isinf(x.low) || std::isinf(x.high)) return Interval::Anything();
  const double middle = x.low + (x.high - x.low) / 2;
  const Interval at = ExactAt(function, std::span(&middle, 1));
  const double reach = Up(std::max(x.high - middle, middle - x.low));
  return {std::max(Down(at.low - reach), -1.0), std::min(Up(at.high + reach), 1.0)};
}

// tan rises between its poles: two ends less than pi apart in that order enclose no pole.
Interval Tangent(const Interval& x) {
  const Interval at_low = ExactAt(Function::tan, std::span(&x.low, 1));
  const Interval at_high = ExactAt(Function::tan, std::span(&x.high, 1));
  const bool one_branch = x.high - x.low < 3 && at_low.low <= at_high.high;
  return one_branch ? Interval::Hull(at_low, at_high) : Interval::Anything();
}

// The exact results of a built-in over ranges of its operands.
Interval ExactRange(Function function, std::span<const Interval> args) {
  for (const Interval& arg : args) {
    if (arg.anything) return arg;
  }
  const numerics::Shape& shape = numerics::ShapeOf(function);
  if (args[0].low < shape.domain.low) return Interval::Anything();
  if (function == Function::sqrt) return SquareRoot(args[0]);
  if (function == Function::sin || function == Function::cos) return Lipschitz(function, args[0]);
  if (function == Function::tan) return Tangent(args[0]);
  if (args.size() == 1 && shape.pieces == numerics::Pieces::kMonotone) {
    return Monotone(function, args[0]);
  }
  std::array<double, 3> points{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].low != args[i].high) return Interval::Anything();
    points[i] = args[i].low;
  }
  return ExactAt(function, std::span(points).first(args.size()));
}

Interval Negated(const Interval& x) { return {-x.high, -x.low, x.anything}; }

Interval Sum(const Interval& a, const Interval& b) {
  const double low = a.low + b.low, high = a.high + b.high;
  if (a.anything || b.anything || std::isnan(low) || std::isnan(high)) return Interval::Anything();
  // A sum of two doubles is exact when taking one operand back out gives the other, both ways.
  const auto exact = [](double s, double p, double q) {
    return std::isinf(s) || (s - p == q && s - q == p);
  };
  return {exact(low, a.low, b.low) ? low : Down(low),
          exact(high, a.high, b.high) ? high : Up(high)};
}

Interval Product(const Interval& a, const Interval& b) {
  if (a.anything || b.anything) return Interval::Anything();
  Interval result{kInfinity, -kInfinity};
  for (double p : {a.low, a.high}) {
    for (double q : {b.low, b.high}) {
      const double product = p * q;
      if (std::isnan(product)) return Interval::Anything();
      const bool exact = std::isinf(product) || std::fma(p, q, -product) == 0;
      result.low = std::min(result.low, exact ? product : Down(product));
      result.high = std::max(result.high, exact ? product : Up(product));
    }
  }
  return result;
}

Interval Quotient(const Interval& a, const Interval& b) {
  if (a.anything || b.anything || (b.low <= 0 && b.high >= 0)) return Interval::Anything();
  Interval result{kInfinity, -kInfinity};
  for (double p : {a.low, a.high}) {
    for (double q : {b.low, b.high}) {
      const double quotient = p / q;
      if (std::isnan(quotient)) return Interval::Anything();
      const bool exact = std::isinf(p) || std::isinf(q) || std::fma(quotient, q, -p) == 0;
      result.low = std::min(result.low, exact ? quotient : Down(quotient));
      result.high = std::max(result.high, exact ? quotient : Up(quotient));
    }
  }
  return result;
}

bool Applies(Where where, double x, double y) {
  const bool even = std::fmod(y, 2) == 0;
  const bool odd = std::fabs(std::fmod(y, 2)) == 1;
  switch (where) {
    case Where::kNever:
      return false;
    case Where::kAlways:
      return true;
    case Where::kTiny:
      return std::fabs(x) <= 0x1p-10;
    case Where::kNotTiny:
      return std::fabs(x) > 0x1p-10;
    case Where::kXPositive:
      return x > 0;
    case Where::kXNegativeYPositive:
      return x < 0 && y > 0;
    case Where::kXNegativeYNegative:
      return x < 0 && y < 0;
    case Where::kXNotNegativeOrYEven:
      return x >= 0 || even;
    case Where::kXNegativeYOdd:
      return x < 0 && odd;
    case Where::kXZero:
      return x == 0;
  }
  return false;
}

std::optional<Interval> EvaluateFormulas(Function function, Profile profile,
                                         std::span<const Interval> args);

// Reads a formula of limits.def and evaluates it on the way:
//   sum := product (('+' | '-') product)*      product := factor (('*' | '/') factor)*
//   factor := '-' factor | '(' sum ')' | number | name | name '(' sum (',' sum)? ')'
class Formula {
 public:
  Formula(std::string_view text, Profile profile, const Interval& x, const Interval& y)
      : rest_(text), profile_(profile), x_(x), y_(y) {}

  Interval Evaluate() { return Sum(); }

 private:
  bool Take(char c) {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Interval Sum() {
    Interval value = Product();
    for (;;) {
      if (Take('+')) {
        value = Step(Function::add, value, Product());
      } else if (Take('-')) {
        value = Step(Function::sub, value, Product());
      } else {
        return value;
      }
    }
  }

  Interval Product() {
    bool is_one = NextIsOne();
    Interval value = Factor();
    for (;;) {
      if (Take('*')) {
        value = Step(Function::mul, value, Factor());
      } else if (Take('/')) {
        value = Step(is_one ? Function::recip_div : Function::div, value, Factor());
      } else {
        return value;
      }
      is_one = false;
    }
  }

  // "1.0f / x" is the table's 1 / x.
  bool NextIsOne() const {
    const std::size_t at = rest_.find_first_not_of(' ');
    return at != std::string_view::npos && rest_.substr(at).starts_with("1.0f /");
  }

  Interval Factor() {
    if (Take('-')) return Negated(Factor());
    if (Take('(')) {
      const Interval value = Sum();
      Take(')');
      return value;
    }
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_word);
    const std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    if (Take('(')) return Call(word);
    return Constant(word);
  }

  Interval Constant(const std::string& word) const {
    if (word == "x") return x_;
    if (word == "y") return y_;
    // The constants of OpenCL C 6.15.3, of type float.
    double value = std::strtod(word.c_str(), nullptr);
    if (word == "M_PI_F") value = 0x1.921fb6p+1;
    if (word == "M_1_PI_F") value = 0x1.45f306p-2;
    return {value, value};
  }

  Interval Call(const std::string& name) {
    std::array<Interval, 2> args{Sum()};
    std::size_t count = 1;
    if (Take(',')) args[count++] = Sum();
    Take(')');
    if (name == "fabs") {
      const Interval& x = args[0];
      const double low =
          x.low <= 0 && x.high >= 0 ? 0 : std::min(std::fabs(x.low), std::fabs(x.high));
      return {low, LargestMagnitude(x), x.anything};
    }
    const std::optional<Function> function = numerics::FunctionFromName(name);
    if (!function) return Interval::Anything();
    const auto operands = std::span<const Interval>(args).first(count);
    const Bound& bound = RelaxedBound(*function, profile_);
    Interval value = Widen(bound, operands, ExactRange(*function, operands));
    if (bound.kind == LimitKind::kDerivedOrUlp) {
      // The step may be derived in its turn.
      if (const auto derived = EvaluateFormulas(*function, profile_, operands)) {
        value = Interval::Hull(value, *derived);
      }
    }
    return AsFloatResult(value);
  }

  Interval Step(Function op, const Interval& a, const Interval& b) const {
    const Interval exact = op == Function::add   ? oracle::Sum(a, b)
                           : op == Function::sub ? oracle::Sum(a, Negated(b))
                           : op == Function::mul ? oracle::Product(a, b)
                                                 : Quotient(a, b);
    const Interval operands[] = {op == Function::recip_div ? b : a, b};
    return AsFloatResult(Widen(RelaxedBound(op, profile_), operands, exact));
  }

  std::string_view rest_;
  Profile profile_;
  Interval x_, y_;
};

std::optional<Interval> EvaluateFormulas(Function function, Profile profile,
                                         std::span<const Interval> args) {
  // atan2 and atan2pi take y first.
  const bool y_first = function == Function::atan2 || function == Function::atan2pi;
  Interval x = args[0], y = args.size() > 1 ? args[1] : Interval{1, 1};
  if (y_first) std::swap(x, y);
  std::optional<Interval> all;
  for (const Derived& derived : RelaxedBound(function, profile).derived) {
    bool applies = false;
    for (double u : {x.low, x.high}) {
      for (double v : {y.low, y.high}) applies = applies || Applies(derived.where, u, v);
    }
    if (!applies) continue;
    const Interval value = Formula(derived.formula, profile, x, y).Evaluate();
    all = all ? Interval::Hull(*all, value) : value;
  }
  return all;
}

// The result of mul+add for kOneOf.
Bits MultiplyThenAdd(Format f, std::span<const Bits> args, numerics::Rounding rounding) {
  Exact exact;
  const std::array<Bits, 2> factors{args[0], args[1]};
  EvaluateExact(Operation::Builtin(Function::mul, f), factors, std::span(&exact, 1));
  const std::array<Bits, 2> terms{Round(exact, f, rounding), args[2]};
  EvaluateExact(Operation::Builtin(Function::add, f), terms, std::span(&exact, 1));
  return Round(exact, f, rounding);
}

Bits FusedMultiplyAdd(Format f, std::span<const Bits> args, numerics::Rounding rounding) {
  Exact exact;
  EvaluateExact(Operation::Builtin(Function::fma, f), args, std::span(&exact, 1));
  return Round(exact, f, rounding);
}

}  // namespace

Interval Interval::Anything() { return {-kInfinity, kInfinity, true}; }

Interval Interval::Hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.anything || b.anything};
}

bool Interval::Contains(double v) const { return anything || (low <= v && v <= high); }

std::optional<Interval> EvaluateDerivations(Function function, Profile profile,
                                            std::span<const double> args) {
  std::array<Interval, 3> ranges{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    // A subnormal operand may be taken as zero (-cl-denorms-are-zero).
    const bool subnormal = std::fabs(args[i]) < kMinNormal;
    ranges[i] = {subnormal ? std::min(args[i], 0.0) : args[i],
                 subnormal ? std::max(args[i], 0.0) : args[i]};
  }
  const auto all = EvaluateFormulas(function, profile, std::span(ranges).first(args.size()));
  if (!all) return all;
  return AsFloatResult(*all);
}

bool AllowedByDerivation(const Limit& limit, const Operation& operation, Profile profile,
                         std::span<const Bits> args, int /*result_index*/, Bits observed,
                         numerics::Rounding rounding) {
  const Format f = operation.format;
  if (limit.bound.kind == LimitKind::kOneOf) {
    const auto same = [&](Bits bits) {
      return bits == observed || (numerics::IsNan(f, bits) && numerics::IsNan(f, observed));
    };
    return same(FusedMultiplyAdd(f, args, rounding)) || same(MultiplyThenAdd(f, args, rounding));
  }
  if (limit.bound.kind != LimitKind::kDerivedOrUlp) return false;
  std::array<double, 3> values{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool is_int = numerics::Info(operation.function).operands[i] == 'I';
    values[i] = is_int ? static_cast<std::int32_t>(static_cast<std::uint32_t>(args[i]))
                       : numerics::ToDouble(f, args[i]);
    if (!std::isfinite(values[i])) return true;  // -cl-finite-math-only
  }
  const auto interval = EvaluateDerivations(operation.function, profile,
                                            std::span<const double>(values).first(args.size()));
  if (!interval) return false;
  if (numerics::IsNan(f, observed)) return interval->anything;
  return interval->Contains(numerics::ToDouble(f, observed));
}

}  // namespace assay::oracle
