// What the rest of importing is made of: values, types taken apart, errors.
#include "interp/import/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/import/operands_fit.h"

namespace assay::interp {

using frontend::TypeKind;

void GraphBuilder::FailWith(ErrorKind kind, std::string message) {
  if (!error_) error_ = Error{kind, std::move(message)};
}

void GraphBuilder::FailUnsupported(const std::string& what) {
  FailWith(ErrorKind::kUnsupported, fmt::format("{}: {}\n  {}", module_.name, what,
                                                module_.Text(module_.instructions[origin_])));
}

void GraphBuilder::FailUsage(const std::string& what) {
  FailWith(ErrorKind::kUsage, fmt::format("{}: {}\n  {}", module_.name, what,
                                          module_.Text(module_.instructions[origin_])));
}

Kind GraphBuilder::KindOf(const Type& type) const {
  switch (type.kind) {
    case TypeKind::kBool:
      return Kind::kBool;
    case TypeKind::kInteger:
      return IntegerKind(static_cast<int>(type.width));
    case TypeKind::kFloat:
      // A bfloat16 is the float that it stands for, a float of eight bits is its bits.
      if (type.IsBfloat()) return Kind::kF32;
      return type.IsFloat8() ? Kind::kI8 : FloatKind(static_cast<int>(type.width));
    case TypeKind::kVoid:
    case TypeKind::kVector:
    case TypeKind::kArray:
    case TypeKind::kStruct:
    case TypeKind::kPointer:
    case TypeKind::kFunction:
    case TypeKind::kOpaque:
      break;
  }
  return Kind::kI64;
}

Kind GraphBuilder::ScalarKindOf(Id id) const {
  const Type* type = module_.types.Find(id);
  while (type != nullptr && (type->kind == TypeKind::kVector || type->IsMatrix())) {
    type = module_.types.Find(type->element);
  }
  return type == nullptr ? Kind::kI32 : KindOf(*type);
}

// Parts that are nested are flat already, so that types that are shared cost nothing again.
void GraphBuilder::Flatten(const Type& type, std::vector<Leaf>* leaves) {
  const auto append = [&](Id part, std::uint64_t offset) {
    for (Leaf leaf : LeavesOf(part)) {
      leaf.offset += offset;
      leaves->push_back(leaf);
    }
  };
  if (type.opcode == Op::kTypeOpaque) return FailUsage("a value of an opaque type");
  if (type.IsMatrix()) {
    if (type.scope != frontend::Scope::kSubgroup) {
      return FailUnsupported("a matrix whose scope is not the sub-group");
    }
    const std::uint64_t stride = module_.types.Find(type.element)->size;
    for (std::uint32_t i = 0; i < MatrixParts(type); ++i) append(type.element, i * stride);
    return;
  }
  switch (type.kind) {
    case TypeKind::kVoid:
    case TypeKind::kFunction:
      return;
    case TypeKind::kVector:
    case TypeKind::kArray: {
      if (LeavesOf(type.element).empty()) return;
      const std::uint64_t stride = module_.types.Find(type.element)->size;
      for (std::uint64_t i = 0; i < type.count && leaves->size() <= kMaxLeaves; ++i) {
        append(type.element, i * stride);
      }
      return;
    }
    case TypeKind::kStruct: {
      const auto members = module_.types.Members(type);
      const auto offsets = module_.types.Offsets(type);
      for (std::size_t i = 0; i < members.size() && leaves->size() <= kMaxLeaves; ++i) {
        append(members[i], offsets[i]);
      }
      return;
    }
    case TypeKind::kBool:
    case TypeKind::kInteger:
    case TypeKind::kFloat:
    case TypeKind::kPointer:
    case TypeKind::kOpaque:
      leaves->push_back({0, KindOf(type),
                         static_cast<std::uint8_t>(std::max<std::uint64_t>(type.size, 1)),
                         type.kind == TypeKind::kPointer});
  }
}

std::uint32_t GraphBuilder::MatrixParts(const Type& matrix) const {
  return (matrix.rows * matrix.columns + context_.own_subgroup_size - 1) /
         context_.own_subgroup_size;
}

const std::vector<Leaf>& GraphBuilder::LeavesOf(Id id) {
  const auto found = leaves_.find(id);
  if (found != leaves_.end()) return found->second;
  std::vector<Leaf>& leaves = leaves_[id];
  const Type* type = module_.types.Find(id);
  if (type == nullptr) {
    FailUsage("a value without a type");
    return leaves;
  }
  Flatten(*type, &leaves);
  leaf_count_ += leaves.size();
  if (leaves.size() > kMaxLeaves) {
    leaves.clear();
    FailUnsupported(fmt::format("a value of more than {} scalars", kMaxLeaves));
  }
  return leaves;
}

Value GraphBuilder::NewValue(Kind kind, ValueKind value_kind, std::uint64_t bits) {
  graph_.values.push_back({value_kind, kind, block_, bits});
  return static_cast<Value>(graph_.values.size() - 1);
}

Value GraphBuilder::Constant(Kind kind, std::uint64_t bits) {
  bits &= MaskOf(kind);
  const auto [place, added] = constants_.try_emplace({kind, bits}, 0);
  if (added) place->second = NewValue(kind, ValueKind::kConstant, bits);
  return place->second;
}

Value GraphBuilder::Undefined(Kind kind, UndefinedSource::Reason reason) {
  const auto [source, is_new] = undefined_sources_.try_emplace({reason, origin_}, 0);
  if (is_new) {
    source->second = static_cast<std::uint32_t>(graph_.undefined_sources.size());
    graph_.undefined_sources.push_back({.reason = reason, .origin = origin_, .name = {}});
  }
  const auto [place, added] = undefined_.try_emplace({kind, source->second}, 0);
  if (added) place->second = NewValue(kind, ValueKind::kUndefined, source->second);
  return place->second;
}

Value GraphBuilder::NewInput(const Input& input, Kind kind) {
  result_.inputs.push_back(input);
  const Value value = NewValue(kind, ValueKind::kInput, result_.inputs.size() - 1);
  if (input.input_kind != InputKind::kParameter) graph_.small_inputs.insert(value);
  return value;
}

std::uint32_t GraphBuilder::EmitMany(Opcode opcode, Kind kind, std::span<const Value> operands,
                                     std::uint64_t immediate, std::span<const Kind> results,
                                     Kind from) {
  IrInstruction instruction;
  instruction.opcode = opcode;
  instruction.kind = kind;
  instruction.from = from;
  instruction.first_operand = static_cast<std::uint32_t>(graph_.operands.size());
  instruction.operand_count = static_cast<std::uint32_t>(operands.size());
  instruction.immediate = immediate;
  instruction.origin = origin_;
  instruction.site = instance_->site;
  graph_.operands.insert(graph_.operands.end(), operands.begin(), operands.end());
  const auto place = static_cast<std::uint32_t>(graph_.instructions.size());
  instruction.result_count = static_cast<std::uint32_t>(results.size());
  if (!results.empty()) {
    instruction.first_result = static_cast<Value>(graph_.values.size());
    for (const Kind result : results) NewValue(result, ValueKind::kInstruction, place);
  }
  graph_.instructions.push_back(instruction);
  graph_.blocks[block_].instructions.push_back(place);
  if (!error_ && !OperandsFit(result_, instruction)) {
    FailUsage("operands of types that the instruction does not take");
  }
  return place;
}

Value GraphBuilder::Emit(Opcode opcode, Kind kind, std::span<const Value> operands,
                         std::uint64_t immediate, Kind from) {
  Kind result = ResultKind(opcode, kind);
  const bool has_result = TraitsOf(opcode).results != Results::kNone;
  // The operands may lie in graph_.operands.
  const std::vector<Value> copy(operands.begin(), operands.end());
  const std::uint32_t place =
      EmitMany(opcode, kind, copy, immediate,
               has_result ? std::span<const Kind>(&result, 1) : std::span<const Kind>(), from);
  return has_result ? graph_.instructions[place].first_result : kNoValue;
}

GraphBuilder::Parts GraphBuilder::Bind(Id id, std::span<const Value> values) {
  const Parts parts{static_cast<std::uint32_t>(pool_.size()),
                    static_cast<std::uint32_t>(values.size())};
  if (!error_ && !FitsType(values, TypeIdOf(id))) FailUsage("a result of another type");
  const std::vector<Value> copy(values.begin(), values.end());
  pool_.insert(pool_.end(), copy.begin(), copy.end());
  instance_->values[id] = parts;
  if (!error_ && context_.detectors.Has(Detector::kPointers)) {
    const std::vector<Leaf>& leaves = LeavesOf(TypeIdOf(id));
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i].is_pointer) graph_.pointers.push_back(copy[i]);
    }
  }
  if (context_.debug) {
    result_.debug_bindings.push_back({instance_->site, id,
                                      static_cast<std::uint32_t>(result_.debug_values.size()),
                                      parts.count});
    result_.debug_values.insert(result_.debug_values.end(), copy.begin(), copy.end());
  }
  return parts;
}

frontend::Id GraphBuilder::TypeIdOf(Id id) const { return module_.TypeOf(id); }

const frontend::Type& GraphBuilder::TypeOfValue(Id id) const {
  static const Type kNone;
  const Type* type = module_.types.Find(TypeIdOf(id));
  return type == nullptr ? kNone : *type;
}

std::optional<std::uint64_t> GraphBuilder::Literal(Id id) const {
  return module_.constants.Integer(id);
}

std::uint64_t GraphBuilder::CountLeaves(Id type) { return LeavesOf(type).size(); }

std::uint32_t GraphBuilder::NewVariable(std::uint64_t bytes, std::uint32_t alignment,
                                        std::string name) {
  const auto place = static_cast<std::uint32_t>(graph_.variables.size());
  const Value address = Emit(Opcode::kVariable, Kind::kI64, {}, place);
  graph_.variables.push_back(
      {.bytes = bytes, .alignment = alignment, .name = std::move(name), .address = address});
  return place;
}

std::uint32_t GraphBuilder::NewBlock() {
  graph_.blocks.emplace_back();
  return static_cast<std::uint32_t>(graph_.blocks.size() - 1);
}

void GraphBuilder::Connect(std::uint32_t from, std::uint32_t to) {
  // All edges of a block are made at once: a repeated one is the last that was made.
  std::vector<std::uint32_t>& predecessors = graph_.blocks[to].predecessors;
  if (predecessors.empty() || predecessors.back() != from) predecessors.push_back(from);
}

void GraphBuilder::Finish(End end, std::vector<std::uint32_t> targets, Value condition) {
  IrBlock& block = graph_.blocks[block_];
  block.end = end;
  block.targets = targets;
  block.condition = condition;
  block.origin = origin_;
  block.site = instance_->site;
  for (const std::uint32_t target : targets) Connect(block_, target);
}

}  // namespace assay::interp
