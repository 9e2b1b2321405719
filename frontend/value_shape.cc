#include "frontend/value_shape.h"

#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {

bool ValueShape::Fits(ValueShape variable) const {
  if (variable.kind == Kind::kBool) {
    return kind == Kind::kBool || (kind == Kind::kInteger && bits == variable.bits);
  }
  if (kind != variable.kind || kind == Kind::kOther) return false;
  return kind == Kind::kAggregate || kind == Kind::kPointer || bits == variable.bits;
}

ValueShapes::ValueShapes(const std::vector<Word>& words) {
  using Kind = ValueShape::Kind;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    switch (OpcodeOf(instruction[0])) {
      case Op::kTypeBool:
        types_[instruction[1]] = {Kind::kBool, 8};
        break;
      case Op::kTypeInt:
        types_[instruction[1]] = {Kind::kInteger, instruction[2]};
        break;
      case Op::kTypeFloat:
        types_[instruction[1]] = {Kind::kFloat, instruction[2]};
        break;
      case Op::kTypePointer:
        types_[instruction[1]] = {Kind::kPointer, 0};
        break;
      case Op::kTypeVector:
        types_[instruction[1]] = {Kind::kVector, types_[instruction[2]].bits * instruction[3]};
        break;
      case Op::kTypeArray:
      case Op::kTypeStruct:
        types_[instruction[1]] = {Kind::kAggregate, 0};
        break;
      default: {
        const auto rule = FindInstruction(OpcodeOf(instruction[0]));
        if (rule && rule->HasResultType() && instruction.size() > 2) {
          type_of_[instruction[2]] = instruction[1];
        }
        break;
      }
    }
  });
}

ValueShape ValueShapes::Of(Id value) const {
  const auto type = type_of_.find(value);
  if (type == type_of_.end()) return {};
  const auto shape = types_.find(type->second);
  return shape == types_.end() ? ValueShape() : shape->second;
}

}  // namespace assay::frontend
