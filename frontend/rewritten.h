// Copies of a module's words with other instructions.
#pragma once

#include <span>
#include <vector>

#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {

// A copy of the words in which `rewrite(instruction, &copy)` has appended every instruction that it
// wants there.
template <typename Rewrite>
std::vector<Word> Rewritten(std::span<const Word> words, Rewrite&& rewrite) {
  std::vector<Word> copy(words.begin(), words.begin() + kHeaderWords);
  copy.reserve(words.size());
  ForEachInstruction(
      words, [&](std::size_t, std::span<const Word> instruction) { rewrite(instruction, &copy); });
  return copy;
}

inline void Append(std::span<const Word> instruction, std::vector<Word>* copy) {
  copy->insert(copy->end(), instruction.begin(), instruction.end());
}

constexpr Word FirstWord(Op opcode, Word count) { return count << 16 | static_cast<Word>(opcode); }

}  // namespace assay::frontend
