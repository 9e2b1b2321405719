#include "interp/lower/interleave.h"

#include <numeric>
#include <utility>

#include "interp/lower/offsets.h"

namespace assay::interp {

Interleaving::Interleaving(const Graph& graph, bool copies)
    : element_(graph.variables.size(), 0),
      variable_(graph.values.size(), kNone),
      steps_(graph.variables.size(), 0),
      copies_(copies),
      escaped_(graph.variables.size(), false) {
  if (auto variables = FindVariables(graph)) {
    variable_ = std::move(*variables);
  } else {
    escaped_.assign(escaped_.size(), true);
  }
  for (const IrBlock& block : graph.blocks) {
    for (const Phi& phi : block.phis) {
      for (const Value operand : phi.operands) Escape(operand);
    }
    if (block.condition != kNoValue) Escape(block.condition);
    for (const std::uint32_t place : block.instructions) Look(graph, graph.instructions[place]);
    if (block.end != End::kSync) continue;
    for (const Value operand : graph.Operands(graph.instructions[block.sync])) Escape(operand);
  }
  for (std::uint32_t i = 0; i < element_.size(); ++i) {
    const Variable& variable = graph.variables[i];
    if (escaped_[i] || variable.promoted || variable.is_input ||
        (element_[i] != 0 && (steps_[i] % element_[i] != 0 || variable.bytes % element_[i] != 0))) {
      element_[i] = 0;
    }
  }
  // Of two that are copied, both or none.
  for (bool changed = true; changed;) {
    changed = false;
    for (const IrBlock& block : graph.blocks) {
      for (const std::uint32_t place : block.instructions) {
        const IrInstruction& copy = graph.instructions[place];
        if (copy.opcode != Opcode::kCopyMemory) continue;
        const auto operands = graph.Operands(copy);
        const std::uint32_t to = VariableOf(operands[0]), from = VariableOf(operands[1]);
        if (to == kNone || from == kNone || element_[to] == element_[from]) continue;
        element_[to] = element_[from] = 0;
        changed = true;
      }
    }
  }
}

void Interleaving::Look(const Graph& graph, const IrInstruction& instruction) {
  const OpcodeTraits& traits = TraitsOf(instruction.opcode);
  const auto operands = graph.Operands(instruction);
  if (instruction.opcode == Opcode::kVariable || traits.layout == Layout::kVariable) return;
  if (traits.layout == Layout::kCheck) return;  // looks at the address, and at no memory
  if (instruction.opcode == Opcode::kCopyMemory) return LookAtCopy(graph, instruction);
  if (instruction.opcode == Opcode::kTruncateAddress) return Escape(operands[0]);
  std::size_t first = 0;
  if (traits.access == Access::kLoad || traits.access == Access::kStore) {
    first = 1;
    AccessAt(graph, instruction);
    if (instruction.stride != 0) Move(operands[0], instruction.stride);
  } else if (traits.moves_address) {
    first = 1;
    if (instruction.opcode != Opcode::kCopy) Move(operands[0], instruction.immediate);
  }
  for (std::size_t i = first; i < operands.size(); ++i) Escape(operands[i]);
}

// One of a known size, as of the initial value of an array.
void Interleaving::LookAtCopy(const Graph& graph, const IrInstruction& copy) {
  const auto operands = graph.Operands(copy);
  const ValueInfo& bytes = graph.values[operands[2]];
  for (const Value address : operands.first(2)) {
    if (copies_ && bytes.value_kind == ValueKind::kConstant) {
      Move(address, bytes.bits);
    } else {
      Escape(address);
    }
  }
  Escape(operands[2]);
}

void Interleaving::AccessAt(const Graph& graph, const IrInstruction& access) {
  const Value address = graph.Operands(access)[0];
  const std::uint32_t variable = variable_[address];
  if (variable == kNone) return;
  const std::uint32_t bytes = BytesOf(access.kind);
  if (element_[variable] != 0 && element_[variable] != bytes) escaped_[variable] = true;
  if (!IsSurelyAligned(graph, access)) escaped_[variable] = true;
  element_[variable] = bytes;
  Move(address, access.immediate);
}

void Interleaving::Move(Value address, std::uint64_t step) {
  const std::uint32_t variable = variable_[address];
  if (variable != kNone) steps_[variable] = std::gcd(steps_[variable], step);
}

void Interleaving::Escape(Value value) {
  if (variable_[value] != kNone) escaped_[variable_[value]] = true;
}

}  // namespace assay::interp
