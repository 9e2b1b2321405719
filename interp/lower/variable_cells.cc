#include "interp/lower/variable_cells.h"

#include <algorithm>

namespace assay::interp {

namespace {

constexpr std::size_t kMaxCells = 1024;  // of one variable; a larger one stays in memory

// The kind of a cell is that of its first access.
bool Unite(std::vector<Cell>* cells) {
  std::stable_sort(cells->begin(), cells->end(),
                   [](const Cell& a, const Cell& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < cells->size(); ++i) {
    const Cell& before = (*cells)[i - 1];
    const Cell& cell = (*cells)[i];
    if (cell.offset == before.offset ? cell.bytes != before.bytes
                                     : cell.offset < before.offset + before.bytes) {
      return false;
    }
  }
  cells->erase(std::unique(cells->begin(), cells->end(),
                           [](const Cell& a, const Cell& b) { return a.offset == b.offset; }),
               cells->end());
  return cells->size() <= kMaxCells;
}

}  // namespace

void VariableCells::FindAddresses() {
  accesses_.assign(graph_.variables.size(), {});
  escaped_.assign(graph_.variables.size(), false);
  variable_of_.assign(graph_.values.size(), kNone);
  offset_.assign(graph_.values.size(), 0);
  for (std::uint32_t i = 0; i < graph_.variables.size(); ++i) {
    const Variable& variable = graph_.variables[i];
    escaped_[i] = variable.promoted;
    if (!variable.promoted) variable_of_[variable.address] = i;
  }
  // Definitions come before uses in the order in which instructions were made.
  std::vector<bool> is_there(graph_.instructions.size());
  for (const IrBlock& block : graph_.blocks) {
    for (const std::uint32_t place : block.instructions) is_there[place] = true;
  }
  for (std::uint32_t place = 0; place < is_there.size(); ++place) {
    if (is_there[place]) Look(graph_.instructions[place]);
  }
  for (const IrBlock& block : graph_.blocks) {
    for (const Phi& phi : block.phis) {
      for (const Value operand : phi.operands) Escape(operand);
    }
    if (block.condition != kNoValue) Escape(block.condition);
    if (block.end == End::kSync) {
      for (const Value operand : graph_.Operands(graph_.instructions[block.sync])) {
        Escape(operand);
      }
    }
  }
}

void VariableCells::Escape(Value value) {
  if (variable_of_[value] != kNone) escaped_[variable_of_[value]] = true;
}

void VariableCells::Look(const IrInstruction& instruction) {
  const auto operands = graph_.Operands(instruction);
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kCheckValue) return;  // of an address: gone with its last use
  if (opcode == Opcode::kVariable || TraitsOf(opcode).layout == Layout::kVariable) return;
  if (opcode == Opcode::kCopy || opcode == Opcode::kOffset) {
    variable_of_[instruction.first_result] = variable_of_[operands[0]];
    offset_[instruction.first_result] = offset_[operands[0]] + instruction.immediate;
    return;
  }
  std::size_t first = 0;
  const Access access = TraitsOf(opcode).access;
  if (access == Access::kLoad || access == Access::kStore) {
    const std::uint32_t variable = variable_of_[operands[0]];
    if (variable != kNone) {
      const std::uint32_t count =
          access == Access::kLoad ? instruction.result_count : instruction.operand_count - 1;
      accesses_[variable].push_back(
          {offset_[operands[0]] + instruction.immediate, count, instruction.kind});
    }
    first = 1;
  }
  for (std::size_t i = first; i < operands.size(); ++i) Escape(operands[i]);
}

// The scalars of a variable by offset; false where accesses overlap, or go beyond it.
bool VariableCells::CellsOf(std::uint32_t variable, std::vector<Cell>* cells) const {
  const std::uint64_t size = graph_.variables[variable].bytes;
  for (const Accessed& access : accesses_[variable]) {
    const std::uint32_t bytes = BytesOf(access.kind);
    for (std::uint32_t i = 0; i < access.count; ++i) {
      const std::uint64_t offset = access.offset + std::uint64_t{i} * bytes;
      if (offset >= size || bytes > size - offset) return false;
      cells->push_back({variable, offset, bytes, access.kind});
    }
    // Most accesses are to the same few cells.
    if (cells->size() > 4 * kMaxCells && !Unite(cells)) return false;
  }
  return Unite(cells);
}

bool VariableCells::Find() {
  FindAddresses();
  first_.assign(graph_.variables.size() + 1, 0);
  bool any = false;
  std::vector<Cell> cells;
  for (std::uint32_t variable = 0; variable < graph_.variables.size(); ++variable) {
    first_[variable] = static_cast<std::uint32_t>(cells_.size());
    if (escaped_[variable]) continue;
    cells.clear();
    if (!CellsOf(variable, &cells)) {
      escaped_[variable] = true;
      continue;
    }
    any = true;
    cells_.insert(cells_.end(), cells.begin(), cells.end());
  }
  first_.back() = static_cast<std::uint32_t>(cells_.size());
  return any;
}

std::uint32_t VariableCells::Promoted(Value address) const {
  if (address >= variable_of_.size()) return kNone;
  const std::uint32_t variable = variable_of_[address];
  return variable == kNone || escaped_[variable] ? kNone : variable;
}

bool VariableCells::IsOfCells(const IrInstruction& instruction) const {
  const OpcodeTraits& traits = TraitsOf(instruction.opcode);
  return (traits.access == Access::kLoad || traits.access == Access::kStore ||
          traits.layout == Layout::kVariable) &&
         Promoted(graph_.Operands(instruction)[0]) != kNone;
}

// The cell of an access's first scalar; those of the others follow it.
std::uint32_t VariableCells::CellOf(std::uint32_t variable,
                                    const IrInstruction& instruction) const {
  const std::uint64_t offset = offset_[graph_.Operands(instruction)[0]] + instruction.immediate;
  const auto first = cells_.begin() + first_[variable];
  const auto last = cells_.begin() + first_[variable + 1];
  const auto found = std::lower_bound(
      first, last, offset, [](const Cell& cell, std::uint64_t at) { return cell.offset < at; });
  return static_cast<std::uint32_t>(found - cells_.begin());
}

}  // namespace assay::interp
