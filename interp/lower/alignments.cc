// What certainly has the alignment that it needs.
#include <bit>

#include "interp/lower/offsets.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

// Of the type that a parameter points to: that the argument has it is looked at before the launch.
std::uint64_t AlignmentOfParameter(const frontend::Module& module,
                                   const frontend::Function& function, const Input& input) {
  const auto parameters = function.parameters.Of(module.parameters);
  if (input.input_kind != InputKind::kParameter || input.offset != 0 ||
      input.index >= parameters.size()) {
    return 1;
  }
  const frontend::Type* type = module.types.Find(parameters[input.index].type);
  if (type == nullptr || type->kind != frontend::TypeKind::kPointer) return 1;
  const frontend::Type* pointee = module.types.Find(type->element);
  return pointee == nullptr ? 1 : pointee->alignment;
}

}  // namespace

void RemoveSureAlignments(const frontend::Module& module, const frontend::Function& function,
                          ImportedKernel* kernel) {
  Graph& graph = kernel->graph;
  const auto alignment_of = [&](Value address) -> std::uint64_t {
    const ValueInfo& info = graph.values[address];
    switch (info.value_kind) {
      case ValueKind::kConstant:
        return info.bits & -info.bits;
      case ValueKind::kInput:
        return AlignmentOfParameter(module, function, kernel->inputs[info.bits]);
      case ValueKind::kInstruction: {
        const IrInstruction& made = graph.instructions[info.bits];
        return made.opcode == Opcode::kVariable ? graph.variables[made.immediate].alignment : 1;
      }
      case ValueKind::kPhi:
      case ValueKind::kUndefined:
        break;
    }
    return 1;
  };
  for (IrInstruction& instruction : graph.instructions) {
    const Access access = TraitsOf(instruction.opcode).access;
    if (access != Access::kLoad && access != Access::kStore) continue;
    if (IsSurelyAligned(graph, instruction, alignment_of)) instruction.alignment = 0;
  }
}

}  // namespace assay::interp
