// Constants and composites.
#include <fmt/format.h>

#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::ConstantKind;
using frontend::TypeKind;

// --- constants --------------------------------------------------------------------------------

Importer::Parts Importer::PartsOf(Id id) {
  if (const auto found = instance_->values.find(id); found != instance_->values.end()) {
    return found->second;
  }
  if (const auto found = globals_.find(id); found != globals_.end()) return found->second;
  std::vector<Value> values;
  if (const frontend::GlobalVariable* global = module_.FindGlobal(id)) {
    // llvm-spirv leaves a built-in variable in CrossWorkgroup where its address is used.
    if (global->storage_class == frontend::StorageClass::kInput || global->built_in) {
      values.push_back(InputVariable(*global));
    } else if (const auto address = context_.addresses->find(id);
               address != context_.addresses->end()) {
      values.push_back(Constant(Kind::kI64, address->second));
    } else {
      FailUsage(
          fmt::format("variable {} is declared here and defined nowhere", module_.Describe(id)));
    }
  } else if (const frontend::Constant* constant = module_.constants.Find(id)) {
    AppendConstant(*constant, &values);
  } else {
    FailUsage(fmt::format("{} has no value here", module_.Describe(id)));
  }
  const Parts parts{static_cast<std::uint32_t>(pool_.size()),
                    static_cast<std::uint32_t>(values.size())};
  pool_.insert(pool_.end(), values.begin(), values.end());
  if (!error_ && !FitsType(values, TypeIdOf(id))) {
    FailUsage(fmt::format("{} has a value of another type", module_.Describe(id)));
  }
  if (!error_) globals_[id] = parts;
  return parts;
}

std::vector<Value> Importer::ValuesOf(Id id) {
  const Parts parts = PartsOf(id);
  return {pool_.begin() + parts.first, pool_.begin() + parts.first + parts.count};
}

Value Importer::ValueOf(Id id) {
  const Parts parts = PartsOf(id);
  if (parts.count == 1) return pool_[parts.first];
  if (!error_) FailUsage(fmt::format("{} is no scalar", module_.Describe(id)));
  return Undefined(Kind::kI32);
}

void Importer::AppendConstant(const frontend::Constant& constant, std::vector<Value>* values) {
  switch (constant.kind) {
    case ConstantKind::kScalar:
      // A bfloat16 is the upper half of a float.
      values->push_back(Constant(ScalarKindOf(constant.type),
                                 constant.bits << (IsBfloat(constant.type) ? 16 : 0)));
      return;
    case ConstantKind::kComposite:
      (void)LeavesOf(constant.type);  // an error if there are too many
      if (const Type* type = module_.types.Find(constant.type);
          type != nullptr && type->IsMatrix()) {
        for (std::uint32_t i = 0; i < MatrixParts(*type) && !error_; ++i) {
          AppendConstant(module_.constants.Part(constant, 0), values);
        }
        return;
      }
      for (std::uint32_t i = 0; i < constant.part_count && !error_; ++i) {
        AppendConstant(module_.constants.Part(constant, i), values);
      }
      return;
    case ConstantKind::kNull:
      for (const Leaf& leaf : LeavesOf(constant.type)) values->push_back(Constant(leaf.kind, 0));
      return;
    case ConstantKind::kUndefined: {
      const std::uint32_t here = origin_;
      if (const Instruction* definition = module_.Definition(constant.id)) {
        origin_ = static_cast<std::uint32_t>(definition - module_.instructions.data());
      }
      for (const Leaf& leaf : LeavesOf(constant.type)) {
        values->push_back(Undefined(leaf.kind, UndefinedSource::Reason::kUndef));
      }
      origin_ = here;
      return;
    }
    case ConstantKind::kAddress:
    case ConstantKind::kExpression: {
      const auto address = EvaluateAddress(module_, *context_.addresses, constant);
      if (!address) return AppendExpression(constant, values);
      values->push_back(Constant(ScalarKindOf(constant.type), *address));
      return;
    }
    case ConstantKind::kSampler:
      values->push_back(LiteralSamplerValue(constant));
      return;
    case ConstantKind::kPipe: {
      const auto pipe = context_.addresses->find(constant.id);
      if (pipe == context_.addresses->end()) return FailUsage("a pipe that cannot be made");
      values->push_back(Constant(Kind::kI64, pipe->second));
      return;
    }
  }
}

// An OpSpecConstantOp over floating-point numbers: the instruction itself, where the kernel begins,
// or the kept function.
void Importer::AppendExpression(const frontend::Constant& constant, std::vector<Value>* values) {
  const Instruction* definition = module_.Definition(constant.id);
  if (definition == nullptr || definition->opcode != Op::kSpecConstantOp) {
    return FailUnsupported(
        fmt::format("{} is a constant expression that is not evaluated here",
                    module_.Describe(constant.id != 0 ? constant.id : constant.variable)));
  }
  Instruction inner = *definition;
  inner.opcode = static_cast<Op>(module_.Operands(*definition)[0]);
  ++inner.operands;
  const std::uint32_t block = std::exchange(block_, root_);
  Instance entry;
  entry.site = root_site_;
  Instance* instance = std::exchange(instance_, &entry);
  const bool known = ImportArithmetic(inner) || ImportConversion(inner) || ImportComposite(inner);
  instance_ = instance;
  block_ = block;
  const auto found = entry.values.find(inner.result);
  if (!known || (found == entry.values.end() && !error_)) {
    return FailUnsupported(fmt::format("{} is a constant expression that is not evaluated here",
                                       module_.Describe(constant.id)));
  }
  if (error_) return;
  const auto first = pool_.begin() + found->second.first;
  values->insert(values->end(), first, first + found->second.count);
}

// --- composites -------------------------------------------------------------------------------

// The place of a part's first scalar, and the part's type.
std::pair<std::uint64_t, frontend::Id> Importer::LocatePart(Id type_id,
                                                            std::span<const Word> indices) {
  std::uint64_t first = 0;
  for (const Word index : indices) {
    const Type* found = module_.types.Find(type_id);
    if (found == nullptr) FailUsage("a part of a value without a type");
    if (error_) return {0, type_id};
    const Type& type = *found;
    if (type.kind == TypeKind::kStruct) {
      const auto members = module_.types.Members(type);
      if (index >= members.size()) FailUsage("a member that is not there");
      for (Word i = 0; !error_ && i < index; ++i) first += CountLeaves(members[i]);
      if (error_) return {0, type_id};
      type_id = members[index];
    } else {
      const bool indexed = type.kind == TypeKind::kVector || type.kind == TypeKind::kArray;
      const bool is_there =
          type.IsMatrix() ? index < MatrixParts(type) : indexed && index < type.count;
      if (!is_there) FailUsage("an element that is not there");
      if (error_) return {0, type_id};
      first += index * CountLeaves(type.element);
      type_id = type.element;
    }
  }
  return {first, type_id};
}

void Importer::ImportConstruct(const Instruction& instruction) {
  std::vector<Value> values;
  const auto append = [&](const Instruction& part) {
    for (const Word operand : module_.Operands(part)) {
      const std::vector<Value> scalars = ValuesOf(operand);
      values.insert(values.end(), scalars.begin(), scalars.end());
      if (values.size() > kMaxLeaves) FailUsage("more parts than the type has");
      if (error_) return;
    }
  };
  append(instruction);
  // What continues it stands behind it (SPV_INTEL_long_composites).
  if (instruction.opcode == Op::kCompositeConstruct) {
    const auto rest = std::span(module_.instructions).subspan(origin_ + 1);
    for (const Instruction& part : rest) {
      if (error_ || part.opcode != Op::kCompositeConstructContinuedINTEL) break;
      append(part);
    }
  }
  if (error_) return;
  Bind(instruction.result, values);
}

void Importer::ImportExtract(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const std::vector<Value> whole = ValuesOf(operands[0]);
  const auto [first, type] = LocatePart(TypeIdOf(operands[0]), operands.subspan(1));
  const std::uint64_t count = CountLeaves(type);
  if (error_) return;
  if (first + count > whole.size()) return FailUsage("a part that is not there");
  Bind(instruction.result, std::span(whole).subspan(first, count));
}

void Importer::ImportInsert(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const std::vector<Value> part = ValuesOf(operands[0]);
  std::vector<Value> whole = ValuesOf(operands[1]);
  const auto [first, type] = LocatePart(TypeIdOf(operands[1]), operands.subspan(2));
  if (error_) return;
  if (first + part.size() > whole.size()) return FailUsage("a part that is not there");
  std::copy(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first));
  Bind(instruction.result, whole);
}

void Importer::ImportVectorShuffle(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  std::vector<Value> both = ValuesOf(operands[0]);
  const std::vector<Value> second = ValuesOf(operands[1]);
  both.insert(both.end(), second.begin(), second.end());
  std::vector<Value> result;
  for (const Word index : operands.subspan(2)) {
    if (index != 0xffffffff && index >= both.size()) FailUsage("a component that is not there");
    if (error_) return;
    result.push_back(index == 0xffffffff
                         ? Undefined(ScalarKindOf(instruction.type), UndefinedSource::Reason::kLane)
                         : both[index]);
  }
  Bind(instruction.result, result);
}

void Importer::ImportExtractDynamic(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  const Kind index_kind = ScalarKindOf(TypeIdOf(operands[1]));
  std::vector<Value> values = {
      Convert(Opcode::kUConvert, Kind::kI64, index_kind, ValueOf(operands[1]))};
  for (const Value value : ValuesOf(operands[0])) values.push_back(value);
  const Value result = Emit(Opcode::kExtractDynamic, kind, values);
  BindOne(instruction.result, result);
  CheckValue(IsBuiltIn(operands[0]) ? Check::kDimension : Check::kComponentIndex, Kind::kI64,
             {values[0], Constant(Kind::kI64, values.size() - 1)}, std::span(&result, 1));
}

void Importer::ImportInsertDynamic(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  const Kind index_kind = ScalarKindOf(TypeIdOf(operands[2]));
  std::vector<Value> values = {
      Convert(Opcode::kUConvert, Kind::kI64, index_kind, ValueOf(operands[2])),
      ValueOf(operands[1])};
  const std::vector<Value> vector = ValuesOf(operands[0]);
  values.insert(values.end(), vector.begin(), vector.end());
  const std::vector<Kind> kinds(vector.size(), kind);
  const std::uint32_t place = EmitMany(Opcode::kInsertDynamic, kind, values, 0, kinds);
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < kinds.size(); ++i) {
    results.push_back(graph_.instructions[place].first_result + i);
  }
  Bind(instruction.result, results);
  CheckValue(Check::kInsertIndex, Kind::kI64, {values[0], Constant(Kind::kI64, vector.size())},
             results);
}

bool Importer::ImportComposite(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  switch (instruction.opcode) {
    case Op::kCompositeConstruct:
      return ImportConstruct(instruction), true;
    case Op::kCompositeExtract:
      return ImportExtract(instruction), true;
    case Op::kCompositeInsert:
      return ImportInsert(instruction), true;
    case Op::kCopyObject:
    case Op::kCopyLogical:
    case Op::kExpectKHR:
      Bind(instruction.result, ValuesOf(operands[0]));
      return true;
    case Op::kAssumeTrueKHR:
      CheckNow(Check::kAssumedFalse, Kind::kI8,
               {Convert(Opcode::kUConvert, Kind::kI8, Kind::kBool, ValueOf(operands[0]))});
      return true;
    case Op::kVectorShuffle:
      return ImportVectorShuffle(instruction), true;
    case Op::kVectorExtractDynamic:
      return ImportExtractDynamic(instruction), true;
    case Op::kVectorInsertDynamic:
      return ImportInsertDynamic(instruction), true;
    default:
      return false;
  }
}

// Whether a value is what a load from a built-in variable gave.
bool Importer::IsBuiltIn(Id id) const {
  const Instruction* load = module_.Definition(id);
  if (load == nullptr || load->opcode != Op::kLoad) return false;
  const frontend::GlobalVariable* global = module_.FindGlobal(module_.Operands(*load)[0]);
  return global != nullptr && global->built_in.has_value();
}

void Importer::ImportExtended(const Instruction& instruction) {
  // Every other set is debug information or NonSemantic; the loader refuses what is neither.
  if (module_.SetOf(module_.Operands(instruction)[0]) != frontend::ExtendedSet::kOpenClStd) return;
  graph_.blocks[block_].origins.push_back(origin_);
  ImportOpenClStd(instruction);
}

}  // namespace assay::interp
