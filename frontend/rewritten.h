// Copies of a module's words with other instructions.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
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

// OpExtension, OpExtInstImport: ids, and then a text.
inline void AppendText(Op opcode, std::span<const Word> ids, std::string_view text,
                       std::vector<Word>* copy) {
  std::vector<Word> words(1 + ids.size() + StringWords(text.size()));
  words[0] = FirstWord(opcode, static_cast<Word>(words.size()));
  std::copy(ids.begin(), ids.end(), words.begin() + 1);
  std::memcpy(&words[1 + ids.size()], text.data(), text.size());
  Append(words, copy);
}

}  // namespace assay::frontend
