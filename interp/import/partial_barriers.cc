// Named barriers and split barriers.
#include "interp/import/import.h"

namespace assay::interp {

using frontend::Op;
using frontend::Scope;

bool Importer::ImportPartialBarrier(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  std::vector<Value> results;
  switch (instruction.opcode) {
    case Op::kNamedBarrierInitialize: {
      const Value count = PipeNumber(operands[0]);
      if (error_) return true;
      const Kind kind[] = {Kind::kI64};
      Sync(Opcode::kInitNamedBarrier, Kind::kI64, std::span(&count, 1), 0, kind, &results);
      return BindOne(instruction.result, results[0]), true;
    }
    case Op::kMemoryNamedBarrier: {
      if (TypeOfValue(operands[0]).opcode != Op::kTypeNamedBarrier) {
        return FailUsage("a named barrier is wanted"), true;
      }
      const auto semantics = Literal(operands[2]);
      if (!semantics) return FailUnsupported("a named barrier whose semantics are computed"), true;
      const Value barrier = ValueOf(operands[0]);
      if (error_) return true;
      Sync(Opcode::kNamedBarrier, Kind::kI64, std::span(&barrier, 1), *semantics, 0, &results);
      return true;
    }
    case Op::kControlBarrierArriveINTEL:
    case Op::kControlBarrierWaitINTEL: {
      if (Literal(operands[0]) != static_cast<std::uint64_t>(Scope::kWorkgroup)) {
        return FailUnsupported("a split barrier that is not the work-group's"), true;
      }
      const auto semantics = Literal(operands[2]);
      if (!semantics) return FailUnsupported("a split barrier whose semantics are computed"), true;
      const bool arrives = instruction.opcode == Op::kControlBarrierArriveINTEL;
      Sync(arrives ? Opcode::kArriveBarrier : Opcode::kWaitBarrier, Kind::kI32, {}, *semantics, 0,
           &results);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace assay::interp
