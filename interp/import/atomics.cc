// Atomic operations.
#include "frontend/atomics.h"

#include "interp/import/import.h"

namespace assay::interp {

using frontend::AtomicForm;
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
    if (frontend::FormOf(instruction.opcode) == AtomicForm::kCompareExchange) {
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
  const auto kind = [&] { return ScalarKindOf(instruction.type); };
  switch (frontend::FormOf(instruction.opcode)) {
    case AtomicForm::kLoad:
    case AtomicForm::kStep:
      BindOne(instruction.result, emit(kind(), 2, {ValueOf(operands[0])}, true));
      return true;
    case AtomicForm::kStore:
      emit(ScalarKindOf(TypeIdOf(operands[3])), 2, {ValueOf(operands[0]), ValueOf(operands[3])},
           false);
      return true;
    case AtomicForm::kModify:
      BindOne(instruction.result,
              emit(kind(), 2, {ValueOf(operands[0]), ValueOf(operands[3])}, true));
      return true;
    case AtomicForm::kCompareExchange:
      BindOne(instruction.result,
              emit(kind(), 2, {ValueOf(operands[0]), ValueOf(operands[4]), ValueOf(operands[5])},
                   true));
      return true;
    case AtomicForm::kTestFlag: {
      const Value old = emit(Kind::kI32, 2, {ValueOf(operands[0])}, true);
      BindOne(instruction.result, Emit(Opcode::kIsNonZero, Kind::kI32, {old}));
      return true;
    }
    case AtomicForm::kClearFlag:
      emit(Kind::kI32, 2, {ValueOf(operands[0])}, false);
      return true;
    case AtomicForm::kNone:
      break;
  }
  return false;
}

}  // namespace assay::interp
