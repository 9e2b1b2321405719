#include "interp/import/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/import/operands_fit.h"

namespace assay::interp {
namespace {

tl::unexpected<Error> Mistyped(const frontend::Module& module, std::uint32_t origin) {
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: operands of types that the instruction does not take\n  {}",
                          module.name, module.Text(module.instructions[origin])));
}

class Verifier {
 public:
  explicit Verifier(const ImportedKernel& kernel) : kernel_(kernel), graph_(kernel.graph) {}

  bool Good(const IrInstruction& instruction) const { return OperandsFit(kernel_, instruction); }

  bool Good(const IrBlock& block) const {
    for (const Phi& phi : block.phis) {
      if (!All(phi.operands, Bytes(phi.result))) return false;
    }
    if (!GoodEdges(block)) return false;
    if (block.end == End::kBranch) return graph_.values[block.condition].kind == Kind::kBool;
    return block.end != End::kSwitch || IsInteger(graph_.values[block.condition].kind);
  }

  // A function is entered by its calls only, which are known there.
  bool GoodFunctions() const {
    std::vector<std::size_t> calls(graph_.functions.size());
    for (const IrBlock& block : graph_.blocks) {
      if (block.end == End::kCall) ++calls[block.function];
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto& callers = graph_.blocks[graph_.functions[i].entry].predecessors;
      const bool all_call = std::ranges::all_of(callers, [&](std::uint32_t caller) {
        return graph_.blocks[caller].end == End::kCall && graph_.blocks[caller].function == i;
      });
      if (!all_call || callers.size() != calls[i]) return false;
    }
    return true;
  }

 private:
  // Phis have one value for each way to the block.
  bool GoodEdges(const IrBlock& block) const {
    for (const Phi& phi : block.phis) {
      if (phi.operands.size() != block.predecessors.size()) return false;
    }
    if (block.end != End::kCall && block.end != End::kLeave) return true;
    if (block.function >= graph_.functions.size()) return false;
    if (block.end == End::kCall) {
      return block.targets.size() == 1 && graph_.IsAfterCall(block.targets[0]);
    }
    return block.targets.empty() && &block == &graph_.blocks[graph_.functions[block.function].exit];
  }
  std::uint32_t Bytes(Value value) const { return BytesOf(graph_.values[value].kind); }
  bool All(std::span<const Value> values, std::uint32_t bytes) const {
    return std::ranges::all_of(values, [&](Value value) { return Bytes(value) == bytes; });
  }

  const ImportedKernel& kernel_;
  const Graph& graph_;
};

}  // namespace

Expected<void> VerifyOperands(const frontend::Module& module, const ImportedKernel& kernel) {
  const Verifier verifier(kernel);
  for (const IrInstruction& instruction : kernel.graph.instructions) {
    if (!verifier.Good(instruction)) return Mistyped(module, instruction.origin);
  }
  for (const IrBlock& block : kernel.graph.blocks) {
    if (!verifier.Good(block)) return Mistyped(module, block.origin);
  }
  if (!verifier.GoodFunctions()) return Mistyped(module, kernel.graph.blocks[0].origin);
  return {};
}

Expected<void> VerifyHandlers(const frontend::Module& module, const Program& program) {
  for (const FlatInstruction& instruction : program.code) {
    if (instruction.handler == nullptr) {
      return Mistyped(module, program.places[instruction.place].origin);
    }
  }
  return {};
}

bool TakesInGroup(const frontend::Module& module, const frontend::Instruction& instruction) {
  const auto operands = module.Operands(instruction);
  const frontend::Type* type = module.types.Find(instruction.type);
  const frontend::Type* component =
      type->kind == frontend::TypeKind::kVector ? module.types.Find(type->element) : type;
  const auto of_kind = [&](frontend::TypeKind kind, frontend::Id value) {
    return component->kind == kind && module.TypeOf(value) == instruction.type;
  };
  switch (instruction.opcode) {
    case frontend::Op::kGroupAll:
    case frontend::Op::kGroupAny:
      return type->kind == frontend::TypeKind::kBool &&
             of_kind(frontend::TypeKind::kBool, operands[1]);
    case frontend::Op::kGroupBroadcast:
      return component->IsScalar() && module.TypeOf(operands[1]) == instruction.type;
    case frontend::Op::kGroupFAdd:
    case frontend::Op::kGroupFMin:
    case frontend::Op::kGroupFMax:
    case frontend::Op::kGroupFMulKHR:
      return of_kind(frontend::TypeKind::kFloat, operands[2]);
    case frontend::Op::kGroupLogicalAndKHR:
    case frontend::Op::kGroupLogicalOrKHR:
    case frontend::Op::kGroupLogicalXorKHR:
      return of_kind(frontend::TypeKind::kBool, operands[2]);
    default:
      return of_kind(frontend::TypeKind::kInteger, operands[2]);
  }
}

}  // namespace assay::interp
