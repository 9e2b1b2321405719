// What is known of SPIR-V's atomic instructions beside the grammar.
#pragma once

#include <cstdint>

#include "frontend/spirv.h"

namespace assay::frontend {

// What an atomic instruction does with its object, and its operands behind the pointer, scope and
// semantics.
enum class AtomicForm : std::uint8_t {
  kNone,  // it is no atomic instruction
  kLoad,
  kStore,            // a value
  kStep,             // reads and writes; no operand
  kModify,           // reads and writes; a value
  kCompareExchange,  // reads and writes; other semantics, a value, a comparator
  kTestFlag,
  kClearFlag,
};

constexpr AtomicForm FormOf(Op opcode) {
  switch (opcode) {
    case Op::kAtomicLoad:
      return AtomicForm::kLoad;
    case Op::kAtomicStore:
      return AtomicForm::kStore;
    case Op::kAtomicIIncrement:
    case Op::kAtomicIDecrement:
      return AtomicForm::kStep;
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
      return AtomicForm::kModify;
    case Op::kAtomicCompareExchange:
    case Op::kAtomicCompareExchangeWeak:
      return AtomicForm::kCompareExchange;
    case Op::kAtomicFlagTestAndSet:
      return AtomicForm::kTestFlag;
    case Op::kAtomicFlagClear:
      return AtomicForm::kClearFlag;
    default:
      return AtomicForm::kNone;
  }
}

// Atomics of one family may be done in any order without a difference, if nobody looks at what they
// return; 0: of none.
int OrderlessFamily(Op opcode);

}  // namespace assay::frontend
