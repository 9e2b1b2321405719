// A graph to the code of a program.
//
// An instruction writes its results for the work-items of a batch that are here only: those that
// are elsewhere keep theirs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "interp/import/import.h"
#include "interp/lower/interleave.h"
#include "interp/lower/lower.h"
#include "interp/lower/registers.h"

namespace assay::interp {

// One target for each value from the lowest to the highest case, if these are few.
void ListTargets(FlatSwitch* table);

class Emitter {
 public:
  Emitter(const LowerContext& context, ImportedKernel* kernel, Interleaving interleaving,
          Program* program)
      : context_(context),
        kernel_(*kernel),
        graph_(kernel->graph),
        program_(*program),
        registers_(*kernel, program),
        interleaving_(std::move(interleaving)) {}

  Expected<void> Run();

 private:
  Expected<void> PlaceVariables();  // in memory
  void EmitBlock(std::uint32_t b, const std::vector<std::uint32_t>& flat);
  void EndBlock(const IrBlock& block, const std::vector<std::uint32_t>& flat,
                FlatBlock* flat_block);
  void EmitInstruction(const IrInstruction& instruction);
  void EmitOperation(const IrInstruction& instruction, std::span<const Value> operands,
                     std::span<const Value> results);
  bool AccessInterleaved(const IrInstruction& instruction, std::span<const Value> operands,
                         FlatInstruction* flat) const;
  Handler WholeHandlerOf(const IrInstruction& instruction, Handler handler) const;
  bool LayOut(const IrInstruction& instruction, std::span<const Value> operands,
              std::span<const Value> results, FlatInstruction* flat);
  void EmitSync(const IrInstruction& instruction, FlatBlock* block);
  void EmitMoves(const IrBlock& target, std::uint32_t b);
  void EmitMove(std::uint32_t to, std::uint32_t from, std::uint32_t bytes);
  void MarkLoops(const std::vector<std::uint32_t>& flat);
  Decider DeciderOf(std::uint32_t b) const;
  void CountChoices(std::uint32_t b);
  // Nothing is kept beside the code.
  bool IsPlain() const { return !program_.HasRecords(); }
  FlatInstruction& Append(Opcode opcode, Kind kind, Kind from = Kind::kI32);
  std::uint32_t Extra(std::span<const Value> values);

  // What detectors keep beside the code.
  void EmitCheck(const IrInstruction& instruction, std::span<const Value> operands);
  void WatchResults(ShadowRule rule, std::span<const Value> operands,
                    std::span<const Value> results);
  // For a run with envelopes: the instruction's operation and registers.
  void DescribeStep(const IrInstruction& instruction, std::span<const Value> operands,
                    std::span<const Value> results);
  void WatchMove(std::uint32_t to, std::uint32_t from, std::uint32_t bytes);

  // For a debugger (emit_debug.cc).
  void EmitDebugStep();
  void EmitDebugAccess(const IrInstruction& instruction);
  void EmitDebugOperation(const IrInstruction& instruction);
  void AddDebugOperation(DebugOperation operation, std::span<const Value> operands,
                         std::span<const Value> results);
  void BindForDebugger();

  const LowerContext& context_;
  ImportedKernel& kernel_;
  Graph& graph_;
  Program& program_;
  Registers registers_;
  const Interleaving interleaving_;
  std::vector<std::uint32_t> variable_place_;
  std::vector<std::uint32_t> counted_;  // places of choices: their blocks come after all others
  std::uint32_t origin_ = 0;
  std::uint32_t site_ = 0;
};

}  // namespace assay::interp
