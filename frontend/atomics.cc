#include "frontend/atomics.h"

namespace assay::frontend {

int OrderlessFamily(Op opcode) {
  switch (opcode) {
    case Op::kAtomicIIncrement:
    case Op::kAtomicIDecrement:
    case Op::kAtomicIAdd:
    case Op::kAtomicISub:
      return 1;
    case Op::kAtomicAnd:
      return 2;
    case Op::kAtomicOr:
      return 3;
    case Op::kAtomicXor:
      return 4;
    case Op::kAtomicSMin:
      return 5;
    case Op::kAtomicUMin:
      return 6;
    case Op::kAtomicSMax:
      return 7;
    case Op::kAtomicUMax:
      return 8;
    default:
      return 0;
  }
}

}  // namespace assay::frontend
