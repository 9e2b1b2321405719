// Which register each value of a graph lives in.
//
// Where values live.  A value that is used in its own block only is temporary: its register is used
// again, by other blocks too.  Every other value has a register of its own, because work-items of a
// batch that are elsewhere may need theirs for as long as the batch runs.  Where nothing is kept
// beside the code, phis share one with what they take (interp/lower/coalesce.h).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "interp/import/import.h"
#include "interp/lower/dominators.h"

namespace assay::interp {

// Whether the result of each work-item is of its own operands, which are read once: it can take the
// place of an operand. That of a load under detectors, which look at its address afterwards,
// cannot.
bool IsElementwise(const IrInstruction& instruction, bool is_watched);

class Registers {
 public:
  // Those of values that need no instruction, constants and inputs, are made when they are asked
  // for; the program's tables get them.
  Registers(const ImportedKernel& kernel, Program* program)
      : kernel_(kernel), graph_(kernel.graph), program_(*program) {}

  // Gives registers of their own to values that need one.  Blocks come after that, in the graph's
  // order.
  void Assign();
  void BeginBlock() { position_ = 0; }
  void NextInstruction() { ++position_; }
  void EndBlock() { position_ = kAtEnd; }

  std::uint32_t Of(Value value);
  std::uint32_t New(std::uint32_t bytes);
  std::uint32_t NewForLanes(std::uint32_t bytes);  // one of Program::lane_registers
  // Used for a moment, and free again.
  std::uint32_t Take(std::uint32_t bytes);
  void Free(std::uint32_t bytes, std::uint32_t offset) { free_[bytes].push_back(offset); }

  // Places in ImportedKernel::choices.
  std::span<const std::uint32_t> ChoicesOf(std::uint32_t block) const { return choices_.Of(block); }

  bool IsLocal(Value value) const { return local_[value]; }
  // Gives a local result a temporary register; it is free again after its last use.
  void GiveTemporary(Value value);
  // A value's register is free again after its last use, and with the block at the latest.
  void FreeTemporaries(bool all = false);
  // The place of the edge from a block among the predecessors of another.
  static std::size_t EdgeOf(const IrBlock& target, std::uint32_t source);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kAtEnd = 0xfffffffe;
  struct ConstantKey {
    std::uint32_t bytes;
    std::uint64_t bits;
    bool undefined;
    auto operator<=>(const ConstantKey&) const = default;
  };

  void FindUses();
  void Use(Value value, std::uint32_t block);
  void UseOnEdge(std::uint32_t source, std::uint32_t target, std::uint32_t user);
  void OwnResults(const IrInstruction& instruction);
  void Own(Value value);
  bool MayShare() const { return !program_.HasRecords(); }

  const ImportedKernel& kernel_;
  const Graph& graph_;
  Program& program_;
  Lists choices_;                    // by block
  std::vector<std::uint32_t> home_;  // by value: the block that defines it
  std::vector<bool> local_;          // by value: used in that block only
  std::vector<std::uint32_t> last_use_;
  std::vector<Value> shared_;  // by value: whose register it has (SharedRegisters); or empty
  std::vector<std::uint32_t> register_;
  std::map<ConstantKey, std::uint32_t> constants_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_;  // by bytes of an element
  std::vector<Value> temporaries_;
  std::uint32_t position_ = 0;
};

// The address of a variable is a constant.
inline bool IsVariable(const Graph& graph, const ValueInfo& info) {
  return info.value_kind == ValueKind::kInstruction &&
         graph.instructions[info.bits].opcode == Opcode::kVariable;
}

}  // namespace assay::interp
