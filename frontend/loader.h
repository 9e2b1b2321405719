// Converts bytes to words that are safe to read.  For every file, also a hostile one, the result is
// words whose instructions fit, or an error with its place and the remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "frontend/grammar.h"

namespace assay::frontend {

inline constexpr Word kMagic = 0x07230203;
inline constexpr std::size_t kHeaderWords = 5;
inline constexpr std::uint32_t kMaxIdBound = 4'194'303;  // SPIR-V 2.17, universal limits

// The words of a module in this machine's byte order.  Guaranteed for a Binary: the header's fields
// are in range, the instructions end where the words end, every operand is what the grammar wants
// there, and every id is below the bound.
struct Binary {
  std::string name;      // for messages: usually the file's path
  std::string compiler;  // what made it of OpenCL C here: its faults are not the user's
  std::vector<Word> words;
  // Places of instructions that are not decodable to their end and can be left out: decorations and
  // source languages of a newer SPIR-V, and damaged debug information.
  std::vector<std::size_t> skipped;
  std::vector<std::string> warnings;

  std::uint32_t IdBound() const { return words[3]; }
  std::uint32_t MajorVersion() const { return (words[1] >> 16) & 0xff; }
  std::uint32_t MinorVersion() const { return (words[1] >> 8) & 0xff; }
};

// Each fails with kUsage where the file is bad and kUnsupported where it is only too new.
Expected<Binary> LoadBytes(std::span<const std::byte> bytes, std::string name);
Expected<Binary> LoadWords(std::vector<Word> words, std::string name);
// SPIR-V's text form, as spirv-as takes and spirv-dis prints it.  A text without the comment
// "; Version: 1.x" is of the least version that has all of it, from 1.2 on.  SPIRV-Tools' assembler
// runs in a child process: kDevice where the budget is reached.
Expected<Binary> LoadText(std::string_view text, std::string name, const base::Budget& budget = {});
// Loads a file of either form: a file that begins with the magic number is binary, any other is
// text.
Expected<Binary> LoadFile(const std::string& path, const base::Budget& budget = {});

// Calls visit(place of the first word, words) for each instruction of a Binary's words.
template <typename Visit>
void ForEachInstruction(std::span<const Word> words, Visit&& visit) {
  for (std::size_t place = kHeaderWords; place < words.size();) {
    const std::size_t count = words[place] >> 16;
    visit(place, words.subspan(place, count));
    place += count;
  }
}

}  // namespace assay::frontend
