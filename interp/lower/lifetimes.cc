#include "interp/lower/lifetimes.h"

#include <algorithm>

namespace assay::interp {

Lifetimes::Lifetimes(const Graph& graph, const Interleaving& interleaving)
    : graph_(graph),
      interleaving_(interleaving),
      may_end_(graph.variables.size()),
      begins_(graph.variables.size()) {
  for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
    const IrBlock& block = graph_.blocks[b];
    for (const std::uint32_t place : block.instructions) {
      const IrInstruction& instruction = graph_.instructions[place];
      if (TraitsOf(instruction.opcode).layout != Layout::kVariable) continue;
      const std::uint32_t variable = VariableOf(instruction);
      if (variable == Interleaving::kNone) continue;
      if (instruction.opcode == Opcode::kEnterVariable) {
        begins_[variable].push_back(b);
      } else if (!IsLast(block, variable)) {
        may_end_[variable] = true;
      }
    }
  }
}

bool Lifetimes::HasBegun(std::uint32_t variable, std::uint32_t block,
                         const Dominators& flow) const {
  return !may_end_[variable] && std::ranges::any_of(begins_[variable], [&](std::uint32_t begin) {
    return flow.IsReachable(begin) && flow.Dominates(begin, block);
  });
}

// The interleaved variable that the first operand points into.
std::uint32_t Lifetimes::VariableOf(const IrInstruction& instruction) const {
  const auto operands = graph_.Operands(instruction);
  return operands.empty() ? Interleaving::kNone : interleaving_.VariableOf(operands[0]);
}

// After the block the kernel ends without an access to the variable.
bool Lifetimes::IsLast(const IrBlock& block, std::uint32_t variable) const {
  constexpr int kMostBlocks = 16;
  const IrBlock* now = &block;
  for (int i = 0; i < kMostBlocks && now->end == End::kJump; ++i) {
    now = &graph_.blocks[now->targets[0]];
    for (const std::uint32_t place : now->instructions) {
      const IrInstruction& instruction = graph_.instructions[place];
      if (instruction.opcode != Opcode::kLeaveVariable && VariableOf(instruction) == variable) {
        return false;
      }
    }
  }
  return now->end == End::kReturn;
}

}  // namespace assay::interp
