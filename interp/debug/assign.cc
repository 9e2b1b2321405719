// Assignments of expressions.
#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/evaluate.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using ExpressionKind = DebugExpression::Kind;

bool Assigns(const DebugExpression& expression) {
  return (expression.kind == ExpressionKind::kBinary && expression.text == "=") ||
         std::ranges::any_of(expression.operands, Assigns);
}

Expected<void> DebugEvaluator::StoreAt(const DebugExpression& expression, const DebugValue& target,
                                       const DebugValue& value) {
  Expected<void> stored;
  if (target.place == DebugValue::Place::kMemory) {
    stored = memory_.Store(scope_.item, target.address, value.bytes, value.undefined);
  } else if (target.place == DebugValue::Place::kParts) {
    stored = memory_.StoreParts(scope_.item, target, value.bytes, value.undefined);
  } else {
    return Wrong(expression, "only what lives in memory or in a register can be set");
  }
  if (!stored) return Wrong(expression, stored.error().message);
  return {};
}

// v.xz = ...: the vector as a whole, with other components.
Expected<void> DebugEvaluator::StoreComponents(const DebugExpression& expression,
                                               const DebugExpression& target,
                                               const DebugValue& value) {
  const auto vector = ObjectOf(target);
  if (!vector) return tl::unexpected(vector.error());
  const auto places = ComponentPlaces(target, *vector);
  if (!places) return tl::unexpected(places.error());
  DebugValue changed = *vector;
  const std::uint64_t stride = TypeAt(TypeAt(vector->type).element).bytes;
  for (std::size_t i = 0; i < places->size(); ++i) {
    if (std::ranges::count(*places, (*places)[i]) != 1) {
      return Wrong(target, fmt::format("'.{}' names a component twice", target.text));
    }
    auto component = Lane(value, i);
    if (!component) return tl::unexpected(component.error());
    changed.SetPart((*places)[i] * stride, *component);
  }
  return StoreAt(expression, *vector, changed);
}

Expected<DebugValue> DebugEvaluator::Assign(const DebugExpression& expression) {
  const DebugExpression& left = expression.operands[0];
  auto target = Evaluate(left);
  if (!target) return target;
  if (!warnings_.empty()) return Wrong(left, "what is out of its array is shown, and not set");
  auto value = Operand(expression.operands[1]);
  if (!value) return value;
  value = Cast(expression, *value, target->type);
  if (!value || only_types_) return value;
  const bool is_member =
      left.kind == ExpressionKind::kMember || left.kind == ExpressionKind::kArrow;
  const bool is_swizzle = is_member && target->place == DebugValue::Place::kNone &&
                          TypeAt(target->type).kind == SourceKind::kVector;
  const auto stored =
      is_swizzle ? StoreComponents(expression, left, *value) : StoreAt(expression, *target, *value);
  if (!stored) return tl::unexpected(stored.error());
  return value;
}

}  // namespace assay::interp
