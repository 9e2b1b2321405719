// Splits the words of one instruction into operands, by the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// An operand: its kind and its words in the instruction.
struct Operand {
  OperandKind kind;
  std::uint16_t first;  // place in the instruction; word 0 is word count and opcode
  std::uint16_t count;
};

// SPIR-V 2.3: an instruction's first word.
constexpr Op OpcodeOf(Word first) { return static_cast<Op>(first & 0xffff); }
constexpr std::uint32_t WordCountOf(Word first) { return first >> 16; }

// A literal string's characters, which lie in the words as they are; empty if its terminating zero
// is missing.  The view lives as long as the words.
std::optional<std::string_view> StringAt(std::span<const Word> words);
// The words that a string of `length` characters takes, its terminating zero included.
constexpr std::size_t StringWords(std::size_t length) { return length / 4 + 1; }

struct DecodeProblem {
  std::string what;    // a clause without the instruction's name: "ends inside its operands"
  bool newer = false;  // well-formed as far as can be seen, but of a SPIR-V this grammar lacks
  std::string_view extension = "";  // that the registry says has it, where it is newer
};

// Decodes the instructions of one module in their order: how long a literal is depends on types
// that were declared before it.  Nothing in the words is trusted.
class Decoder {
 public:
  // `id_bound` is the header's, checked by the loader.
  explicit Decoder(std::uint32_t id_bound);

  // Fills `operands` with those of `instruction`, whose word count is right.  A problem means that
  // the operands so far are good and the rest is not known.
  std::optional<DecodeProblem> Decode(std::span<const Word> instruction,
                                      std::vector<Operand>* operands);

  ExtendedSet SetOf(Id import) const { return sets_[import]; }

 private:
  struct Cursor;
  std::optional<DecodeProblem> DecodeRule(Cursor* cursor, OperandRule rule);
  std::optional<DecodeProblem> DecodeOne(Cursor* cursor, OperandKind kind);
  std::optional<DecodeProblem> DecodeEnumerated(Cursor* cursor, OperandKind kind);
  std::optional<DecodeProblem> DecodeNested(Cursor* cursor, OperandKind kind);
  std::size_t LiteralWords(const Cursor& cursor) const;
  void Learn(std::span<const Word> instruction);

  std::vector<Id> type_of_;             // by id; 0 where it has none
  std::vector<std::uint8_t> width_of_;  // bits of an integer or float type, by its id
  std::vector<ExtendedSet> sets_;       // by id of the import
};

// Whether a set has nothing but debug information.
constexpr bool IsDebugSet(ExtendedSet set) {
  return set == ExtendedSet::kOpenClDebugInfo100 || set == ExtendedSet::kShaderDebugInfo100;
}

}  // namespace assay::frontend
