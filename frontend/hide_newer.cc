#include "frontend/hide_newer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "frontend/decode.h"
#include "frontend/module.h"
#include "frontend/rewritten.h"

namespace assay::frontend {
namespace {

// Of declarations that SPIRV-Tools 2023.1 refuses: some vectors, pointers to functions, scopes.
bool IsMisjudged(Capability capability) {
  return capability == Capability::kMaskedGatherScatterINTEL ||
         capability == Capability::kVectorAnyINTEL ||
         capability == Capability::kFunctionPointersINTEL ||
         capability == Capability::kMemoryAccessAliasingINTEL;
}

// SPIRV-Tools 2023.1 takes one literal for what has had any number of them since.
bool IsMisread(Decoration decoration) { return decoration == Decoration::kBankBitsINTEL; }

// A bit of the operands that the validator does not know.
bool HasNewerBit(OperandKind kind, Word bits) {
  for (Word bit = 1; bit != 0; bit <<= 1) {
    if ((bits & bit) != 0 && IsNewer(kind, bit)) return true;
  }
  return false;
}

// SPIRV-Tools 2025.1 takes references to what follows for errors, which it is there for.
bool IsMisread(Op opcode) { return opcode == Op::kExtInstWithForwardRefsKHR; }

// SPIRV-Tools can check the rest of a module without instructions that it does not know if their
// results can be undefined values: types and other declarations cannot.
Newer NewerIn(std::span<const Word> instruction) {
  const Op opcode = OpcodeOf(instruction[0]);
  if (opcode == Op::kTypeFloat) {
    const bool is_newer =
        instruction.size() > 3 && IsNewer(OperandKind::kFPEncoding, instruction[3]);
    return is_newer ? Newer::kDeclarations : Newer::kNone;
  }
  if (opcode == Op::kCapability && IsMisjudged(static_cast<Capability>(instruction[1]))) {
    return Newer::kDeclarations;
  }
  const bool has_mode = opcode == Op::kExecutionMode || opcode == Op::kExecutionModeId;
  const bool names_newer =
      (opcode == Op::kCapability && IsNewer(OperandKind::kCapability, instruction[1])) ||
      (has_mode && IsNewer(OperandKind::kExecutionMode, instruction[2])) ||
      (opcode == Op::kDecorate && (IsNewer(OperandKind::kDecoration, instruction[2]) ||
                                   IsMisread(static_cast<Decoration>(instruction[2]))));
  if (names_newer) return Newer::kHidden;
  // SPIRV-Tools 2026.4 knows them, and refuses types as members.
  if (IsContinued(opcode)) return Newer::kDeclarations;
  if (IsMisread(opcode)) return Newer::kHidden;
  if (opcode == Op::kCooperativeMatrixMulAddKHR && instruction.size() > 6 &&
      HasNewerBit(OperandKind::kCooperativeMatrixOperands, instruction[6])) {
    return Newer::kHidden;
  }
  if (!IsNewer(opcode)) return Newer::kNone;
  const bool is_needed =
      IsTypeDeclaration(opcode) || opcode == Op::kAbortKHR || opcode == Op::kUntypedVariableKHR;
  return is_needed ? Newer::kDeclarations : Newer::kHidden;
}

}  // namespace

Newer HideNewer(std::vector<Word>* words) {
  Newer most = Newer::kNone;
  bool in_function = false;
  std::vector<Word> hidden =
      Rewritten(*words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
        const Op opcode = OpcodeOf(instruction[0]);
        in_function = in_function || opcode == Op::kFunction;
        const Newer newer = NewerIn(instruction);
        most = std::max(most, newer);
        if (newer == Newer::kNone) return Append(instruction, copy);
        const auto rule = FindInstruction(opcode);
        const bool has_value = rule->HasResultType() && opcode != Op::kExtInstWithForwardRefsKHR;
        if (!has_value) {
          // Others may name a result without a value, such as debug information.
          const std::size_t result = rule->HasResultType() ? 2 : 1;
          if (!rule->HasResult() || in_function) return;
          copy->insert(copy->end(), {FirstWord(Op::kTypeStruct, 2), instruction[result]});
          return;
        }
        copy->insert(copy->end(), {FirstWord(Op::kUndef, 3), instruction[1], instruction[2]});
      });
  if (most != Newer::kNone) *words = std::move(hidden);
  return most;
}

}  // namespace assay::frontend
