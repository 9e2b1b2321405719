#include "numerics/edge_cases.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "numerics/edge_rows.h"
#include "numerics/shape.h"

namespace assay::numerics {
using namespace edge;  // NOLINT(google-build-using-namespace): the vocabulary of the rows

namespace {

struct Range {
  std::uint16_t begin = 0, end = 0;
  constexpr bool empty() const { return begin == end; }
};

// The rows of each function, found when this file is compiled.
constexpr std::array<Range, kFunctionCount> IndexRows() {
  std::array<Range, kFunctionCount> index{};
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    Range& range = index[static_cast<std::size_t>(kRows[i].function)];
    if (range.empty()) range.begin = static_cast<std::uint16_t>(i);
    range.end = static_cast<std::uint16_t>(i + 1);
  }
  return index;
}
constexpr std::array<Range, kFunctionCount> kIndex = IndexRows();

constexpr bool RowsStandTogether() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const Range range = kIndex[static_cast<std::size_t>(kRows[i].function)];
    for (std::size_t j = range.begin; j < range.end; ++j) {
      if (kRows[j].function != kRows[i].function) return false;
    }
  }
  return true;
}
static_assert(RowsStandTogether(), "edge_cases.def: keep the rows of a function together");

struct Kind {
  FunctionClass cls;
  bool is_of_one_number;
};
constexpr Kind kKinds[] = {
#define ASSAY_FUNCTION(id, cls, signature, ...) \
  {FunctionClass::cls, std::string_view(signature).starts_with("F:")},
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

constexpr bool HaveRows() {
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    const bool is_expected = kKinds[i].cls == FunctionClass::kMath && kKinds[i].is_of_one_number &&
                             !ShapeOf(static_cast<Function>(i)).base;
    if (is_expected && kIndex[i].empty()) return false;
  }
  return true;
}
static_assert(HaveRows(), "edge_cases.def: a math function of one number has no row, not for NaN");

// half_f "must conform to the same edge case requirements" as f (7.5.1).  native_f is judged by
// nothing, but the exact values of native_powr and native_rsqrt are those of powr and rsqrt.
constexpr std::optional<Function> Inherited(Function function) {
  const bool inherits = kKinds[static_cast<std::size_t>(function)].cls == FunctionClass::kHalf ||
                        function == Function::native_powr || function == Function::native_rsqrt;
  return inherits ? ShapeOf(function).base : std::nullopt;
}

// For each operand the classes that some row of the function accepts: most operands of a sweep are
// of none, and need no look at the rows.
using OperandClasses = std::array<unsigned, 3>;
constexpr std::array<OperandClasses, kFunctionCount> CollectClasses() {
  std::array<OperandClasses, kFunctionCount> classes{};
  const auto add = [&](std::size_t function, Range range) {
    for (std::size_t r = range.begin; r < range.end; ++r) {
      if (kRows[r].is_note) continue;
      for (std::size_t i = 0; i < classes[function].size(); ++i) {
        classes[function][i] |= kRows[r].when.conditions[i].classes;
      }
    }
  };
  for (std::size_t f = 0; f < kFunctionCount; ++f) {
    add(f, kIndex[f]);
    if (const auto base = Inherited(static_cast<Function>(f))) {
      add(f, kIndex[static_cast<std::size_t>(*base)]);
    }
  }
  return classes;
}
constexpr std::array<OperandClasses, kFunctionCount> kOperandClasses = CollectClasses();

// One scalar operand, as the conditions see it.  A double holds every number of every format and
// every int exactly; the integer types wider than that are no operands of a function with rows.
struct Operands {
  unsigned classes = 0;
  double value = 0;
  bool negative = false;
};

Operands Classify(ScalarType type, Bits bits) {
  if (!IsFloating(type)) {
    const int shift = 64 - WidthOf(type);
    const auto extended = static_cast<std::int64_t>(bits << shift);
    const double value =
        IsSigned(type) ? static_cast<double>(extended >> shift) : static_cast<double>(bits);
    return {value == 0 ? kZeroClass : kNonZeroClass, value, value < 0};
  }
  const Format f = FormatOf(type);
  const bool negative = IsNegative(f, bits);
  if (IsNan(f, bits)) {
    const Bits quiet_bit = numerics::QuietNan(f) & ~Infinity(f);
    return {(bits & quiet_bit) != 0 ? kQuietClass : kSignalingClass, 0, negative};
  }
  const unsigned classes =
      IsInfinite(f, bits) ? kInfClass : (IsZero(f, bits) ? kZeroClass : kNonZeroClass);
  return {classes, ToDouble(f, bits), negative};
}

// Exact, with the sign of `value`.  Infinities give NaN, which is no form.
double RemainderByTwo(double value) {
  if (std::isinf(value)) return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(value) >= 0x1p53) return 0;  // even
  return value - 2 * std::trunc(value / 2);
}

bool HasForm(Form form, double value) {
  if (form == Form::kAny) return true;
  const double rest = RemainderByTwo(value);
  const double magnitude = std::fabs(rest);
  switch (form) {
    case Form::kInteger:
      return magnitude == 0 || magnitude == 1;
    case Form::kNotInteger:
      return !(magnitude == 0 || magnitude == 1);
    case Form::kOddInteger:
      return magnitude == 1;
    case Form::kNotOddInteger:
      return magnitude != 1;
    case Form::kEvenInteger:
      return magnitude == 0;
    case Form::kHalfInteger:
      return magnitude == 0.5 || magnitude == 1.5;
    case Form::kEvenPlusHalf:
      return rest == 0.5 || rest == -1.5;
    case Form::kOddPlusHalf:
      return rest == 1.5 || rest == -0.5;
    case Form::kAny:
      break;
  }
  return true;
}

bool Holds(const Condition& condition, const Operands& operand) {
  if ((operand.classes & condition.classes) == 0) return false;
  if ((operand.classes & kNanClasses) != 0) return true;
  if (!(operand.negative ? condition.negative : condition.positive)) return false;
  const double v = condition.magnitude ? std::fabs(operand.value) : operand.value;
  if (condition.low_open ? v <= condition.low : v < condition.low) return false;
  if (condition.high_open ? v >= condition.high : v > condition.high) return false;
  return HasForm(condition.form, operand.value);
}

// The sum of squares that the fast_ functions form in float leaves its normal numbers.  The margin
// covers the rounding of that sum, whose order is not prescribed.
bool SquaresOutOfRange(const Operation& operation, std::span<const Operands> operands) {
  const int n = operation.components;
  const bool two_vectors = static_cast<int>(operands.size()) == 2 * n;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Operands subtrahend =
        two_vectors ? operands[at + static_cast<std::size_t>(n)] : Operands{};
    if (two_vectors && (subtrahend.classes & (kInfClass | kNanClasses)) != 0) return false;
    const double difference = operands[at].value - subtrahend.value;
    sum += difference * difference;
  }
  constexpr double kMargin = 0x1p-20;
  return sum > std::numeric_limits<float>::max() * (1 - kMargin) ||
         (sum > 0 && sum < std::numeric_limits<float>::min() * (1 + kMargin));
}

bool Holds(Relation relation, const Operation& operation, std::span<const Operands> operands) {
  switch (relation) {
    case Relation::kNone:
      return true;
    case Relation::kFirstEqualsSecond:
      return operands[0].value == operands[1].value;
    case Relation::kFirstAtLeastSecond:
      return operands[0].value >= operands[1].value;
    case Relation::kSecondAboveThird:
      return operands[1].value > operands[2].value;
    case Relation::kProductOpposesThird:
      return (operands[0].negative != operands[1].negative) != operands[2].negative;
    case Relation::kSquaresOutOfRange:
      return SquaresOutOfRange(operation, operands);
  }
  return false;
}

bool Holds(const Condition& condition, Quantifier quantifier,
           std::span<const Operands> components) {
  for (const Operands& component : components) {
    const bool holds = Holds(condition, component);
    if (quantifier == Quantifier::kAllComponents && !holds) return false;
    if (quantifier == Quantifier::kSomeComponent && holds) return true;
  }
  return quantifier == Quantifier::kAllComponents;
}

bool Matches(const Row& row, const Operation& operation, std::span<const Operands> operands) {
  if (row.is_note) return false;
  if (Info(row.function).IsGeometric()) {
    const Condition& condition = row.when.conditions[0];
    const auto first = operands.first(static_cast<std::size_t>(operation.components));
    if (!Holds(condition, condition.quantifier, first)) return false;
  } else {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!Holds(row.when.conditions[i], operands[i])) return false;
    }
  }
  return Holds(row.when.relation, operation, operands);
}

// normalize of a vector with `count` infinite components: 1/sqrt(count) for those.  The two
// irrational values as sums of two doubles: 1/sqrt(n) = high + low with an error below 2^-105.
Exact UnitComponent(Format f, int count, bool negative) {
  struct Parts {
    double high, low;
  };
  constexpr Parts kParts[] = {{1, 0},
                              {0x1.6a09e667f3bccp-1, 0x1.21165f626cdd5p-54},
                              {0x1.279a74590331cp-1, 0x1.34863e0792bedp-55},
                              {0.5, 0}};
  const Parts parts = kParts[count - 1];
  // Toward zero: both are in [0.5, 1], where the gap is 2^-precision (and at 1 nothing is cut off).
  const double gap = std::ldexp(1.0, -Traits(f).precision);
  const double below = std::floor(parts.high / gap) * gap;
  Exact exact = Exact::Number(CopySign(f, FromDouble(f, below), negative ? SignMask(f) : 0));
  exact.fraction = (parts.high - below + parts.low) / gap;
  return exact;
}

Exact NumberOrInfinity(Format f, double value, bool negative) {
  if (std::isinf(value)) return Exact::Infinite(f, negative);
  return Exact::Number(CopySign(f, FromDouble(f, std::fabs(value)), negative ? SignMask(f) : 0));
}

Exact OfBits(Format f, Bits bits) {
  if (IsNan(f, bits)) return Exact::Nan();
  if (IsInfinite(f, bits)) return Exact::Infinite(f, IsNegative(f, bits));
  return Exact::Number(bits);
}

// `component` of a geometric function; 0 otherwise.
Exact Demanded(const Value& value, const Operation& operation, std::span<const Bits> args,
               std::size_t component) {
  const Format f = operation.format;
  const Bits argument =
      value.operand == kNoOperand ? 0 : args[static_cast<std::size_t>(value.operand) + component];
  Exact exact;
  switch (value.kind) {
    case ValueKind::kKeep:
    case ValueKind::kUnspecified:
      break;
    case ValueKind::kNumber: {
      const bool negative = value.operand == kNoOperand
                                ? std::signbit(value.number)
                                : IsNegative(f, argument) != value.opposite_sign;
      exact = NumberOrInfinity(f, value.number, negative);
      break;
    }
    case ValueKind::kNan:
      exact = Exact::Nan();
      break;
    case ValueKind::kArgument:
      exact = OfBits(f, argument);
      break;
    case ValueKind::kAbsolute:
      exact = OfBits(f, Magnitude(f, argument));
      break;
    case ValueKind::kMinSubnormal:
      exact =
          Exact::Number(CopySign(f, numerics::MinSubnormal(f), value.number < 0 ? SignMask(f) : 0));
      break;
    case ValueKind::kEitherZero:
      exact = Exact::Number(0);
      exact.any_zero_sign = true;
      break;
    case ValueKind::kInteger:
      exact = Exact::Integer(value.integer);
      exact.has_alternative = value.alternative != value.integer;
      exact.alternative = value.alternative;
      break;
    case ValueKind::kUnitOfInfinities: {
      int infinities = 0;
      for (Bits bits : args) infinities += IsInfinite(f, bits) ? 1 : 0;
      const Bits bits = args[component];
      exact = IsInfinite(f, bits) ? UnitComponent(f, infinities, IsNegative(f, bits))
                                  : Exact::Number(bits & SignMask(f));
      break;
    }
  }
  exact.prescribed = value.binding && value.kind != ValueKind::kUnspecified;
  return exact;
}

const Row* FindRow(Range range, const Operation& operation, std::span<const Operands> operands) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (Matches(kRows[i], operation, operands)) return &kRows[i];
  }
  return nullptr;
}

}  // namespace

const EdgeCase* FindEdgeCase(const Operation& operation, std::span<const Bits> args,
                             std::span<Exact> results) {
  if (operation.kind != OperationKind::kBuiltin) return nullptr;
  const Range own = kIndex[static_cast<std::size_t>(operation.function)];
  const std::optional<Function> base = Inherited(operation.function);
  const Range inherited = base ? kIndex[static_cast<std::size_t>(*base)] : Range{};
  if (own.empty() && inherited.empty()) return nullptr;

  const FunctionInfo& info = Info(operation.function);
  std::array<Operands, kMaxArguments> storage;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool is_int = !info.IsGeometric() && info.operands[i] == 'I';
    storage[i] = Classify(is_int ? ScalarType::kInt : ScalarTypeOf(operation.format), args[i]);
  }
  if (!info.IsGeometric()) {
    const OperandClasses& some_row = kOperandClasses[static_cast<std::size_t>(operation.function)];
    for (std::size_t i = 0; i < args.size(); ++i) {
      if ((storage[i].classes & some_row[i]) == 0) return nullptr;
    }
  }
  const std::span<const Operands> operands(storage.data(), args.size());
  const Row* row = FindRow(own, operation, operands);
  if (row == nullptr) row = FindRow(inherited, operation, operands);
  if (row == nullptr) return nullptr;

  if (info.IsGeometric()) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = Demanded(row->result, operation, args, i);
    }
  } else {
    if (row->result.kind != ValueKind::kKeep) {
      results[0] = Demanded(row->result, operation, args, 0);
    }
    if (results.size() > 1 && row->second.kind != ValueKind::kKeep) {
      results[1] = Demanded(row->second, operation, args, 0);
    }
  }
  return &kEdgeCases[row - kRows];
}

std::span<const EdgeCase> AllEdgeCases() { return kEdgeCases; }

}  // namespace assay::numerics
