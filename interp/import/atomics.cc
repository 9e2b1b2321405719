// Atomic operations.
#include "interp/import/import.h"

namespace assay::interp {

using frontend::StorageClass;

bool Importer::ImportAtomic(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const auto emit = [&](Kind kind, std::size_t semantics, std::vector<Value> values,
                        bool has_result) {
    AtomicCall call;
    call.opcode = instruction.opcode;
    call.local = TypeOfValue(operands[0]).storage_class == StorageClass::kWorkgroup;
    call.is_generic = TypeOfValue(operands[0]).storage_class == StorageClass::kGeneric;
    call.scope = static_cast<std::uint32_t>(Literal(operands[1]).value_or(1));
    call.order = static_cast<std::uint32_t>(Literal(operands[semantics]).value_or(16));
    if (instruction.opcode == Op::kAtomicCompareExchange ||
        instruction.opcode == Op::kAtomicCompareExchangeWeak) {
      call.order_unequal =
          static_cast<std::uint32_t>(Literal(operands[semantics + 1]).value_or(16));
    }
    result_.atomic_calls.push_back(call);
    CheckArrayIndices(operands[0], values[0]);
    const Kind result[] = {kind};
    const std::uint32_t place =
        EmitMany(Opcode::kAtomic, kind, values, result_.atomic_calls.size() - 1,
                 has_result ? std::span<const Kind>(result) : std::span<const Kind>());
    return has_result ? graph_.instructions[place].first_result : kNoValue;
  };
  switch (instruction.opcode) {
    case Op::kAtomicLoad:
    case Op::kAtomicIIncrement:
    case Op::kAtomicIDecrement:
      BindOne(instruction.result,
              emit(ScalarKindOf(instruction.type), 2, {ValueOf(operands[0])}, true));
      return true;
    case Op::kAtomicStore:
      emit(ScalarKindOf(TypeIdOf(operands[3])), 2, {ValueOf(operands[0]), ValueOf(operands[3])},
           false);
      return true;
    case Op::kAtomicExchange:
    case Op::kAtomicIAdd:
    case Op::kAtomicISub:
    case Op::kAtomicSMin:
    case Op::kAtomicUMin:
    case Op::kAtomicSMax:
    case Op::kAtomicUMax:
    case Op::kAtomicAnd:
    case Op::kAtomicOr:
    case Op::kAtomicXor:
    case Op::kAtomicFAddEXT:
    case Op::kAtomicFMinEXT:
    case Op::kAtomicFMaxEXT:
      BindOne(instruction.result, emit(ScalarKindOf(instruction.type), 2,
                                       {ValueOf(operands[0]), ValueOf(operands[3])}, true));
      return true;
    case Op::kAtomicCompareExchange:
    case Op::kAtomicCompareExchangeWeak:
      BindOne(instruction.result,
              emit(ScalarKindOf(instruction.type), 2,
                   {ValueOf(operands[0]), ValueOf(operands[4]), ValueOf(operands[5])}, true));
      return true;
    case Op::kAtomicFlagTestAndSet: {
      const Value old = emit(Kind::kI32, 2, {ValueOf(operands[0])}, true);
      BindOne(instruction.result, Emit(Opcode::kIsNonZero, Kind::kI32, {old}));
      return true;
    }
    case Op::kAtomicFlagClear:
      emit(Kind::kI32, 2, {ValueOf(operands[0])}, false);
      return true;
    default:
      return false;
  }
}

}  // namespace assay::interp
