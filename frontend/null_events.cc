#include "frontend/null_events.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "frontend/loader.h"
#include "frontend/whole_module.h"

namespace assay::frontend {

std::string WithPlainNulls(std::string bytes) {
  std::vector<Word> words(bytes.size() / sizeof(Word)), plain;
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  // The loader refuses what is no module; until then it may be anything.
  if (!IsWholeModule(words)) return bytes;
  plain.assign(words.begin(), words.begin() + kHeaderWords);
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    const auto is_type = [&](Word word) { return word == instruction[1]; };
    const bool repeats = (instruction[0] & 0xffff) == static_cast<Word>(Op::kConstantNull) &&
                         instruction.size() > 3 &&
                         std::ranges::all_of(instruction.subspan(3), is_type);
    if (repeats) plain.push_back(3u << 16 | static_cast<Word>(Op::kConstantNull));
    const auto kept = repeats ? instruction.subspan(1, 2) : instruction;
    plain.insert(plain.end(), kept.begin(), kept.end());
  });
  if (plain.size() == words.size()) return bytes;
  return std::string(reinterpret_cast<const char*>(plain.data()), plain.size() * sizeof(Word));
}

}  // namespace assay::frontend
