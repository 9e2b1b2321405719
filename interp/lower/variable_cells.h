// The scalars of variables that may live in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interp/import/import.h"

namespace assay::interp {

// A scalar of a variable, as everything that accesses the variable sees it.
struct Cell {
  std::uint32_t variable = 0;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  Kind kind = Kind::kI32;
};

class VariableCells {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit VariableCells(const Graph& graph) : graph_(graph) {}

  // Whether there is a variable to promote: whose address does not escape, and whose accesses do
  // not overlap.
  bool Find();

  const std::vector<Cell>& all() const { return cells_; }
  // By variable: its first cell, and the one behind its last.
  std::uint32_t First(std::uint32_t variable) const { return first_[variable]; }
  std::uint32_t End(std::uint32_t variable) const { return first_[variable + 1]; }
  bool StaysInMemory(std::uint32_t variable) const { return escaped_[variable]; }
  void KeepInMemory(std::uint32_t variable) { escaped_[variable] = true; }

  // The variable that an address is of and that lives in registers; or none.
  std::uint32_t Promoted(Value address) const;
  // Whether the instruction loads, stores or undefines what its first operand points to, and that
  // lives in registers.
  bool IsOfCells(const IrInstruction& instruction) const;

  // What an instruction does to cells: calls load(cell, result), store(cell, operand) or
  // undefine(cell, has ended) for each.
  template <typename Load, typename Store, typename Undefine>
  void ForEach(const IrInstruction& instruction, Load&& load, Store&& store,
               Undefine&& undefine) const {
    if (!IsOfCells(instruction)) return;
    const auto operands = graph_.Operands(instruction);
    const std::uint32_t variable = Promoted(operands[0]);
    const Access access = TraitsOf(instruction.opcode).access;
    if (access == Access::kLoad) {
      const std::uint32_t cell = CellOf(variable, instruction);
      for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
        load(cell + i, instruction.first_result + i);
      }
    } else if (access == Access::kStore) {
      const std::uint32_t cell = CellOf(variable, instruction);
      for (std::uint32_t i = 1; i < operands.size(); ++i) store(cell + i - 1, operands[i]);
    } else {
      for (std::uint32_t cell = First(variable); cell < End(variable); ++cell) {
        undefine(cell, instruction.opcode == Opcode::kLeaveVariable);
      }
    }
  }

 private:
  struct Accessed {
    std::uint64_t offset = 0;
    std::uint32_t count = 0;
    Kind kind = Kind::kI32;
  };

  void FindAddresses();
  void Escape(Value value);
  void Look(const IrInstruction& instruction);
  bool CellsOf(std::uint32_t variable, std::vector<Cell>* cells) const;
  std::uint32_t CellOf(std::uint32_t variable, const IrInstruction& instruction) const;

  const Graph& graph_;
  // By value: the variable that it points into, and where.
  std::vector<std::uint32_t> variable_of_;
  std::vector<std::uint64_t> offset_;
  std::vector<std::vector<Accessed>> accesses_;
  std::vector<bool> escaped_;  // or it stays in memory for another reason
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> first_;  // by variable, and the end
};

}  // namespace assay::interp
