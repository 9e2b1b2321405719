#include "frontend/debug_instructions.h"

#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {

DebugInstructions::DebugInstructions(const std::vector<Word>& words)
    : words_(words), sets_(words[3], ExtendedSet::kUnknown) {
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    if (OpcodeOf(instruction[0]) == Op::kExtInstImport) {
      sets_[instruction[1]] = FindExtendedSet(*StringAt(instruction.subspan(2)));
    }
  });
}

bool DebugInstructions::Has(std::span<const Word> instruction) const {
  return OpcodeOf(instruction[0]) == Op::kExtInst && IsDebugSet(sets_[instruction[3]]);
}

std::vector<Word> DebugInstructions::Without() const {
  std::vector<Word> kept(words_.begin(), words_.begin() + kHeaderWords);
  ForEachInstruction(words_, [&](std::size_t, std::span<const Word> instruction) {
    if (!Has(instruction)) kept.insert(kept.end(), instruction.begin(), instruction.end());
  });
  return kept;
}

}  // namespace assay::frontend
