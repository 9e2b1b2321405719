// Addresses: offsets, indices and access chains.
#include "interp/import/import.h"

namespace assay::interp {

using frontend::TypeKind;

namespace {

std::uint64_t SignExtended(std::uint64_t value, Kind kind) {
  const int shift = 64 - BitsOf(kind);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
}

bool IsUntypedChain(frontend::Op opcode) {
  using frontend::Op;
  return opcode == Op::kUntypedAccessChainKHR || opcode == Op::kUntypedInBoundsAccessChainKHR ||
         opcode == Op::kUntypedPtrAccessChainKHR || opcode == Op::kUntypedInBoundsPtrAccessChainKHR;
}

}  // namespace

Value Importer::Truncated(Value address) {
  if (module_.PointerBytes() == 8) return address;
  return Emit(Opcode::kTruncateAddress, Kind::kI64, {address});
}

Value Importer::OffsetAddress(Value address, std::int64_t bytes) {
  if (bytes == 0) return address;
  const ValueInfo& info = graph_.values[address];
  if (info.value_kind == ValueKind::kConstant) {
    const std::uint64_t mask = module_.PointerBytes() == 8 ? ~std::uint64_t{0} : 0xffffffff;
    return Constant(Kind::kI64, (info.bits + static_cast<std::uint64_t>(bytes)) & mask);
  }
  auto offset = static_cast<std::uint64_t>(bytes);
  if (info.value_kind == ValueKind::kInstruction &&
      graph_.instructions[info.bits].opcode == Opcode::kOffset) {
    const IrInstruction& inner = graph_.instructions[info.bits];
    offset += inner.immediate;
    address = graph_.Operands(inner)[0];
  }
  return Truncated(Emit(Opcode::kOffset, Kind::kI64, {address}, offset));
}

Value Importer::IndexAddress(Value address, Value index, Kind index_kind, std::uint64_t stride) {
  const ValueInfo& info = graph_.values[index];
  if (info.value_kind == ValueKind::kConstant) {
    return OffsetAddress(address,
                         static_cast<std::int64_t>(SignExtended(info.bits, index_kind) * stride));
  }
  // Most indices are widened ints: the multiplication widens them itself.  They cannot carry an
  // object's address around 64 bits, but around 32.
  const bool is_watched = IsWatched(Check::kAddressOverflow);
  const bool keeps_width = is_watched && module_.PointerBytes() != 8;
  if (info.value_kind == ValueKind::kInstruction && !keeps_width) {
    const IrInstruction& definition = graph_.instructions[info.bits];
    if (definition.opcode == Opcode::kSConvert && definition.from == Kind::kI32) {
      index = graph_.Operands(definition)[0];
      index_kind = Kind::kI32;
    }
  }
  if (index_kind == Kind::kI32 && !keeps_width) {
    return Truncated(Emit(Opcode::kIndex32, Kind::kI64, {address, index}, stride));
  }
  const Value wide = Convert(Opcode::kSConvert, Kind::kI64, index_kind, index);
  const Value result = Truncated(Emit(Opcode::kIndex, Kind::kI64, {address, wide}, stride));
  if (is_watched && (keeps_width || (BitsOf(index_kind) > 32 && stride < std::uint64_t{1} << 30))) {
    CheckAddress(Check::kAddressOverflow, keeps_width ? CheckNeed::kAlways : CheckNeed::kLargeIndex,
                 {address, wide, Constant(Kind::kI64, stride)}, result);
  }
  return result;
}

// Indexes are signed (SPIR-V 3.52.8).
void Importer::ImportAccessChain(const Instruction& instruction, bool element) {
  auto operands = module_.Operands(instruction);
  // SPV_KHR_untyped_pointers: the type comes first.
  const bool is_untyped = IsUntypedChain(instruction.opcode);
  const Id base_type = operands[0];
  if (is_untyped) operands = operands.subspan(1);
  const Type& pointer = TypeOfValue(operands[0]);
  const Type* type = module_.types.Find(is_untyped ? base_type : pointer.element);
  if (pointer.kind != TypeKind::kPointer || type == nullptr) {
    return FailUsage("an access chain into no pointer");
  }
  Value address = ValueOf(operands[0]);
  std::vector<ArrayIndex> indices;
  const bool watches = !is_untyped && WatchesArrayIndices();
  if (watches) {
    const auto found = instance_->array_indices.find(operands[0]);
    if (found != instance_->array_indices.end()) indices = found->second;
  }
  // A last member of one element may stand for as many as the host has made room for.
  bool is_open = instance_->open_arrays.contains(operands[0]);
  for (std::size_t i = 1; i < operands.size() && !error_; ++i) {
    const Kind index_kind = ScalarKindOf(TypeIdOf(operands[i]));
    const Value index = ValueOf(operands[i]);
    if (TypeOfValue(operands[i]).kind != TypeKind::kInteger) {
      FailUsage("an index that is no integer");
    }
    if (error_) return;
    if (i == 1 && element) {
      if (watches) StepElement(operands[0], index, index_kind, &indices);
      address = IndexAddress(address, index, index_kind, type->size);
      continue;
    }
    switch (type->kind) {
      case TypeKind::kStruct: {
        const auto member = Literal(operands[i]);
        if (!member || *member >= type->count) return FailUsage("a member that is not there");
        address = OffsetAddress(address,
                                static_cast<std::int64_t>(module_.types.Offsets(*type)[*member]));
        StepInside(&indices);
        is_open = *member + 1 == type->count;
        type = module_.types.Find(module_.types.Members(*type)[*member]);
        is_open = is_open && type != nullptr && type->kind == TypeKind::kArray && type->count <= 1;
        break;
      }
      case TypeKind::kArray:
      case TypeKind::kVector:
        // The end of the outermost array of an object is the object's.
        if (watches && !is_open && !(i <= 2 && IsVariableOf(operands[0], *type)) &&
            !(i + 1 == operands.size() && MayBeCastOfObject(instruction, true))) {
          StepIndex(*type, index, index_kind, &indices);
        } else {
          StepInside(&indices);
        }
        is_open = false;
        type = module_.types.Find(type->element);
        address = IndexAddress(address, index, index_kind, type->size);
        break;
      case TypeKind::kVoid:
      case TypeKind::kBool:
      case TypeKind::kInteger:
      case TypeKind::kFloat:
      case TypeKind::kPointer:
      case TypeKind::kFunction:
      case TypeKind::kOpaque:
        if (!type->IsMatrix()) return FailUsage("an access chain into a scalar");
        if (watches) {  // a component of the work-item
          Type components = *type;
          components.count = MatrixParts(*type);
          StepIndex(components, index, index_kind, &indices);
        }
        is_open = false;
        type = module_.types.Find(type->element);
        address = IndexAddress(address, index, index_kind, type->size);
    }
  }
  BindOne(instruction.result, address);
  if (is_open) instance_->open_arrays.insert(instruction.result);
  if (!indices.empty()) instance_->array_indices[instruction.result] = std::move(indices);
  if (!error_ && !is_untyped) CheckInBounds(instruction, ValueOf(operands[0]), address);
}

}  // namespace assay::interp
