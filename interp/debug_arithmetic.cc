// Operators of expressions, with OpenCL C's conversions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/debug_evaluate.h"
#include "numerics/convert.h"
#include "numerics/evaluate.h"

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

numerics::ScalarType ScalarOf(const SourceType& type) {
  using numerics::ScalarType;
  if (type.kind == SourceKind::kFloat) {
    return type.bytes == 2   ? ScalarType::kHalf
           : type.bytes == 4 ? ScalarType::kFloat
                             : ScalarType::kDouble;
  }
  constexpr ScalarType kSigned[] = {ScalarType::kChar, ScalarType::kShort, ScalarType::kInt,
                                    ScalarType::kLong};
  constexpr ScalarType kUnsigned[] = {ScalarType::kUchar, ScalarType::kUshort, ScalarType::kUint,
                                      ScalarType::kUlong};
  const int place = type.bytes == 1 ? 0 : type.bytes == 2 ? 1 : type.bytes == 4 ? 2 : 3;
  return IsSignedKind(type.kind) ? kSigned[place] : kUnsigned[place];
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

// Integers smaller than int become int (C99 6.3.1.1).
TypeRef DebugEvaluator::Promoted(TypeRef ref) {
  const SourceType& type = TypeAt(ref);
  if (!type.IsInteger() || type.bytes >= 4) {
    if (type.kind != SourceKind::kEnum) return ref;
  }
  return scope_.program->types.Scalar(SourceKind::kSigned, 32);
}

// The usual arithmetic conversions (C99 6.3.1.8) of two scalars.
TypeRef DebugEvaluator::Common(TypeRef left, TypeRef right) {
  const TypeRef a = Promoted(left);
  const TypeRef b = Promoted(right);
  const SourceType x = TypeAt(a);
  const SourceType y = TypeAt(b);
  if (x.kind == SourceKind::kFloat || y.kind == SourceKind::kFloat) {
    if (x.kind != y.kind) return x.kind == SourceKind::kFloat ? a : b;
    return x.bytes >= y.bytes ? a : b;
  }
  if (x.bytes != y.bytes) return x.bytes > y.bytes ? a : b;
  return x.kind == SourceKind::kUnsigned ? a : b;
}

Expected<DebugValue> DebugEvaluator::Cast(const DebugExpression& expression,
                                          const DebugValue& value, TypeRef to) {
  const SourceType target = TypeAt(to);
  const SourceType source = TypeAt(value.type);
  DebugValue result;
  if (target.IsScalar() && source.IsScalar()) {
    if (target.kind == SourceKind::kBool) {
      const bool is_zero =
          source.kind == SourceKind::kFloat
              ? numerics::IsZero(numerics::FormatOf(ScalarOf(source)), value.Bits())
              : value.Bits() == 0;
      result = Make(to, is_zero ? 0 : 1);
    } else {
      const numerics::Rounding rounding =
          target.kind == SourceKind::kFloat ? numerics::Rounding::kRte : numerics::Rounding::kRtz;
      result = Make(
          to, numerics::Convert(ScalarOf(source), ScalarOf(target), value.Bits(), rounding, false));
    }
  } else if ((target.kind == SourceKind::kPointer || target.IsInteger()) &&
             (source.kind == SourceKind::kPointer || source.IsInteger())) {
    result = Make(to, value.Bits());
  } else if (target.kind == SourceKind::kPointer && source.kind == SourceKind::kArray &&
             value.place == DebugValue::Place::kMemory) {
    result = Make(to, value.address);
  } else if (target.kind == SourceKind::kVector && source.IsScalar()) {
    auto element = Cast(expression, value, target.element);
    if (!element) return element;
    result = Make(to, 0);
    for (std::uint64_t i = 0; i < target.count; ++i) {
      std::ranges::copy(element->bytes, result.bytes.begin() +
                                            static_cast<std::ptrdiff_t>(i * element->bytes.size()));
    }
  } else if (target.name == source.name) {
    return value;
  } else {
    return Wrong(expression, fmt::format("a {} cannot become a {}", source.name, target.name));
  }
  if (value.IsUndefined()) {
    result.undefined.assign(result.bytes.size(), std::byte{0xff});
    result.why_undefined = value.why_undefined;
  }
  return result;
}

Expected<DebugValue> DebugEvaluator::Vector(const DebugExpression& expression) {
  const SourceType type = TypeAt(expression.type);
  DebugValue result = Make(expression.type, 0);
  const std::uint64_t stride = TypeAt(type.element).bytes;
  std::uint64_t filled = 0;
  for (const DebugExpression& operand : expression.operands) {
    auto value = Operand(operand);
    if (!value) return value;
    const SourceType part = TypeAt(value->type);
    const std::uint64_t count = part.kind == SourceKind::kVector ? part.count : 1;
    if (filled + count > type.count) return Wrong(expression, "more components than the type has");
    for (std::uint64_t i = 0; i < count; ++i) {
      auto component = part.kind == SourceKind::kVector
                           ? Part(*value, i * TypeAt(part.element).bytes, part.element)
                           : value;
      if (!component) return component;
      auto converted = Cast(operand, *component, type.element);
      if (!converted) return converted;
      std::memcpy(result.bytes.data() + (filled + i) * stride, converted->bytes.data(), stride);
    }
    filled += count;
  }
  if (filled == 1) {
    for (std::uint64_t i = 1; i < type.count; ++i) {
      std::memcpy(result.bytes.data() + i * stride, result.bytes.data(), stride);
    }
  } else if (filled != type.count) {
    return Wrong(expression, fmt::format("{} components of {}", filled, type.count));
  }
  return result;
}

Expected<DebugValue> DebugEvaluator::Unary(const DebugExpression& expression) {
  auto value = Operand(expression.operands[0]);
  if (!value) return value;
  const SourceType type = TypeAt(value->type);
  if (expression.text == "*") {
    if (type.kind == SourceKind::kArray) return Part(*value, 0, type.element);
    return Dereference(expression, *value);
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
  if (expression.text == "!") {
    const auto is_true = IsTrue(expression.operands[0]);
    if (!is_true) return tl::unexpected(is_true.error());
    return Integer(*is_true ? 0 : 1);
  }
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
  result.undefined = promoted->undefined;
  return result;
}

Expected<DebugValue> DebugEvaluator::Logical(const DebugExpression& expression) {
  const auto left = IsTrue(expression.operands[0]);
  if (!left) return tl::unexpected(left.error());
  if (*left == (expression.text == "||")) return Integer(*left ? 1 : 0);
  const auto right = IsTrue(expression.operands[1]);
  if (!right) return tl::unexpected(right.error());
  return Integer(*right ? 1 : 0);
}

// gdb's @: so many objects of the left one's type, from it on.
Expected<DebugValue> DebugEvaluator::Repeat(const DebugExpression& expression,
                                            const DebugValue& first, const DebugValue& count) {
  if (first.place != DebugValue::Place::kMemory) {
    return Wrong(expression, "what stands before @ has to be in memory: *pointer@4, array[2]@4");
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  if (!TypeAt(count.type).IsInteger() || count.Bits() == 0 || count.Bits() > kMost) {
    return Wrong(expression, fmt::format("behind @ stands how many, 1 to {}", kMost));
  }
  const TypeRef type = scope_.program->types.ArrayOf(first.type, count.Bits());
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
    if (type.kind != SourceKind::kArray || value->place != DebugValue::Place::kMemory) continue;
    *value = Make(scope_.program->types.PointerTo(type.element, StorageClass::kFunction),
                  value->address);
  }
  if (TypeAt(left->type).kind == SourceKind::kPointer ||
      TypeAt(right->type).kind == SourceKind::kPointer) {
    return PointerArithmetic(expression, *left, *right);
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
    const SourceType& shape = a.kind == SourceKind::kVector ? a : b;
    const TypeRef whole = a.kind == SourceKind::kVector ? left.type : right.type;
    auto x = Cast(expression, left, whole);
    if (!x) return x;
    auto y = Cast(expression, right, whole);
    if (!y) return y;
    const std::uint64_t stride = TypeAt(shape.element).bytes;
    const bool compares = IsComparison(expression.text);
    const TypeRef element = compares
                                ? scope_.program->types.Scalar(
                                      SourceKind::kSigned, static_cast<std::uint32_t>(stride * 8))
                                : shape.element;
    DebugValue result = Make(scope_.program->types.VectorOf(element, shape.count), 0);
    for (std::uint64_t i = 0; i < shape.count; ++i) {
      std::uint64_t p = 0;
      std::uint64_t q = 0;
      std::memcpy(&p, x->bytes.data() + i * stride, stride);
      std::memcpy(&q, y->bytes.data() + i * stride, stride);
      auto computed = Compute(expression, shape.element, p, q);
      if (!computed) return tl::unexpected(computed.error());
      // True is -1 in vectors (OpenCL C 6.3.4).
      const std::uint64_t bits = compares ? 0 - *computed : *computed;
      std::memcpy(result.bytes.data() + i * stride, &bits, stride);
    }
    return result;
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
    result.undefined.assign(result.bytes.size(), std::byte{0xff});
    result.why_undefined = left.IsUndefined() ? left.why_undefined : right.why_undefined;
  }
  return result;
}

// Of two scalars of one type; comparisons give 0 or 1.
Expected<std::uint64_t> DebugEvaluator::Compute(const DebugExpression& expression, TypeRef ref,
                                                std::uint64_t left, std::uint64_t right) const {
  const SourceType& type = TypeAt(ref);
  const std::string& text = expression.text;
  if (type.kind == SourceKind::kFloat) {
    const numerics::Format format = numerics::FormatOf(ScalarOf(type));
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

Expected<DebugValue> DebugEvaluator::Assign(const DebugExpression& expression) {
  auto target = Evaluate(expression.operands[0]);
  if (!target) return target;
  auto value = Operand(expression.operands[1]);
  if (!value) return value;
  value = Cast(expression, *value, target->type);
  if (!value) return value;
  Expected<void> stored;
  if (target->place == DebugValue::Place::kMemory) {
    stored = memory_.Store(scope_.item, target->address, value->bytes);
  } else if (target->place == DebugValue::Place::kParts) {
    stored = memory_.StoreParts(scope_.item, *target, value->bytes);
  } else {
    return Wrong(expression, "only what lives in memory or in a register can be set");
  }
  if (!stored) return Wrong(expression, stored.error().message);
  return value;
}

}  // namespace assay::interp
