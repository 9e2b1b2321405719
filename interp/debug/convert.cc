// Conversions of expressions: the usual arithmetic ones, casts, and vectors made of parts.
#include "numerics/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "interp/debug/evaluate.h"
#include "numerics/literal.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

bool IsSignedKind(SourceKind kind) {
  return kind == SourceKind::kSigned || kind == SourceKind::kEnum;
}

// A number beyond the integer's range, or NaN, has no value there (C99 6.3.1.4).  What counts is
// the number without its fraction.
std::optional<std::uint64_t> ToInteger(numerics::Format format, std::uint64_t bits,
                                       const SourceType& target) {
  const double whole = std::trunc(numerics::ToDouble(format, bits));
  const bool is_signed = IsSignedKind(target.kind);
  const int width = static_cast<int>(target.bytes) * 8;
  const double end = std::ldexp(1.0, is_signed ? width - 1 : width);
  // So written that NaN is in no range.
  if (!(whole >= (is_signed ? -end : 0.0) && whole < end)) return std::nullopt;
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                   : static_cast<std::uint64_t>(whole);
}

}  // namespace

numerics::ScalarType ScalarTypeOf(const SourceType& type) {
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

// Integers smaller than int become int (C99 6.3.1.1).
TypeRef DebugEvaluator::Promoted(TypeRef ref) {
  const SourceType& type = TypeAt(ref);
  if (type.kind == SourceKind::kEnum) {
    // Clang's enumerations are unsigned where no enumerator is negative.
    const SourceType& element = TypeAt(type.element);
    if (element.IsInteger() && element.bytes >= 4) return type.element;
  } else if (!type.IsInteger() || type.bytes >= 4) {
    return ref;
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

// Whether values of both types are the same bytes with the same meaning: a typedef has a name of
// its own.
bool DebugEvaluator::IsSame(TypeRef left, TypeRef right) const {
  const SourceType& a = TypeAt(left);
  const SourceType& b = TypeAt(right);
  if (left == right || a.name == b.name) return true;
  if (a.kind != b.kind || a.bytes != b.bytes) return false;
  if (a.kind == SourceKind::kVector) return a.count == b.count && IsSame(a.element, b.element);
  return a.kind == SourceKind::kSigned || a.kind == SourceKind::kUnsigned ||
         a.kind == SourceKind::kFloat;
}

// Integers keep what is defined of them, bit by bit.
DebugValue DebugEvaluator::CastInteger(const DebugValue& value, TypeRef to) const {
  const SourceType& source = TypeAt(value.type);
  const auto wide = [&](std::uint64_t bits) {
    return IsSignedKind(source.kind)
               ? static_cast<std::uint64_t>(SignExtended(bits, value.bytes.size()))
               : bits;
  };
  DebugValue result = Make(to, wide(value.Bits()));
  if (!value.IsUndefined()) return result;
  DebugValue mask = value;
  mask.bytes = mask.undefined;
  result.undefined = Make(to, wide(mask.Bits())).bytes;
  result.why_undefined = value.why_undefined;
  return result;
}

Expected<DebugValue> DebugEvaluator::CastScalar(const DebugExpression& expression,
                                                const DebugValue& value, TypeRef to) {
  const SourceType& target = TypeAt(to);
  const SourceType& source = TypeAt(value.type);
  const bool from_float = source.kind == SourceKind::kFloat;
  const numerics::ScalarType from = ScalarTypeOf(source);
  if (!from_float && target.IsInteger() && target.kind != SourceKind::kBool) {
    return CastInteger(value, to);
  }
  DebugValue result = Make(to, 0);
  if (value.IsUndefined()) {
    result.MakeUndefined(value.why_undefined);
    return result;
  }
  if (target.kind == SourceKind::kBool) {
    const bool is_zero =
        from_float ? numerics::IsZero(numerics::FormatOf(from), value.Bits()) : value.Bits() == 0;
    return Make(to, is_zero ? 0 : 1);
  }
  if (target.kind == SourceKind::kFloat) {
    return Make(to, numerics::Convert(from, ScalarTypeOf(target), value.Bits(),
                                      numerics::Rounding::kRte, false));
  }
  const auto integer = ToInteger(numerics::FormatOf(from), value.Bits(), target);
  if (integer || only_types_) return Make(to, integer.value_or(0));
  return Wrong(expression,
               fmt::format("{} as {} is undefined: no {} has that value; convert_{}_sat gives the "
                           "nearest one",
                           numerics::FormatDecimal(numerics::FormatOf(from), value.Bits()),
                           target.name, target.name, target.name));
}

Expected<DebugValue> DebugEvaluator::Cast(const DebugExpression& expression,
                                          const DebugValue& value, TypeRef to) {
  const SourceType target = TypeAt(to);
  const SourceType source = TypeAt(value.type);
  if (IsSame(to, value.type)) {
    DebugValue same = value;
    same.type = to;
    same.place = DebugValue::Place::kNone;
    return same;
  }
  if (target.IsScalar() && source.IsScalar()) return CastScalar(expression, value, to);
  if (target.kind == SourceKind::kBool && source.kind == SourceKind::kPointer) {
    DebugValue result = Make(to, value.Bits() == 0 ? 0 : 1);
    if (value.IsUndefined()) result.MakeUndefined(value.why_undefined);
    return result;
  }
  if ((target.kind == SourceKind::kPointer || target.IsInteger()) &&
      (source.kind == SourceKind::kPointer || source.IsInteger())) {
    return CastInteger(value, to);
  }
  if (target.kind == SourceKind::kPointer && source.kind == SourceKind::kArray &&
      (value.place == DebugValue::Place::kMemory || only_types_)) {
    return Make(to, value.address);
  }
  if (target.kind == SourceKind::kVector && source.IsScalar()) {
    auto element = Cast(expression, value, target.element);
    if (!element) return element;
    // True is -1 in vectors of integers (OpenCL C 6.2.2).
    if (source.kind == SourceKind::kBool && TypeAt(target.element).IsInteger() &&
        element->Bits() == 1) {
      std::ranges::fill(element->bytes, std::byte{0xff});
    }
    DebugValue result = Make(to, 0);
    for (std::uint64_t i = 0; i < target.count; ++i) {
      result.SetPart(i * element->bytes.size(), *element);
    }
    return result;
  }
  return Wrong(expression, fmt::format("a {} cannot become a {}", source.name, target.name));
}

Expected<DebugValue> DebugEvaluator::Vector(const DebugExpression& expression) {
  const SourceType type = TypeAt(expression.type);
  DebugValue result = Make(expression.type, 0);
  const std::uint64_t stride = TypeAt(type.element).bytes;
  std::uint64_t filled = 0;
  std::optional<DebugValue> first;
  for (const DebugExpression& operand : expression.operands) {
    auto value = Operand(operand);
    if (!value) return value;
    const SourceType part = TypeAt(value->type);
    const std::uint64_t count = part.kind == SourceKind::kVector ? part.count : 1;
    if (filled + count > type.count) return Wrong(expression, "more components than the type has");
    for (std::uint64_t i = 0; i < count; ++i) {
      auto component = Lane(*value, i);
      if (!component) return component;
      auto converted = Cast(operand, *component, type.element);
      if (!converted) return converted;
      result.SetPart((filled + i) * stride, *converted);
      if (!first) first = *converted;
    }
    filled += count;
  }
  if (filled == 1) {
    for (std::uint64_t i = 1; i < type.count; ++i) result.SetPart(i * stride, *first);
  } else if (filled != type.count) {
    return Wrong(expression, fmt::format("{} components of {}", filled, type.count));
  }
  return result;
}

// --- ?: ---------------------------------------------------------------------------------------

// The type of an expression, which is not computed: nothing is read, stored or divided.
Expected<TypeRef> DebugEvaluator::TypeOf(const DebugExpression& expression) const {
  DebugEvaluator measure(scope_);
  measure.only_types_ = true;
  const auto value = measure.Evaluate(expression);
  if (!value) return tl::unexpected(value.error());
  return value->type;
}

// What both of two operands become (C99 6.5.15, OpenCL C 6.3.i).
Expected<TypeRef> DebugEvaluator::Balanced(const DebugExpression& expression, TypeRef left,
                                           TypeRef right) {
  frontend::SourceTypes& types = scope_.program->types;
  for (TypeRef* type : {&left, &right}) {
    if (TypeAt(*type).kind == SourceKind::kArray) {
      *type = types.PointerTo(TypeAt(*type).element, frontend::StorageClass::kFunction);
    }
  }
  const SourceType& a = TypeAt(left);
  const SourceType& b = TypeAt(right);
  if (a.IsScalar() && b.IsScalar()) return Common(left, right);
  if (a.kind == SourceKind::kVector && (b.IsScalar() || IsSame(left, right))) return left;
  if (b.kind == SourceKind::kVector && a.IsScalar()) return right;
  if (a.kind == SourceKind::kPointer && b.IsInteger()) return left;
  if (b.kind == SourceKind::kPointer && a.IsInteger()) return right;
  if (a.kind == SourceKind::kPointer && b.kind == SourceKind::kPointer) {
    // One to void, or a null pointer, is the other one's.
    return TypeAt(a.element).kind == SourceKind::kVoid ? right : left;
  }
  if (IsSame(left, right)) return left;
  return Wrong(expression, fmt::format("?: of a {} and a {}", a.name, b.name));
}

Expected<DebugValue> DebugEvaluator::Conditional(const DebugExpression& expression) {
  const auto condition = Operand(expression.operands[0]);
  if (!condition) return condition;
  if (TypeAt(condition->type).kind == SourceKind::kVector) {
    return ConditionalOfVectors(expression, *condition);
  }
  const auto is_true = IsTrueValue(expression.operands[0], *condition);
  if (!is_true) return tl::unexpected(is_true.error());
  const auto value = Operand(expression.operands[*is_true ? 1 : 2]);
  if (!value) return value;
  const auto other = TypeOf(expression.operands[*is_true ? 2 : 1]);
  if (!other) return tl::unexpected(other.error());
  const auto type = Balanced(expression, value->type, *other);
  if (!type) return tl::unexpected(type.error());
  // What stays as it is can still be pointed to.
  return *type == value->type ? value : Cast(expression, *value, *type);
}

// Component by component, by the sign bit of the condition's (OpenCL C 6.3.i).
Expected<DebugValue> DebugEvaluator::ConditionalOfVectors(const DebugExpression& expression,
                                                          const DebugValue& condition) {
  const SourceType shape = TypeAt(condition.type);
  const std::uint64_t stride = TypeAt(shape.element).bytes;
  if (!TypeAt(shape.element).IsInteger()) {
    return Wrong(expression, fmt::format("a condition that is a {}", shape.name));
  }
  auto yes = Operand(expression.operands[1]);
  if (!yes) return yes;
  auto no = Operand(expression.operands[2]);
  if (!no) return no;
  auto type = Balanced(expression, yes->type, no->type);
  if (!type) return tl::unexpected(type.error());
  if (TypeAt(*type).IsScalar()) *type = scope_.program->types.VectorOf(*type, shape.count);
  const SourceType whole = TypeAt(*type);
  if (whole.count != shape.count || TypeAt(whole.element).bytes != stride) {
    return Wrong(expression, fmt::format("a {} cannot choose between components of {}s", shape.name,
                                         whole.name));
  }
  yes = Cast(expression, *yes, *type);
  if (!yes) return yes;
  no = Cast(expression, *no, *type);
  if (!no) return no;
  DebugValue result = Make(*type, 0);
  for (std::uint64_t i = 0; i < shape.count; ++i) {
    const auto chooses = Lane(condition, i);
    if (!chooses) return chooses;
    const bool is_true = SignExtended(chooses->Bits(), stride) < 0;
    auto chosen = Lane(is_true ? *yes : *no, i);
    if (!chosen) return chosen;
    if (chooses->IsUndefined()) chosen->MakeUndefined(chooses->why_undefined);
    result.SetPart(i * stride, *chosen);
  }
  return result;
}

}  // namespace assay::interp
