// Pointers, loads and stores.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::BuiltIn;
using frontend::StorageClass;
using frontend::TypeKind;

namespace {

std::optional<InputKind> InputOf(BuiltIn built_in) {
  switch (built_in) {
    case BuiltIn::kNumWorkgroups:
      return InputKind::kNumGroups;
    case BuiltIn::kWorkgroupSize:
      return InputKind::kLocalSize;
    case BuiltIn::kWorkgroupId:
      return InputKind::kGroupId;
    case BuiltIn::kLocalInvocationId:
      return InputKind::kLocalId;
    case BuiltIn::kGlobalInvocationId:
      return InputKind::kGlobalId;
    case BuiltIn::kLocalInvocationIndex:
      return InputKind::kLocalLinearId;
    case BuiltIn::kWorkDim:
      return InputKind::kWorkDim;
    case BuiltIn::kGlobalSize:
      return InputKind::kGlobalSize;
    case BuiltIn::kEnqueuedWorkgroupSize:
      return InputKind::kEnqueuedLocalSize;
    case BuiltIn::kGlobalOffset:
      return InputKind::kGlobalOffset;
    case BuiltIn::kGlobalLinearId:
      return InputKind::kGlobalLinearId;
    case BuiltIn::kSubgroupSize:
      return InputKind::kSubgroupSize;
    case BuiltIn::kSubgroupMaxSize:
      return InputKind::kSubgroupMaxSize;
    case BuiltIn::kNumSubgroups:
      return InputKind::kNumSubgroups;
    case BuiltIn::kNumEnqueuedSubgroups:
      return InputKind::kNumEnqueuedSubgroups;
    case BuiltIn::kSubgroupId:
      return InputKind::kSubgroupId;
    case BuiltIn::kSubgroupLocalInvocationId:
      return InputKind::kSubgroupLocalId;
    case BuiltIn::kSubgroupEqMask:
      return InputKind::kSubgroupEqMask;
    case BuiltIn::kSubgroupGeMask:
      return InputKind::kSubgroupGeMask;
    case BuiltIn::kSubgroupGtMask:
      return InputKind::kSubgroupGtMask;
    case BuiltIn::kSubgroupLeMask:
      return InputKind::kSubgroupLeMask;
    case BuiltIn::kSubgroupLtMask:
      return InputKind::kSubgroupLtMask;
    default:
      return std::nullopt;
  }
}

// What its declaration promises.
std::uint32_t DeclaredAlignment(const frontend::Module& module, frontend::Id variable,
                                const frontend::Type& type) {
  const auto* use = module.FindDecoration(variable, frontend::Decoration::kAlignment);
  if (use == nullptr || module.Slice(use->operands).empty()) return type.alignment;
  const std::uint32_t alignment = module.Slice(use->operands)[0];
  return std::has_single_bit(alignment) ? alignment : type.alignment;
}

}  // namespace

// --- variables --------------------------------------------------------------------------------

void Importer::ImportVariable(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Type& pointer = *module_.types.Find(instruction.type);
  // That of an untyped pointer has the type as its operand.
  const bool is_untyped = instruction.opcode == Op::kUntypedVariableKHR;
  const Id type = !is_untyped ? pointer.element : operands.size() > 1 ? operands[1] : 0;
  const Type* pointee = module_.types.Find(type);
  if (pointer.kind != TypeKind::kPointer || pointee == nullptr) {
    return FailUsage("a variable of no type");
  }
  // A work-item has a part of a matrix only.
  std::uint64_t bytes = pointee->size;
  if (pointee->IsMatrix()) {
    bytes = MatrixParts(*pointee) * module_.types.Find(pointee->element)->size;
  }
  const std::uint32_t variable =
      NewVariable(bytes, DeclaredAlignment(module_, instruction.result, *pointee),
                  std::string(module_.NameOf(instruction.result)));
  const Value address = graph_.variables[variable].address;
  // Clang's name for what a function with several returns gives back.
  graph_.variables[variable].is_returned = graph_.variables[variable].name == "retval";
  instance_->variables.push_back(variable);
  graph_.variables[variable].padding = PaddingOf(type);
  BindOne(instruction.result, address);
  Emit(Opcode::kEnterVariable, Kind::kI64, {address});
  const std::size_t initializer = is_untyped ? 2 : 1;
  if (operands.size() > initializer) {
    StoreLeaves(address, LeavesOf(type), ValuesOf(operands[initializer]));
  }
}

// The bytes of a type that belong to no scalar; of a type with very many, none are told.
std::vector<std::pair<std::uint64_t, std::uint64_t>> Importer::PaddingOf(Id type) {
  constexpr std::size_t kMany = 4096;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> padding;
  if (!context_.detectors.Has(Detector::kDefinedness)) return padding;
  // A variable may have more scalars than a value.
  const Type* found = module_.types.Find(type);
  if (found == nullptr || found->size > kMaxLeaves || found->IsMatrix()) return padding;
  const std::vector<Leaf>& leaves = LeavesOf(type);
  if (error_ || leaves.size() > kMany) return padding;
  std::uint64_t end = 0;
  for (const Leaf& leaf : leaves) {
    if (leaf.offset > end) padding.emplace_back(end, leaf.offset - end);
    end = leaf.offset + leaf.bytes;
  }
  const std::uint64_t size = module_.types.Find(type)->size;
  if (size > end) padding.emplace_back(end, size - end);
  return padding;
}

// A built-in variable is a variable that the kernel finds initialised.
Value Importer::InputVariable(const frontend::GlobalVariable& global) {
  if (const auto found = input_variables_.find(global.id); found != input_variables_.end()) {
    return graph_.variables[found->second].address;
  }
  const auto kind = global.built_in ? InputOf(*global.built_in) : std::nullopt;
  if (!kind) {
    FailUnsupported(fmt::format("input variable {} is no built-in variable of OpenCL",
                                module_.Describe(global.id)));
    return Undefined(Kind::kI64);
  }
  // Its instructions belong to the kernel's entry, or a kept function's, wherever it is used first.
  const std::uint32_t block = std::exchange(block_, root_);
  Instance entry;
  entry.site = root_site_;
  Instance* instance = std::exchange(instance_, &entry);
  const Type& type = *module_.types.Find(global.pointee);
  const std::uint32_t variable =
      NewVariable(type.size, type.alignment, std::string(module_.NameOf(global.id)));
  graph_.variables[variable].is_input = true;
  const Value address = graph_.variables[variable].address;
  Emit(Opcode::kEnterVariable, Kind::kI64, {address});
  std::vector<Value> values;
  const std::vector<Leaf> leaves = LeavesOf(global.pointee);
  const Type& component = type.kind == TypeKind::kVector ? *module_.types.Find(type.element) : type;
  if (component.kind != TypeKind::kInteger || leaves.size() > 4) {
    FailUsage(fmt::format("built-in variable {} is neither an integer nor three or four",
                          module_.Describe(global.id)));
  }
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    values.push_back(
        NewInput({.input_kind = *kind, .index = i, .kind = leaves[i].kind}, leaves[i].kind));
  }
  StoreLeaves(address, leaves, values);
  instance_ = instance;
  block_ = block;
  input_variables_[global.id] = variable;
  return address;
}

// --- loads and stores -------------------------------------------------------------------------

Value Importer::FromMemory(Value loaded, const Leaf& leaf) {
  if (leaf.kind == Kind::kBool) return Emit(Opcode::kIsNonZero, Kind::kI8, {loaded});
  if (leaf.bytes == BytesOf(leaf.kind)) return loaded;
  if (IsFloat(leaf.kind)) return FromBfloatBits(loaded);
  return Convert(Opcode::kUConvert, leaf.kind, IntegerKind(leaf.bytes * 8), loaded);
}

Value Importer::ToMemory(Value value, const Leaf& leaf) {
  if (leaf.kind == Kind::kBool) return Convert(Opcode::kUConvert, Kind::kI8, Kind::kBool, value);
  if (leaf.bytes == BytesOf(leaf.kind)) return value;
  if (IsFloat(leaf.kind)) return BfloatBits(value);
  return Convert(Opcode::kUConvert, IntegerKind(leaf.bytes * 8), leaf.kind, value);
}

namespace {

Kind MemoryKind(const Leaf& leaf) {
  if (leaf.kind == Kind::kBool) return Kind::kI8;
  return leaf.bytes == BytesOf(leaf.kind) ? leaf.kind : IntegerKind(leaf.bytes * 8);
}

// How many scalars from `first` on lie side by side and are of one kind.
std::size_t RunLength(std::span<const Leaf> leaves, std::size_t first) {
  std::size_t count = 1;
  while (first + count < leaves.size() && count < 16 &&
         MemoryKind(leaves[first + count]) == MemoryKind(leaves[first]) &&
         leaves[first + count].offset == leaves[first].offset + count * leaves[first].bytes) {
    ++count;
  }
  return count;
}

}  // namespace

std::vector<Value> Importer::LoadLeaves(Value address, std::span<const Leaf> leaves) {
  std::vector<Value> values;
  for (std::size_t first = 0; first < leaves.size();) {
    const std::size_t count = RunLength(leaves, first);
    const Kind kind = MemoryKind(leaves[first]);
    const std::vector<Kind> kinds(count, kind);
    const Value operands[] = {address};
    const std::uint32_t place = EmitMany(count == 1 ? Opcode::kLoad : Opcode::kLoadMany, kind,
                                         operands, leaves[first].offset, kinds);
    // The first one of an aligned object says it for all.
    graph_.instructions[place].alignment = std::exchange(access_alignment_, std::uint8_t{0});
    graph_.instructions[place].read_parts = std::exchange(read_parts_, std::uint16_t{0});
    const Value result = graph_.instructions[place].first_result;
    for (std::uint32_t i = 0; i < count; ++i) {
      values.push_back(FromMemory(result + i, leaves[first + i]));
    }
    first += count;
  }
  return values;
}

void Importer::StoreLeaves(Value address, std::span<const Leaf> leaves,
                           std::span<const Value> values) {
  if (leaves.size() != values.size()) return FailUsage("a store of a value of another type");
  for (std::size_t first = 0; first < leaves.size();) {
    const std::size_t count = RunLength(leaves, first);
    std::vector<Value> operands = {address};
    for (std::size_t i = 0; i < count; ++i) {
      operands.push_back(ToMemory(values[first + i], leaves[first + i]));
    }
    const std::uint32_t place =
        EmitMany(count == 1 ? Opcode::kStore : Opcode::kStoreMany, MemoryKind(leaves[first]),
                 operands, leaves[first].offset, {});
    // The alignment is that of the whole, of which components may be left out.
    IrInstruction& store = graph_.instructions[place];
    store.alignment = std::exchange(access_alignment_, std::uint8_t{0});
    if (store.alignment != 0) {
      store.alignment_offset = static_cast<std::uint8_t>(leaves[first].offset);
    }
    first += count;
  }
}

const ComponentAccesses& Importer::Components() {
  const frontend::Function* function = instance_->function;
  const auto found = components_.find(function);
  if (found != components_.end()) return found->second;
  return components_.try_emplace(function, module_, *function).first->second;
}

void Importer::ImportLoad(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Value address = ValueOf(operands[0]);
  const std::vector<Leaf> leaves = LeavesOf(instruction.type);
  if (error_) return;
  if (const std::uint32_t* parts = Components().FindLoad(instruction)) {
    if (*parts == 0) {  // for a store of a component
      std::vector<Value> nothing;
      for (const Leaf& leaf : leaves) nothing.push_back(Undefined(leaf.kind));
      Bind(instruction.result, nothing);
      return;
    }
    read_parts_ = static_cast<std::uint16_t>(*parts);
  }
  SetAccessAlignment(operands, 1, instruction.type, operands[0]);
  CheckArrayIndices(operands[0], address);
  if (!error_) Bind(instruction.result, LoadLeaves(address, leaves));
}

void Importer::ImportStore(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Value address = ValueOf(operands[0]);
  const std::vector<Leaf> leaves = LeavesOf(TypeIdOf(operands[1]));
  const std::vector<Value> values = ValuesOf(operands[1]);
  SetAccessAlignment(operands, 2, TypeIdOf(operands[1]), operands[0]);
  CheckArrayIndices(operands[0], address);
  if (error_) return;
  const ComponentStore* components = Components().FindStore(instruction);
  if (components != nullptr && leaves.size() == values.size()) {
    return StoreComponents(instruction, *components);
  }
  StoreLeaves(address, leaves, values);
}

// `p->x = 1`, `(*p)[i] = 1`.
void Importer::StoreComponents(const Instruction& instruction, const ComponentStore& components) {
  const auto operands = module_.Operands(instruction);
  Value address = ValueOf(operands[0]);
  const std::vector<Leaf> leaves = LeavesOf(TypeIdOf(operands[1]));
  const std::vector<Value> values = ValuesOf(operands[1]);
  std::vector<Leaf> stored_leaves;
  std::vector<Value> stored_values;
  if (components.dynamic_index == 0) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if ((components.parts >> i & 1) == 0) continue;
      stored_leaves.push_back(leaves[i]);
      stored_values.push_back(values[i]);
    }
    return StoreLeaves(address, stored_leaves, stored_values);
  }
  const Id index_id = components.dynamic_index;
  const Value index =
      Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(index_id)), ValueOf(index_id));
  const Value count = Constant(Kind::kI64, leaves.size());
  // One that is not there leaves all of them undefined, and changes nothing outside.
  const Value inside = Emit(Opcode::kUMod, Kind::kI64, {index, count});
  CheckValue(Check::kInsertIndex, Kind::kI64, {index, count}, std::span(&inside, 1));
  access_alignment_ = 0;
  address = IndexAddress(address, inside, Kind::kI64, leaves[0].bytes);
  const Instruction& insert = *module_.Definition(operands[1]);
  StoreLeaves(address, std::span(leaves).first(1), ValuesOf(module_.Operands(insert)[1]));
}

bool Importer::ImportMemory(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  switch (instruction.opcode) {
    case Op::kVariable:
    case Op::kUntypedVariableKHR:
      graph_.blocks[block_].origins.pop_back();  // takes no step of execution
      return ImportVariable(instruction), true;
    case Op::kLoad:
      return ImportLoad(instruction), true;
    case Op::kStore:
      return ImportStore(instruction), true;
    case Op::kCopyMemory:
    case Op::kCopyMemorySized:
      return ImportCopyMemory(instruction), true;
    case Op::kAccessChain:
    case Op::kInBoundsAccessChain:
    case Op::kUntypedAccessChainKHR:
    case Op::kUntypedInBoundsAccessChainKHR:
      return ImportAccessChain(instruction, false), true;
    case Op::kPtrAccessChain:
    case Op::kInBoundsPtrAccessChain:
    case Op::kUntypedPtrAccessChainKHR:
    case Op::kUntypedInBoundsPtrAccessChainKHR:
      return ImportAccessChain(instruction, true), true;
    case Op::kLifetimeStart:
      graph_.blocks[block_].origins.pop_back();  // as OpVariable
      Emit(Opcode::kEnterVariable, Kind::kI64, {ValueOf(operands[0])});
      return true;
    case Op::kLifetimeStop:
      graph_.blocks[block_].origins.pop_back();
      Emit(Opcode::kLeaveVariable, Kind::kI64, {ValueOf(operands[0])});
      return true;
    case Op::kSizeOf: {
      const Type* pointee = module_.types.Find(TypeOfValue(operands[0]).element);
      if (pointee == nullptr) return FailUsage("the size of nothing"), true;
      BindOne(instruction.result, Constant(ScalarKindOf(instruction.type), pointee->size));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace assay::interp
