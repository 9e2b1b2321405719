// Operators of expressions, with OpenCL C's conversions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/debug/evaluate.h"
#include "numerics/evaluate.h"
#include "numerics/function.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::StorageClass;
using frontend::TypeRef;
using ExpressionKind = DebugExpression::Kind;

namespace {

bool IsSignedKind(SourceKind kind) {
  return kind == SourceKind::kSigned || kind == SourceKind::kEnum;
}

bool IsComparison(std::string_view text) {
  return text == "==" || text == "!=" || text == "<" || text == ">" || text == "<=" || text == ">=";
}

template <typename T>
bool Compare(std::string_view text, T left, T right) {
  if (text == "==") return left == right;
  if (text == "!=") return left != right;
  if (text == "<") return left < right;
  if (text == ">") return left > right;
  return text == "<=" ? left <= right : left >= right;
}

}  // namespace

Expected<DebugValue> DebugEvaluator::Unary(const DebugExpression& expression) {
  auto value = Operand(expression.operands[0]);
  if (!value) return value;
  const SourceType type = TypeAt(value->type);
  if (expression.text == "*") {
    if (type.kind == SourceKind::kArray) return Part(*value, 0, type.element);
    return Dereference(expression, *value);
  }
  if (expression.text == "&" && only_types_) {
    return Make(scope_.program->types.PointerTo(value->type, StorageClass::kFunction), 0);
  }
  if (expression.text == "&") {
    if (value->place != DebugValue::Place::kMemory) {
      return Wrong(expression, "the value is not in memory, so it has no address");
    }
    const std::uint64_t place =
        value->address >> scope_.program->launch.memory->layout().place_bits;
    const auto regions = scope_.item.worker->regions();
    StorageClass space = StorageClass::kFunction;
    if (place < regions.size()) {
      constexpr StorageClass kClasses[] = {StorageClass::kFunction, StorageClass::kWorkgroup,
                                           StorageClass::kCrossWorkgroup,
                                           StorageClass::kUniformConstant, StorageClass::kInput};
      space = kClasses[static_cast<int>(regions[place].space)];
    }
    return Make(scope_.program->types.PointerTo(value->type, space), value->address);
  }
  if (expression.text == "!") return Not(expression, *value);
  if (type.kind == SourceKind::kVector) {
    // Component by component: 0 - x would lose a zero's sign.
    DebugValue result = *value;
    result.place = DebugValue::Place::kNone;
    const std::uint64_t stride = TypeAt(type.element).bytes;
    const bool is_float = TypeAt(type.element).kind == SourceKind::kFloat;
    if (is_float && expression.text == "~") {
      return Wrong(expression, fmt::format("~ of a {}", type.name));
    }
    for (std::uint64_t i = 0; i < type.count && expression.text != "+"; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, result.bytes.data() + i * stride, stride);
      bits = is_float                 ? bits ^ std::uint64_t{1} << (stride * 8 - 1)
             : expression.text == "-" ? 0 - bits
                                      : ~bits;
      std::memcpy(result.bytes.data() + i * stride, &bits, stride);
    }
    return result;
  }
  if (type.kind == SourceKind::kFloat && expression.text != "~") {
    DebugValue result = *value;
    result.place = DebugValue::Place::kNone;
    if (expression.text == "-") result.bytes.back() ^= std::byte{0x80};
    return result;
  }
  if (!type.IsInteger()) {
    return Wrong(expression, fmt::format("{} of a {}", expression.text, type.name));
  }
  auto promoted = Cast(expression, *value, Promoted(value->type));
  if (!promoted || expression.text == "+") return promoted;
  const std::uint64_t bits = expression.text == "-" ? 0 - promoted->Bits() : ~promoted->Bits();
  DebugValue result = Make(promoted->type, bits);
  result.why_undefined = promoted->why_undefined;
  if (expression.text == "~") {
    result.undefined = promoted->undefined;
  } else if (promoted->IsUndefined()) {
    result.MakeUndefined(promoted->why_undefined);  // a borrow may come from any bit
  }
  return result;
}

// 0 or 1, or 0 or -1 in each component of a vector (OpenCL C 6.3.h).
Expected<DebugValue> DebugEvaluator::Not(const DebugExpression& expression,
                                         const DebugValue& value) {
  const SourceType type = TypeAt(value.type);
  if (type.kind != SourceKind::kVector) {
    const auto is_true = IsTrueValue(expression, value);
    if (!is_true) return tl::unexpected(is_true.error());
    return Integer(*is_true ? 0 : 1);
  }
  DebugExpression comparison = expression;
  comparison.text = "==";
  auto zero = Cast(expression, Integer(0), value.type);
  if (!zero) return zero;
  return ArithmeticOfVectors(comparison, value, *zero);
}

Expected<DebugValue> DebugEvaluator::Logical(const DebugExpression& expression) {
  const auto first = Operand(expression.operands[0]);
  if (!first) return first;
  if (TypeAt(first->type).kind != SourceKind::kVector) {
    const auto left = IsTrueValue(expression.operands[0], *first);
    if (!left) return tl::unexpected(left.error());
    // Where only types count the second operand is evaluated once, below: twice, each time with the
    // second operand of its own, would be twice for each `&&` that stands in another.
    if (!only_types_) {
      const auto second = TypeOf(expression.operands[1]);
      if (!second) return tl::unexpected(second.error());
      const bool is_vector = TypeAt(*second).kind == SourceKind::kVector;
      if (!is_vector && *left == (expression.text == "||")) return Integer(*left ? 1 : 0);
    }
  }
  const auto right = Operand(expression.operands[1]);
  if (!right) return right;
  if (TypeAt(first->type).kind == SourceKind::kVector ||
      TypeAt(right->type).kind == SourceKind::kVector) {
    return LogicalOfVectors(expression, *first, *right);
  }
  const auto is_true = IsTrueValue(expression.operands[1], *right);
  if (!is_true) return tl::unexpected(is_true.error());
  return Integer(*is_true ? 1 : 0);
}

// Component by component, both operands computed (OpenCL C 6.3.g).
Expected<DebugValue> DebugEvaluator::LogicalOfVectors(const DebugExpression& expression,
                                                      const DebugValue& left,
                                                      const DebugValue& right) {
  const TypeRef whole = TypeAt(left.type).kind == SourceKind::kVector ? left.type : right.type;
  DebugExpression step = expression;
  step.text = "!=";
  std::vector<DebugValue> truths;
  for (const DebugValue* operand : {&left, &right}) {
    auto value = Cast(expression, *operand, whole);
    if (!value) return value;
    auto zero = Cast(expression, Integer(0), whole);
    if (!zero) return zero;
    auto truth = ArithmeticOfVectors(step, *value, *zero);
    if (!truth) return truth;
    truths.push_back(std::move(*truth));
  }
  step.text = expression.text.substr(1);  // & or | of 0 and -1
  return ArithmeticOfVectors(step, truths[0], truths[1]);
}

// gdb's @: so many objects of the left one's type, from it on.
Expected<DebugValue> DebugEvaluator::Repeat(const DebugExpression& expression,
                                            const DebugValue& first, const DebugValue& count) {
  if (first.place != DebugValue::Place::kMemory && !only_types_) {
    return Wrong(expression, "what stands before @ has to be in memory: *pointer@4, array[2]@4");
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  if (!TypeAt(count.type).IsInteger() || count.IsUndefined() || count.Bits() == 0 ||
      count.Bits() > kMost) {
    return Wrong(expression, fmt::format("behind @ stands how many, 1 to {}", kMost));
  }
  const TypeRef type = scope_.program->types.ArrayOf(first.type, count.Bits());
  if (type == 0) return Wrong(expression, "so many of these, one in the other, are no value");
  if (only_types_) return Make(type, 0);
  const auto value = memory_.Load(scope_.item, first.address, type);
  return value ? value : Wrong(expression, value.error().message);
}

Expected<DebugValue> DebugEvaluator::Binary(const DebugExpression& expression) {
  auto left = Operand(expression.operands[0]);
  if (!left) return left;
  auto right = Operand(expression.operands[1]);
  if (!right) return right;
  if (expression.text == "@") return Repeat(expression, *left, *right);
  // Arrays are pointers to their first element.
  for (auto* value : {&*left, &*right}) {
    const SourceType type = TypeAt(value->type);
    const bool is_place = value->place == DebugValue::Place::kMemory || only_types_;
    if (type.kind != SourceKind::kArray || !is_place) continue;
    *value = Make(scope_.program->types.PointerTo(type.element, StorageClass::kFunction),
                  value->address);
  }
  if (TypeAt(left->type).kind == SourceKind::kPointer ||
      TypeAt(right->type).kind == SourceKind::kPointer) {
    auto value = PointerArithmetic(expression, *left, *right);
    if (value && left->IsUndefined()) value->MakeUndefined(left->why_undefined);
    if (value && right->IsUndefined()) value->MakeUndefined(right->why_undefined);
    return value;
  }
  return Arithmetic(expression, *left, *right);
}

Expected<DebugValue> DebugEvaluator::PointerArithmetic(const DebugExpression& expression,
                                                       const DebugValue& left,
                                                       const DebugValue& right) {
  const SourceType a = TypeAt(left.type);
  const SourceType b = TypeAt(right.type);
  const bool both = a.kind == SourceKind::kPointer && b.kind == SourceKind::kPointer;
  if (IsComparison(expression.text)) {
    return Integer(Compare(expression.text, left.Bits(), right.Bits()) ? 1 : 0);
  }
  if (both && expression.text == "-") {
    const std::uint64_t bytes = std::max<std::uint64_t>(TypeAt(a.element).bytes, 1);
    return Integer(
        static_cast<std::uint64_t>(static_cast<std::int64_t>(left.Bits() - right.Bits()) /
                                   static_cast<std::int64_t>(bytes)),
        64);
  }
  const DebugValue& pointer = a.kind == SourceKind::kPointer ? left : right;
  const DebugValue& offset = a.kind == SourceKind::kPointer ? right : left;
  const bool sums = expression.text == "+" || (expression.text == "-" && &pointer == &left);
  if (both || !sums || !TypeAt(offset.type).IsInteger()) {
    return Wrong(expression, fmt::format("{} of a {} and a {}", expression.text, a.name, b.name));
  }
  const std::uint64_t elements =
      TypeAt(offset.type).kind == SourceKind::kUnsigned
          ? offset.Bits()
          : static_cast<std::uint64_t>(SignExtended(offset.Bits(), offset.bytes.size()));
  const std::uint64_t moved =
      elements * std::max<std::uint64_t>(TypeAt(TypeAt(pointer.type).element).bytes, 1);
  return Make(pointer.type,
              expression.text == "-" ? pointer.Bits() - moved : pointer.Bits() + moved);
}

Expected<DebugValue> DebugEvaluator::Arithmetic(const DebugExpression& expression,
                                                const DebugValue& left, const DebugValue& right) {
  const SourceType a = TypeAt(left.type);
  const SourceType b = TypeAt(right.type);
  const bool is_shift = expression.text == "<<" || expression.text == ">>";
  if (a.kind == SourceKind::kVector || b.kind == SourceKind::kVector) {
    return ArithmeticOfVectors(expression, left, right);
  }
  if (!a.IsScalar() || !b.IsScalar()) {
    return Wrong(expression, fmt::format("{} of a {} and a {}", expression.text, a.name, b.name));
  }
  const TypeRef common = is_shift ? Promoted(left.type) : Common(left.type, right.type);
  auto x = Cast(expression, left, common);
  if (!x) return x;
  auto y = is_shift ? Expected<DebugValue>(right) : Cast(expression, right, common);
  if (!y) return y;
  const auto computed = Compute(expression, common, x->Bits(), y->Bits());
  if (!computed) return tl::unexpected(computed.error());
  DebugValue result = IsComparison(expression.text) ? Integer(*computed) : Make(common, *computed);
  if (left.IsUndefined() || right.IsUndefined()) {
    result.MakeUndefined(left.IsUndefined() ? left.why_undefined : right.why_undefined);
  }
  return result;
}

// A scalar beside a vector becomes one of its type (OpenCL C 6.2.6).
Expected<DebugValue> DebugEvaluator::ArithmeticOfVectors(const DebugExpression& expression,
                                                         const DebugValue& left,
                                                         const DebugValue& right) {
  const SourceType a = TypeAt(left.type);
  const SourceType b = TypeAt(right.type);
  const TypeRef whole = a.kind == SourceKind::kVector ? left.type : right.type;
  const SourceType shape = TypeAt(whole);
  if (TypeAt(shape.element).IsInteger() &&
      (a.kind == SourceKind::kFloat || b.kind == SourceKind::kFloat)) {
    return Wrong(expression, fmt::format("{} of a {} and a {}", expression.text, a.name, b.name));
  }
  auto x = Cast(expression, left, whole);
  if (!x) return x;
  auto y = Cast(expression, right, whole);
  if (!y) return y;
  const std::uint64_t stride = TypeAt(shape.element).bytes;
  const bool compares = IsComparison(expression.text);
  const TypeRef element = compares
                              ? scope_.program->types.Scalar(SourceKind::kSigned,
                                                             static_cast<std::uint32_t>(stride * 8))
                              : shape.element;
  DebugValue result = Make(scope_.program->types.VectorOf(element, shape.count), 0);
  for (std::uint64_t i = 0; i < shape.count; ++i) {
    const auto p = Lane(*x, i);
    if (!p) return p;
    const auto q = Lane(*y, i);
    if (!q) return q;
    const auto computed = Compute(expression, shape.element, p->Bits(), q->Bits());
    if (!computed) return tl::unexpected(computed.error());
    // True is -1 in vectors (OpenCL C 6.3.4).
    DebugValue lane = Make(element, compares ? 0 - *computed : *computed);
    if (p->IsUndefined() || q->IsUndefined()) {
      lane.MakeUndefined(p->IsUndefined() ? p->why_undefined : q->why_undefined);
    }
    result.SetPart(i * stride, lane);
  }
  return result;
}

// Of two scalars of one type; comparisons give 0 or 1.
Expected<std::uint64_t> DebugEvaluator::Compute(const DebugExpression& expression, TypeRef ref,
                                                std::uint64_t left, std::uint64_t right) const {
  const SourceType& type = TypeAt(ref);
  const std::string& text = expression.text;
  if (type.kind == SourceKind::kFloat) {
    const numerics::Format format = numerics::FormatOf(ScalarTypeOf(type));
    if (IsComparison(text)) {
      if (numerics::IsNan(format, left) || numerics::IsNan(format, right))
        return text == "!=" ? 1 : 0;
      return Compare(text, numerics::OrderedIndex(format, left),
                     numerics::OrderedIndex(format, right))
                 ? 1
                 : 0;
    }
    const auto function = text == "+"   ? numerics::Function::add
                          : text == "-" ? numerics::Function::sub
                          : text == "*" ? numerics::Function::mul
                                        : numerics::Function::div;
    if (text != "+" && text != "-" && text != "*" && text != "/") {
      return Wrong(expression, fmt::format("{} of floating-point numbers", text));
    }
    const numerics::Bits arguments[] = {left, right};
    numerics::Exact exact;
    numerics::EvaluateExact(numerics::Operation::Builtin(function, format), arguments,
                            std::span(&exact, 1));
    return numerics::Round(exact, format, numerics::Rounding::kRte);
  }
  const bool is_signed = IsSignedKind(type.kind);
  const std::uint64_t mask = MaskOfBytes(type.bytes);
  const std::int64_t x = SignExtended(left, type.bytes);
  const std::int64_t y = SignExtended(right, type.bytes);
  if (IsComparison(text)) {
    return (is_signed ? Compare(text, x, y) : Compare(text, left & mask, right & mask)) ? 1 : 0;
  }
  if (text == "/" || text == "%") {
    if ((right & mask) == 0 && only_types_) return 0;
    if ((right & mask) == 0) return Wrong(expression, "a division by zero");
    if (!is_signed) return text == "/" ? left / right : left % right;
    // The one quotient that does not fit.
    if (y == -1) return text == "/" ? (0 - left) & mask : 0;
    return static_cast<std::uint64_t>(text == "/" ? x / y : x % y) & mask;
  }
  // Modulo the width (OpenCL C 6.3.10).
  const std::uint64_t amount = right & (type.bytes * 8 - 1);
  if (text == "<<") return left << amount & mask;
  if (text == ">>") {
    return is_signed ? static_cast<std::uint64_t>(x >> amount) & mask : (left & mask) >> amount;
  }
  const std::uint64_t result = text == "+"   ? left + right
                               : text == "-" ? left - right
                               : text == "*" ? left * right
                               : text == "&" ? left & right
                               : text == "|" ? left | right
                                             : left ^ right;
  return result & mask;
}

}  // namespace assay::interp
