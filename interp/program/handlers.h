// Selects the function that executes an instruction: there is one for each operation, kind and
// instruction set.  A program points to these functions; interp/execute defines them.
#pragma once

#include <string_view>

#include "interp/program/paired.h"
#include "interp/program/program.h"

namespace assay::interp {

struct InstructionSet {
  std::string_view name;  // "sse2", "avx2", "avx512"
  Handler (*find)(Opcode opcode, Kind kind, Kind from);
  Handler (*find_pair)(const PairedOperations& pair, Kind kind);
  // Of a comparison at the end of a block, for its branch; null for other operations.
  Decider (*find_decider)(Opcode opcode, Kind kind);
  // For programs with detectors; null if it is the same handler.
  Handler (*find_watched)(Opcode opcode, Kind kind);
  // For programs that screen (Program::screens); null if it is the same as for others.
  Handler (*find_screened)(Opcode opcode, Kind kind);
  Handler (*find_check)(Check check, Kind kind);
  // Of a conversion to an integer, and of a function of numerics on a kind, where the processor
  // rounds to nearest and keeps subnormals; null: ConvertExactly, EvaluateMath.
  Handler (*find_conversion)(const Conversion& conversion);
  Handler (*find_function)(numerics::Function function, Kind kind);
  // The active lanes whose elements in the register at `offset` are `value`.
  std::uint64_t (*lanes_equal)(const Batch& batch, std::uint32_t offset, std::uint32_t bytes,
                               std::uint64_t value);
  // A register of elements of this size gets `first` and the numbers after it.
  void (*count_up)(std::uint64_t first, std::uint32_t lanes, std::uint32_t bytes, void* result);
  // ... gets `first` plus each lane's number.
  void (*add_to_each)(std::uint64_t first, const std::uint32_t* numbers, std::uint32_t lanes,
                      std::uint32_t bytes, void* result);
};

// The best instruction set of the processor, or the one that ASSAY_INSTRUCTION_SET names (for
// tests).
const InstructionSet& ChosenInstructionSet();

inline Handler FindHandler(Opcode opcode, Kind kind, Kind from) {
  return ChosenInstructionSet().find(opcode, kind, from);
}
inline Handler FindPair(const PairedOperations& pair, Kind kind) {
  return ChosenInstructionSet().find_pair(pair, kind);
}
inline Decider FindDecider(Opcode opcode, Kind kind) {
  return ChosenInstructionSet().find_decider(opcode, kind);
}
inline Handler FindWatchedHandler(Opcode opcode, Kind kind, bool screens) {
  const InstructionSet& set = ChosenInstructionSet();
  const Handler screened = screens ? set.find_screened(opcode, kind) : nullptr;
  return screened != nullptr ? screened : set.find_watched(opcode, kind);
}
inline Handler FindConversion(const Conversion& conversion) {
  return ChosenInstructionSet().find_conversion(conversion);
}
inline Handler FindFunction(numerics::Function function, Kind kind) {
  return ChosenInstructionSet().find_function(function, kind);
}
inline Handler FindCheck(Check check, Kind kind) {
  return ChosenInstructionSet().find_check(check, kind);
}

// For an OBJECT_CHECK; null for other checks.
Handler FindObjectCheck(Check check);

// A load or store of elements of an interleaved variable (FlatVariable::interleaved). Its flat
// instruction has the variable's place in `c`, under detectors in `b`; that of a store in `result`.
struct InterleavedAccess {
  std::uint32_t bytes = 4;  // of an element
  bool is_load = false;
  bool is_many = false;      // several side by side: a list of registers in `extra`
  bool has_address = false;  // in `a`, which `immediate` bytes are added to; else to the variable's
  bool has_index = false;    // in `b`, the stride in `extra`
  bool is_wide = false;      // the index has 64 bits
  bool is_watched = false;   // under detectors; then there is no index
};
Handler FindInterleavedHandler(const InterleavedAccess& access);

// Handlers that are the same for every instruction set (interp/execute/handlers.cc).
// Of programs that compute as another conforming device may (SessionOptions::imprecision), defined
// in interp/envelope.  The contraction's immediate: the kind, and 0x100 for two products.
void ImpreciseMath(Batch& batch, const FlatInstruction& instruction);
void ImpreciseContraction(Batch& batch, const FlatInstruction& instruction);
void EvaluateMath(Batch& batch, const FlatInstruction& instruction);
void RecordMath(Batch& batch,
                const FlatInstruction& instruction);  // the same, and records the result
void ConvertExactly(Batch& batch, const FlatInstruction& instruction);
// Counts the work-items that would have come to the block `immediate` (interp/lower/choose.cc): a
// list of conditions and whether they are true then.
void CountChosen(Batch& batch, const FlatInstruction& instruction);
void CopyMemory(Batch& batch, const FlatInstruction& instruction);
void EnterVariable(Batch& batch, const FlatInstruction& instruction);
void LeaveVariable(Batch& batch, const FlatInstruction& instruction);
void CastToSpace(Batch& batch, const FlatInstruction& instruction);
void MemorySemantics(Batch& batch, const FlatInstruction& instruction);
void IgnoreFence(Batch& batch, const FlatInstruction& instruction);
void ImageRead(Batch& batch, const FlatInstruction& instruction);
void ImageWrite(Batch& batch, const FlatInstruction& instruction);
void ImageQuery(Batch& batch, const FlatInstruction& instruction);
Handler FindAtomicHandler(Kind kind);

// With detectors.
void CopyMemoryWatched(Batch& batch, const FlatInstruction& instruction);
void EnterVariableWatched(Batch& batch, const FlatInstruction& instruction);
void AtomicWatched(Batch& batch, const FlatInstruction& instruction);
void FenceWatched(Batch& batch, const FlatInstruction& instruction);
void EnterRestrict(Batch& batch, const FlatInstruction& instruction);

// Handlers of kDebugStep, kDebugAccess and kDebugOperation.
void DebugStep(Batch& batch, const FlatInstruction& instruction);
void DebugComputed(Batch& batch, const FlatInstruction& instruction);
void DebugAccessMemory(Batch& batch, const FlatInstruction& instruction);

}  // namespace assay::interp
