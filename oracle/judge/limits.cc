#include "oracle/judge/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/function.h"
#include "oracle/judge/bound.h"
#include "oracle/judge/math_options.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;

// The cells of one profile: the formats as the environment specification names them.
struct Cells {
  std::optional<Bound> f16{}, f32{}, f64{};
};
constexpr Cells All(const Bound& bound) { return {.f16 = bound, .f32 = bound, .f64 = bound}; }
constexpr Cells FloatOnly(const Bound& bound) { return {.f32 = bound}; }

struct Row {
  Function function{};
  Cells full{}, embedded{};
  std::optional<Bound> relaxed{}, relaxed_embedded{};
  // Cells of both profiles in which OpenCL C, or the conformance suite, differs from the
  // environment specification.
  Cells opencl_c{}, suite{};
};

constexpr Row kRows[] = {
#define ASSAY_LIMIT(fn, ...) Row{.function = Function::fn, __VA_ARGS__},
#include "oracle/judge/limits.def"
#undef ASSAY_LIMIT
};

struct FormatsOf {
  Function function;
  unsigned formats;
};
constexpr unsigned kAllFormatsMask = numerics::kAllFormatsMask;
constexpr unsigned kFloatOnly = numerics::kFloatOnly;
constexpr FormatsOf kFunctions[] = {
#define ASSAY_FUNCTION(id, cls, signature, formats, ...) {Function::id, formats},
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

constexpr std::size_t kFunctionCount = std::size(kFunctions);

// Every built-in has exactly one row, with a cell in both profiles for exactly the formats that
// the tables know (all of its formats but bfloat16, for which no text states a limit).
constexpr bool IsComplete() {
  if (std::size(kRows) != kFunctionCount) return false;
  for (const FormatsOf& function : kFunctions) {
    int rows = 0;
    for (const Row& row : kRows) {
      if (row.function != function.function) continue;
      ++rows;
      const bool half = (function.formats & 1u << static_cast<int>(Format::kHalf)) != 0;
      const bool wide = (function.formats & 1u << static_cast<int>(Format::kDouble)) != 0;
      for (const Cells* cells : {&row.full, &row.embedded}) {
        if (!cells->f32 || cells->f16.has_value() != half || cells->f64.has_value() != wide) {
          return false;
        }
      }
    }
    if (rows != 1) return false;
  }
  return true;
}
static_assert(IsComplete(), "limits.def: one row per built-in of numerics/functions.def");

// A row with its cells as limits, each with its clause; `present` says which cells exist.
struct Entry {
  // [profile][0 half, 1 float, 2 double, 3 float in relaxed mode]
  std::array<std::array<Limit, 4>, 2> limits{};
  std::array<std::array<bool, 4>, 2> present{};
  // [0 OpenCL C, 1 the suite][format]: what differs, by profile alike.
  std::array<std::array<Limit, 3>, 2> other{};
  std::array<std::array<bool, 3>, 2> differs{};
};

constexpr std::string_view kFullText =
    "OpenCL C 7.4; environment specification, ULP values, full profile";
constexpr std::string_view kEmbeddedText =
    "OpenCL C 7.4; environment specification, ULP values, embedded profile";
constexpr std::string_view kRelaxedText =
    "OpenCL C 7.4; environment specification, ULP values, unsafe math optimizations";
constexpr std::string_view kOpenClCText = "OpenCL C 7.4";
constexpr std::string_view kSuiteText = "OpenCL-CTS, math_brute_force, function_list.cpp";
constexpr std::string_view kContractionText = "OpenCL C 6.15.2.1, FP_CONTRACT";
constexpr std::string_view kConversionText =
    "OpenCL C 6.4.3, 7.4: conversions are correctly rounded";
constexpr std::string_view kIntegerText = "OpenCL C 6.4.3: conversions to integers";
constexpr std::string_view kLoadText = "OpenCL C 6.1.1.2: half to float is lossless";

constexpr Entry MakeEntry(const Row& row) {
  Entry entry;
  for (std::size_t p = 0; p < 2; ++p) {
    const Cells& cells = p == 0 ? row.full : row.embedded;
    const std::optional<Bound>& relaxed =
        p == 1 && row.relaxed_embedded ? row.relaxed_embedded : row.relaxed;
    const std::optional<Bound>* bounds[] = {&cells.f16, &cells.f32, &cells.f64, &relaxed};
    for (std::size_t i = 0; i < 4; ++i) {
      if (!*bounds[i]) continue;
      const std::string_view profile_text = row.function == Function::mul_add ? kContractionText
                                            : p == 0                          ? kFullText
                                                                              : kEmbeddedText;
      entry.limits[p][i] = {**bounds[i], i == 3 ? kRelaxedText : profile_text, i == 3};
      entry.present[p][i] = true;
    }
  }
  for (std::size_t o = 0; o < 2; ++o) {
    const Cells& cells = o == 0 ? row.opencl_c : row.suite;
    const std::optional<Bound>* bounds[] = {&cells.f16, &cells.f32, &cells.f64};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!*bounds[i]) continue;
      entry.other[o][i] = {**bounds[i], o == 0 ? kOpenClCText : kSuiteText, false};
      entry.differs[o][i] = true;
    }
  }
  return entry;
}

constexpr std::array<Entry, kFunctionCount> MakeEntries() {
  std::array<Entry, kFunctionCount> entries{};
  for (const Row& row : kRows) entries[static_cast<std::size_t>(row.function)] = MakeEntry(row);
  return entries;
}
constexpr std::array<Entry, kFunctionCount> kEntries = MakeEntries();

constexpr Limit kConversion{CorrectlyRounded, kConversionText};
constexpr Limit kDivideSqrt{CorrectlyRounded, "OpenCL API, -cl-fp32-correctly-rounded-divide-sqrt"};
constexpr Limit kToInteger{ZeroUlp, kIntegerText};
constexpr Limit kLoadHalf{ZeroUlp, kLoadText};

const Limit* BuiltinLimit(Function function, Format format, Profile profile, bool unsafe_math,
                          Reading reading) {
  if (format == Format::kBfloat16) return nullptr;
  const Entry& entry = kEntries[static_cast<std::size_t>(function)];
  auto p = static_cast<std::size_t>(profile);
  // The unsafe table is about single precision; functions that it does not name keep the limit of
  // the profile.
  if (unsafe_math && format == Format::kFloat && entry.present[p][3]) return &entry.limits[p][3];
  const std::size_t column = format == Format::kHalf ? 0 : format == Format::kFloat ? 1 : 2;
  if (reading != Reading::kEnvironment) {
    const std::size_t o = reading == Reading::kOpenClC ? 0 : 1;
    // The cell of the embedded profile may be the looser one: OpenCL C's half and embedded tables
    // leave open what its full one does not.
    const bool own = entry.present[p][column] && entry.differs[o][column];
    if (own && (profile == Profile::kFull || KindOf(entry.limits[p][column]) != LimitKind::kUlp)) {
      return &entry.other[o][column];
    }
    // One table of double for both profiles, as the suite has one column.
    if (column == 2) p = 0;
  }
  return entry.present[p][column] ? &entry.limits[p][column] : nullptr;
}

// The value of a scalar operand, integers included.
double ValueOf(const Operation& operation, std::span<const Bits> args, std::size_t i) {
  const numerics::FunctionInfo& info = numerics::Info(operation.function);
  if (!info.IsGeometric() && info.operands[i] == 'I') {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(args[i]));
  }
  return numerics::ToDouble(operation.format, args[i]);
}

// -cl-finite-math-only: NaN and infinite operands are outside of what relaxed mode defines.
bool HasNonFinite(const Operation& operation, std::span<const Bits> args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!std::isfinite(ValueOf(operation, args, i))) return true;
  }
  return false;
}

bool IsDefined(Defined defined, double x, double y) {
  const bool both_zero = x == 0 && y == 0;
  const bool integer = std::trunc(y) == y;
  const bool odd = std::fabs(std::fmod(y, 2)) == 1;
  switch (defined) {
    case Defined::kEverywhere:
      return true;
    case Defined::kOpenUnit:
      return std::fabs(x) < 1;
    case Defined::kUnit:
      return std::fabs(x) <= 1;
    case Defined::kWithin88:
      return std::fabs(x) <= 88;
    case Defined::kWithinPi:
      return std::fabs(x) <= kPi;
    case Defined::kNotBothZero:
      return !both_zero;
    case Defined::kPow:
      return !both_zero && (x >= 0 || (integer && std::fabs(y) <= 0x1p24));
    case Defined::kPowr:
      return !both_zero && x >= 0;
    case Defined::kRootn:
      return x > 0 ? y != 0 : (x < 0 ? odd : y > 0);
  }
  return false;
}

bool Contains(const Domain& domain, double value) {
  const double v = domain.magnitude ? std::fabs(value) : value;
  return domain.low <= v && v <= domain.high;
}

// The largest magnitude among all components of all operands; a NaN has none (the results that it
// reaches are NaN, the other ones of cross have their tolerance all the same).
double LargestOperand(const Operation& operation, std::span<const Bits> args) {
  double largest = 0;
  for (Bits bits : args) {
    const double magnitude = std::fabs(numerics::ToDouble(operation.format, bits));
    if (magnitude > largest) largest = magnitude;
  }
  return largest;
}

double UlpAllowed(const Bound& bound, const Operation& operation, std::span<const Bits> args) {
  double ulp = bound.value + bound.per_n * operation.components;
  if (bound.growing_up_to != 0) ulp += std::floor(std::fabs(2 * ValueOf(operation, args, 0)));
  return ulp;
}

double AbsoluteAllowed(const Bound& bound, const Operation& operation, std::span<const Bits> args) {
  if (bound.epsilon == 0) return bound.value;
  const double largest = LargestOperand(operation, args);
  return largest * largest * (bound.value + bound.per_n * operation.components) * bound.epsilon;
}

Tolerance PieceAt(const Bound& bound, const Operation& operation, std::span<const Bits> args) {
  bool inside = true;
  for (int i = 0; i < bound.domain.operands; ++i) {
    inside =
        inside && Contains(bound.domain, ValueOf(operation, args, static_cast<std::size_t>(i)));
  }
  if (inside && bound.inside == LimitKind::kAbsolute) {
    return {.kind = LimitKind::kAbsolute, .absolute = bound.value};
  }
  if (inside) return {.kind = LimitKind::kUlp, .ulp = bound.value};
  if (bound.outside) return {.kind = LimitKind::kUlp, .ulp = *bound.outside};
  return {};
}

// "4", "2.5", "2^-11", "1e-3": as the tables print numbers.
std::string NumberText(double value) {
  int exponent = 0;
  if (value < 0.125 && std::frexp(value, &exponent) == 0.5)
    return fmt::format("2^{}", exponent - 1);
  if (value < 0.125 && value > 0) {
    exponent = static_cast<int>(std::floor(std::log10(value) + 0.5));
    return fmt::format("{:g}e{}", value / std::pow(10, exponent), exponent);
  }
  return fmt::format("{:g}", value);
}

std::string UlpText(const Bound& bound, int components) {
  if (bound.growing_up_to != 0) return NumberText(bound.value) + " + floor(|2x|)";
  if (bound.per_n == 0) return NumberText(bound.value);
  const std::string base = bound.value == 0 ? "" : NumberText(bound.value) + " + ";
  const std::string factor = bound.per_n == 1 ? "" : NumberText(bound.per_n);
  return fmt::format("{}{}n = {}", base, factor,
                     NumberText(bound.value + bound.per_n * components));
}

std::string AbsoluteText(const Bound& bound, int components) {
  if (bound.epsilon == 0) return NumberText(bound.value) + " abs";
  return fmt::format("{} max^2 {} abs", NumberText(bound.value + bound.per_n * components),
                     NumberText(bound.epsilon));
}

std::string PiecewiseText(const Bound& bound) {
  const std::string_view unit = bound.inside == LimitKind::kAbsolute ? " abs" : "";
  const std::string otherwise = bound.outside ? ", else " + NumberText(*bound.outside) : "";
  return fmt::format("{}{} in {}{}", NumberText(bound.value), unit, bound.domain.text, otherwise);
}

}  // namespace

const Bound& RelaxedBound(Function function, Profile profile) {
  return BuiltinLimit(function, Format::kFloat, profile, true, Reading::kEnvironment)->bound;
}

const Limit* FindLimit(const Operation& operation, Profile profile, const MathOptions& math,
                       Reading reading) {
  switch (operation.kind) {
    case OperationKind::kBuiltin: {
      const Function f = operation.function;
      // -cl-mad-enable: x * y + z may be replaced by mad, with mad's accuracy.  The unsafe table
      // has a row of its own for it.
      const bool in_unsafe_table = math.unsafe_math && operation.format == Format::kFloat;
      if (f == Function::mul_add && math.mad_enable && !in_unsafe_table) {
        const Limit* mad =
            BuiltinLimit(Function::mad, operation.format, profile, math.unsafe_math, reading);
        if (mad != nullptr && mad->bound.kind == LimitKind::kUnbounded) return mad;
      }
      const bool divides = f == Function::div || f == Function::recip_div || f == Function::sqrt;
      // With unsafe math the texts do not say which option prevails: the looser one does.
      if (divides && operation.format == Format::kFloat && math.correctly_rounded_divide_sqrt &&
          !math.unsafe_math) {
        return &kDivideSqrt;
      }
      return BuiltinLimit(f, operation.format, profile, math.unsafe_math, reading);
    }
    case OperationKind::kConvert:
      return numerics::IsFloating(operation.to) ? &kConversion : &kToInteger;
    case OperationKind::kVloadHalf:
      return &kLoadHalf;
    case OperationKind::kVstoreHalf:
      return &kConversion;
  }
  return nullptr;
}

LimitKind KindOf(const Limit& limit) { return limit.bound.kind; }

std::string_view CitationOf(const Limit& limit) { return limit.citation; }

std::string Describe(const Limit& limit, const Operation& operation) {
  const Bound& bound = limit.bound;
  switch (bound.kind) {
    case LimitKind::kCorrectlyRounded:
      return "correctly rounded";
    case LimitKind::kExact:
      return "exact";
    case LimitKind::kUlp:
      return UlpText(bound, operation.components);
    case LimitKind::kAbsolute:
      return AbsoluteText(bound, operation.components);
    case LimitKind::kOneOf:
      return "fma or mul+add";
    case LimitKind::kDerivedOrUlp:
      return NumberText(bound.value) + " or derived";
    case LimitKind::kPiecewise:
      return PiecewiseText(bound);
    case LimitKind::kUnbounded:
      return "impl-defined";
  }
  return "";
}

std::optional<double> UlpValue(const Limit& limit, const Operation& operation) {
  const Bound& bound = limit.bound;
  switch (bound.kind) {
    case LimitKind::kCorrectlyRounded:
    case LimitKind::kExact:
    case LimitKind::kOneOf:
    case LimitKind::kDerivedOrUlp:
      return bound.value;
    case LimitKind::kUlp:
      return bound.value + bound.per_n * operation.components + std::floor(2 * bound.growing_up_to);
    case LimitKind::kPiecewise:
      return bound.inside == LimitKind::kUlp ? bound.value : bound.outside;
    case LimitKind::kAbsolute:
    case LimitKind::kUnbounded:
      return std::nullopt;
  }
  return std::nullopt;
}

const Limit* FindLimit(const Operation& operation, Profile profile, MathMode mode) {
  return FindLimit(operation, profile, MathOptionsOf(mode, ""), Reading::kEnvironment);
}

bool IsTestedBySuite(const Operation& operation, const MathOptions& math) {
  // It knows default, fast-relaxed and denorms-are-zero programs, and the correctly rounded ones.
  const bool fast = math.IsFastRelaxedMath();
  if (!fast &&
      (math.unsafe_math || math.finite_math_only || math.no_signed_zeros || math.mad_enable)) {
    return false;
  }
  if (operation.kind == OperationKind::kConvert) return !fast;
  if (operation.kind != OperationKind::kBuiltin) return false;
  if (operation.format == Format::kBfloat16) return false;
  const Function f = operation.function;
  // It runs mad and looks at none of the answers; of x * y + z it has no test.
  if (f == Function::mad || f == Function::mul_add) return false;
  if (fast) {
    constexpr Function kFast[] = {
        Function::acos,  Function::asin,      Function::atan,  Function::cos,    Function::cospi,
        Function::exp,   Function::exp2,      Function::exp10, Function::log,    Function::log2,
        Function::log10, Function::pow,       Function::sin,   Function::sincos, Function::sinpi,
        Function::tan,   Function::recip_div, Function::div};
    return operation.format == Format::kFloat &&
           std::find(std::begin(kFast), std::end(kFast), f) != std::end(kFast);
  }
  switch (numerics::Info(f).cls) {
    case numerics::FunctionClass::kOperator:
    case numerics::FunctionClass::kMath:
    case numerics::FunctionClass::kHalf:
      return true;
    case numerics::FunctionClass::kNative:
    case numerics::FunctionClass::kCommon:
    case numerics::FunctionClass::kGeometric:
      return false;
  }
  return false;
}

Tolerance ToleranceAt(const Limit& limit, const Operation& operation, std::span<const Bits> args,
                      int /*result_index*/) {
  const Bound& bound = limit.bound;
  if (limit.relaxed && HasNonFinite(operation, args)) return {};
  switch (bound.kind) {
    case LimitKind::kCorrectlyRounded:
    case LimitKind::kExact:
    case LimitKind::kOneOf:
      return {.kind = bound.kind, .ulp = bound.value};
    case LimitKind::kUlp:
      return {.kind = LimitKind::kUlp, .ulp = UlpAllowed(bound, operation, args)};
    case LimitKind::kAbsolute:
      return {.kind = LimitKind::kAbsolute, .absolute = AbsoluteAllowed(bound, operation, args)};
    case LimitKind::kDerivedOrUlp: {
      const double y = args.size() > 1 ? ValueOf(operation, args, 1) : 1;
      if (!IsDefined(bound.defined, ValueOf(operation, args, 0), y)) return {};
      return {.kind = LimitKind::kDerivedOrUlp, .ulp = bound.value};
    }
    case LimitKind::kPiecewise:
      return PieceAt(bound, operation, args);
    case LimitKind::kUnbounded:
      return {};
  }
  return {};
}

std::string_view ProfileName(Profile profile) {
  return profile == Profile::kFull ? "full" : "embedded";
}

std::string_view MathName(MathMode math) {
  constexpr std::string_view kNames[] = {"default", "relaxed", "native"};
  return kNames[static_cast<int>(math)];
}

}  // namespace assay::oracle
