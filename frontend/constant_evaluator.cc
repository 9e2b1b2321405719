#include "frontend/constant_evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/decode.h"

namespace assay::frontend {
namespace {

// More parts than any real module's constants have together.
constexpr std::uint64_t kMaxParts = std::uint64_t{1} << 24;

constexpr std::uint64_t Mask(std::uint32_t width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

constexpr std::int64_t Signed(std::uint64_t bits, std::uint32_t width) {
  const unsigned unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::optional<std::uint64_t> Divide(Op operation, std::uint64_t a, std::uint64_t b,
                                    std::uint32_t width) {
  if (b == 0) return std::nullopt;
  if (operation == Op::kUDiv) return a / b;
  if (operation == Op::kUMod) return a % b;
  const std::int64_t x = Signed(a, width), y = Signed(b, width);
  // The quotient of the least number and -1 is not representable: undefined (OpSDiv).
  if (y == -1 && x == Signed(std::uint64_t{1} << (width - 1), width)) return std::nullopt;
  if (operation == Op::kSDiv) return static_cast<std::uint64_t>(x / y);
  std::int64_t rest = x % y;
  // OpSRem has the sign of the first operand, OpSMod of the second.
  if (operation == Op::kSMod && rest != 0 && (rest < 0) != (y < 0)) rest += y;
  return static_cast<std::uint64_t>(rest);
}

// The result, not yet cut to its width; undefined where the instruction leaves it so.  For an
// opcode that is no operation on integers `known` becomes false.
std::optional<std::uint64_t> Compute(Op operation, std::uint64_t a, std::uint64_t b,
                                     std::uint32_t width, bool* known) {
  const std::int64_t x = Signed(a, width), y = Signed(b, width);
  switch (operation) {
    case Op::kIAdd:
      return a + b;
    case Op::kISub:
      return a - b;
    case Op::kIMul:
      return a * b;
    case Op::kUDiv:
    case Op::kSDiv:
    case Op::kUMod:
    case Op::kSRem:
    case Op::kSMod:
      return Divide(operation, a, b, width);
    // A shift by the width or more is undefined (OpShift...).
    case Op::kShiftLeftLogical:
      return b >= width ? std::nullopt : std::optional(a << b);
    case Op::kShiftRightLogical:
      return b >= width ? std::nullopt : std::optional(a >> b);
    case Op::kShiftRightArithmetic:
      return b >= width ? std::nullopt : std::optional(static_cast<std::uint64_t>(x >> b));
    case Op::kBitwiseOr:
    case Op::kLogicalOr:
      return a | b;
    case Op::kBitwiseAnd:
    case Op::kLogicalAnd:
      return a & b;
    case Op::kBitwiseXor:
      return a ^ b;
    case Op::kIEqual:
    case Op::kLogicalEqual:
      return a == b;
    case Op::kINotEqual:
    case Op::kLogicalNotEqual:
      return a != b;
    case Op::kUGreaterThan:
      return a > b;
    case Op::kULessThan:
      return a < b;
    case Op::kUGreaterThanEqual:
      return a >= b;
    case Op::kULessThanEqual:
      return a <= b;
    case Op::kSGreaterThan:
      return x > y;
    case Op::kSLessThan:
      return x < y;
    case Op::kSGreaterThanEqual:
      return x >= y;
    case Op::kSLessThanEqual:
      return x <= y;
    case Op::kSNegate:
      return std::uint64_t{0} - a;
    case Op::kNot:
      return ~a;
    case Op::kLogicalNot:
      return a ^ 1;
    case Op::kUConvert:
      return a;
    case Op::kSConvert:
      return static_cast<std::uint64_t>(x);
    default:
      *known = false;
      return std::nullopt;
  }
}

// Those of capability Kernel that are left to who executes the module.
bool IsOverFloats(Op operation) {
  switch (operation) {
    case Op::kConvertFToU:
    case Op::kConvertFToS:
    case Op::kConvertSToF:
    case Op::kConvertUToF:
    case Op::kFConvert:
    case Op::kBitcast:
    case Op::kFNegate:
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFDiv:
    case Op::kFRem:
    case Op::kFMod:
      return true;
    default:
      return false;
  }
}

bool IsUnary(Op operation) {
  return operation == Op::kSNegate || operation == Op::kNot || operation == Op::kLogicalNot ||
         operation == Op::kUConvert || operation == Op::kSConvert;
}

}  // namespace

tl::unexpected<Error> ConstantEvaluator::Bad(std::string_view what) const {
  return Fail(ErrorKind::kUsage, fmt::format("constant %{}: {}", result_, what));
}

Expected<void> ConstantEvaluator::CheckRoom(std::uint64_t parts) const {
  if (table_->parts_.size() + parts <= kMaxParts) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("constant %{}: the module's constants have more than {} parts", result_,
                          kMaxParts));
}

bool ConstantEvaluator::UsesAddress(std::span<const Word> operands) const {
  return std::ranges::any_of(operands, [this](Id id) {
    const Constant* constant = table_->Find(id);
    return constant != nullptr && (constant->kind == ConstantKind::kAddress ||
                                   constant->kind == ConstantKind::kExpression);
  });
}

Expected<Constant> ConstantEvaluator::Evaluate(std::span<const Word> instruction) {
  result_type_ = instruction[1];
  result_ = instruction[2];
  const auto operation = static_cast<Op>(instruction[3]);
  const auto operands = instruction.subspan(4);
  const Type* type = types_->Find(result_type_);
  Expected<Constant> value;
  switch (operation) {
    case Op::kCompositeExtract:
      value = Extract(operands);
      break;
    case Op::kCompositeInsert:
      value = Insert(operands);
      break;
    case Op::kVectorShuffle:
      value = Shuffle(operands);
      break;
    case Op::kSelect:
      value = Select(operands);
      break;
    default:
      // Where memory lies is known later than here, and how floating-point numbers are rounded.
      if (type->kind == TypeKind::kPointer || UsesAddress(operands) || IsOverFloats(operation)) {
        Constant expression;
        expression.kind = ConstantKind::kExpression;
        expression.operation = operation;
        value = table_->WithWords(expression, operands);
      } else {
        value = Elementwise(operation, operands);
      }
  }
  if (!value) return value;
  // A part taken out of a composite must be what the instruction says it is.
  const bool has_type = value->type != 0 && value->kind == ConstantKind::kComposite;
  if ((has_type && value->type != result_type_) ||
      (value->kind == ConstantKind::kComposite && value->part_count != type->count)) {
    return Bad("its value is not of its type");
  }
  value->type = result_type_;
  value->specializable = true;
  value->id = result_;
  return value;
}

Expected<ConstantEvaluator::Lanes> ConstantEvaluator::LanesOf(Id id) const {
  const Constant* constant = table_->Find(id);
  const Type* type = constant == nullptr ? nullptr : types_->Find(constant->type);
  if (type == nullptr) return Bad(fmt::format("%{} is no constant", id));
  const Type* component = type->kind == TypeKind::kVector ? types_->Find(type->element) : type;
  if (!component->IsScalar()) return Bad(fmt::format("%{} is no scalar and no vector", id));
  Lanes lanes;
  lanes.width = component->kind == TypeKind::kBool ? 1 : component->width;
  lanes.numeric = component->kind != TypeKind::kFloat;
  const std::size_t count = type->kind == TypeKind::kVector ? type->count : 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Constant& part =
        constant->kind == ConstantKind::kComposite ? table_->Part(*constant, i) : *constant;
    if (part.kind == ConstantKind::kScalar) {
      lanes.values.push_back(part.bits);
    } else if (part.kind == ConstantKind::kNull) {
      lanes.values.push_back(0);
    } else if (part.kind == ConstantKind::kUndefined) {
      lanes.values.push_back(std::nullopt);
    } else {
      return Fail(
          ErrorKind::kUnsupported,
          fmt::format("constant %{}: %{} is known only when memory is laid out", result_, id));
    }
  }
  return lanes;
}

Expected<Constant> ConstantEvaluator::FromLanes(const std::vector<Lane>& lanes) {
  const Type* type = types_->Find(result_type_);
  const bool vector = type->kind == TypeKind::kVector;
  if ((vector ? type->count : 1) != lanes.size()) return Bad("its operands are of another length");
  const Type* component = vector ? types_->Find(type->element) : type;
  if (!component->IsScalar()) return Bad("its type is no scalar and no vector");
  const std::uint32_t width = component->kind == TypeKind::kBool ? 1 : component->width;
  std::vector<Constant> values;
  for (const Lane& lane : lanes) {
    Constant value;
    value.kind = lane ? ConstantKind::kScalar : ConstantKind::kUndefined;
    value.bits = lane.value_or(0) & Mask(width);
    value.type = component->id;
    value.specializable = true;
    values.push_back(value);
  }
  if (!vector) return values[0];
  if (auto room = CheckRoom(values.size()); !room) return tl::unexpected(room.error());
  Constant composite;
  composite.kind = ConstantKind::kComposite;
  composite.first_part = static_cast<std::uint32_t>(table_->parts_.size());
  composite.part_count = static_cast<std::uint32_t>(values.size());
  for (const Constant& value : values) table_->parts_.push_back(table_->Append(value));
  return composite;
}

Expected<Constant> ConstantEvaluator::Elementwise(Op operation, std::span<const Id> operands) {
  if (operands.size() != (IsUnary(operation) ? 1u : 2u)) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("constant %{}: {} of constants is not supported", result_, NameOf(operation)));
  }
  auto a = LanesOf(operands[0]);
  if (!a) return tl::unexpected(a.error());
  auto b = LanesOf(operands.back());
  if (!b) return tl::unexpected(b.error());
  if (a->values.size() != b->values.size()) return Bad("operands of different lengths");
  bool known = a->numeric && b->numeric;
  std::vector<Lane> results;
  for (std::size_t i = 0; i < a->values.size() && known; ++i) {
    const Lane x = a->values[i], y = b->values[i];
    if (!x || !y) {
      (void)Compute(operation, 0, 1, a->width, &known);
      results.push_back(std::nullopt);
    } else {
      results.push_back(Compute(operation, *x, *y, a->width, &known));
    }
  }
  if (!known) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("constant %{}: {} of constants is not supported", result_, NameOf(operation)));
  }
  return FromLanes(results);
}

Expected<Constant> ConstantEvaluator::Shuffle(std::span<const Word> operands) {
  auto lanes = LanesOf(operands[0]);
  if (!lanes) return tl::unexpected(lanes.error());
  auto second = LanesOf(operands[1]);
  if (!second) return tl::unexpected(second.error());
  lanes->values.insert(lanes->values.end(), second->values.begin(), second->values.end());
  std::vector<Lane> results;
  for (const Word index : operands.subspan(2)) {
    // 0xffffffff: a component without a source, undefined (OpVectorShuffle).
    if (index != 0xffffffff && index >= lanes->values.size()) {
      return Bad(
          fmt::format("component {} of two vectors of {} together", index, lanes->values.size()));
    }
    results.push_back(index == 0xffffffff ? std::nullopt : lanes->values[index]);
  }
  return FromLanes(results);
}

Expected<Constant> ConstantEvaluator::Select(std::span<const Word> operands) {
  auto condition = LanesOf(operands[0]);
  if (!condition) return tl::unexpected(condition.error());
  const auto& chosen = condition->values;
  if (chosen.size() == 1) {
    if (table_->Find(operands[1]) == nullptr || table_->Find(operands[2]) == nullptr) {
      return Bad("it selects what is no constant");
    }
    if (!chosen[0]) {
      Constant undefined;
      undefined.kind = ConstantKind::kUndefined;
      return undefined;
    }
    return *table_->Find(operands[*chosen[0] != 0 ? 1 : 2]);
  }
  auto first = LanesOf(operands[1]);
  if (!first) return tl::unexpected(first.error());
  auto second = LanesOf(operands[2]);
  if (!second) return tl::unexpected(second.error());
  if (first->values.size() != chosen.size() || second->values.size() != chosen.size()) {
    return Bad("operands of different lengths");
  }
  std::vector<Lane> results;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    results.push_back(!chosen[i]        ? std::nullopt
                      : *chosen[i] != 0 ? first->values[i]
                                        : second->values[i]);
  }
  return FromLanes(results);
}

// One level of a composite; the parts of a null or undefined one are null or undefined.
Expected<Constant> ConstantEvaluator::PartOf(const Constant& whole, std::uint32_t index) {
  const Type* type = types_->Find(whole.type);
  const bool aggregate =
      type != nullptr && (type->kind == TypeKind::kVector || type->kind == TypeKind::kArray ||
                          type->kind == TypeKind::kStruct);
  if (!aggregate || index >= type->count) return Bad(fmt::format("there is no part {}", index));
  if (whole.kind == ConstantKind::kComposite) return table_->Part(whole, index);
  if (whole.kind != ConstantKind::kNull && whole.kind != ConstantKind::kUndefined) {
    return Bad("a part of what has no parts");
  }
  Constant part;
  part.kind = whole.kind;
  part.type = type->kind == TypeKind::kStruct ? types_->Members(*type)[index] : type->element;
  return part;
}

Expected<Constant> ConstantEvaluator::Extract(std::span<const Word> operands) {
  const Constant* whole = table_->Find(operands[0]);
  if (whole == nullptr) return Bad("it takes a part of what is no constant");
  Constant part = *whole;
  for (const Word index : operands.subspan(1)) {
    auto next = PartOf(part, index);
    if (!next) return next;
    part = *next;
  }
  return part;
}

Expected<Constant> ConstantEvaluator::Insert(std::span<const Word> operands) {
  const Constant* object = table_->Find(operands[0]);
  const Constant* whole = table_->Find(operands[1]);
  if (object == nullptr || whole == nullptr) return Bad("it is made of what is no constant");
  // From the outermost level in, each level copied with one part left to be set.
  std::vector<Constant> levels = {*whole};
  for (const Word index : operands.subspan(2)) {
    auto next = PartOf(levels.back(), index);
    if (!next) return next;
    levels.push_back(*next);
  }
  if (object->type != levels.back().type) return Bad("it inserts a part of another type");
  Constant value = *object;
  for (std::size_t level = levels.size() - 1; level-- > 0;) {
    const Constant outer = levels[level];
    const Type* type = types_->Find(outer.type);
    if (auto room = CheckRoom(type->count); !room) return tl::unexpected(room.error());
    std::vector<std::uint32_t> parts;
    for (std::uint32_t i = 0; i < type->count; ++i) {
      const auto part = i == operands[2 + level] ? value : *PartOf(outer, i);
      parts.push_back(table_->Append(part));
    }
    value = outer;
    value.kind = ConstantKind::kComposite;
    value.first_part = static_cast<std::uint32_t>(table_->parts_.size());
    value.part_count = static_cast<std::uint32_t>(parts.size());
    table_->parts_.insert(table_->parts_.end(), parts.begin(), parts.end());
  }
  return value;
}

}  // namespace assay::frontend
