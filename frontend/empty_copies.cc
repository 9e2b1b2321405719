#include "frontend/empty_copies.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_set>
#include <vector>

#include "frontend/loader.h"
#include "frontend/whole_module.h"

namespace assay::frontend {
namespace {

Op OpOf(std::span<const Word> instruction) { return static_cast<Op>(instruction[0] & 0xffff); }

bool IsZero(std::span<const Word> instruction) {
  const Op opcode = OpOf(instruction);
  if (opcode == Op::kConstantNull) return true;
  return opcode == Op::kConstant &&
         std::ranges::all_of(instruction.subspan(3), [](Word word) { return word == 0; });
}

}  // namespace

std::string WithoutEmptyCopies(std::string bytes) {
  std::vector<Word> words(bytes.size() / sizeof(Word));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  // The loader refuses what is no module.
  if (!IsWholeModule(words)) return bytes;
  std::unordered_set<Word> zeros;
  std::vector<Word> kept(words.begin(), words.begin() + kHeaderWords);
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    if (instruction.size() > 2 && IsZero(instruction)) zeros.insert(instruction[2]);
    const bool is_empty = OpOf(instruction) == Op::kCopyMemorySized && instruction.size() > 3 &&
                          zeros.contains(instruction[3]);
    if (!is_empty) kept.insert(kept.end(), instruction.begin(), instruction.end());
  });
  if (kept.size() == words.size()) return bytes;
  return std::string(reinterpret_cast<const char*>(kept.data()), kept.size() * sizeof(Word));
}

}  // namespace assay::frontend
