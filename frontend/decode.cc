#include "frontend/decode.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace assay::frontend {

// Literal strings are read in place (SPIR-V 2.2.1: the first character in the lowest byte).
static_assert(std::endian::native == std::endian::little);

std::optional<std::string_view> StringAt(std::span<const Word> words) {
  if (words.empty()) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(words.data());
  const void* end = std::memchr(text, 0, words.size_bytes());
  if (end == nullptr) return std::nullopt;
  return std::string_view(text, static_cast<std::size_t>(static_cast<const char*>(end) - text));
}

// Where the decoding of one instruction stands.
struct Decoder::Cursor {
  std::span<const Word> words;
  std::vector<Operand>* operands;
  std::size_t place = 1;
  bool switch_literals = false;  // literals are as wide as the selector (OpSwitch)

  bool AtEnd() const { return place >= words.size(); }
  void Take(OperandKind kind, std::size_t count) {
    operands->push_back(
        {kind, static_cast<std::uint16_t>(place), static_cast<std::uint16_t>(count)});
    place += count;
  }
};

Decoder::Decoder(std::uint32_t id_bound)
    : type_of_(id_bound), width_of_(id_bound), sets_(id_bound, ExtendedSet::kUnknown) {}

std::optional<DecodeProblem> Decoder::Decode(std::span<const Word> instruction,
                                             std::vector<Operand>* operands) {
  operands->clear();
  const Op opcode = OpcodeOf(instruction[0]);
  const auto rule = FindInstruction(opcode);
  if (!rule) {
    const auto name = FindRegistryName(opcode);
    return DecodeProblem{name ? "is an instruction that is not executed"
                              : "is no instruction of a SPIR-V that is known here",
                         true, name ? name->extension : ""};
  }
  Cursor cursor{.words = instruction, .operands = operands};
  cursor.switch_literals = opcode == Op::kSwitch;
  for (const OperandRule& operand : rule->operands) {
    if (auto problem = DecodeRule(&cursor, operand)) return problem;
  }
  if (!cursor.AtEnd()) {
    return DecodeProblem{fmt::format("has {} words, but its operands end after {}",
                                     instruction.size(), cursor.place)};
  }
  Learn(instruction);
  return std::nullopt;
}

std::optional<DecodeProblem> Decoder::DecodeRule(Cursor* cursor, OperandRule rule) {
  switch (rule.quantifier) {
    case Quantifier::kOne:
      return DecodeOne(cursor, rule.kind);
    case Quantifier::kOptional:
      if (cursor->AtEnd()) return std::nullopt;
      return DecodeOne(cursor, rule.kind);
    case Quantifier::kAny:
      while (!cursor->AtEnd()) {
        if (auto problem = DecodeOne(cursor, rule.kind)) return problem;
      }
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<DecodeProblem> Decoder::DecodeOne(Cursor* cursor, OperandKind kind) {
  if (cursor->AtEnd()) return DecodeProblem{fmt::format("ends before its {}", NameOf(kind))};
  const auto rest = cursor->words.subspan(cursor->place);
  switch (CategoryOf(kind)) {
    case Category::kId:
      if (rest[0] == 0 || rest[0] >= type_of_.size()) {
        return DecodeProblem{
            fmt::format("uses id {}, and the header's bound is {}", rest[0], type_of_.size())};
      }
      cursor->Take(kind, 1);
      return std::nullopt;
    case Category::kBits:
    case Category::kValue:
      return DecodeEnumerated(cursor, kind);
    case Category::kComposite:
      for (const OperandRule& base : BasesOf(kind)) {
        if (auto problem = DecodeRule(cursor, base)) return problem;
      }
      return std::nullopt;
    case Category::kLiteral:
      break;
  }
  if (kind == OperandKind::kLiteralString) {
    const auto text = StringAt(rest);
    if (!text) return DecodeProblem{"has a string without its terminating zero"};
    cursor->Take(kind, StringWords(text->size()));
    return std::nullopt;
  }
  if (kind == OperandKind::kLiteralSpecConstantOpInteger ||
      kind == OperandKind::kLiteralExtInstInteger) {
    return DecodeNested(cursor, kind);
  }
  const bool sized = kind == OperandKind::kLiteralContextDependentNumber ||
                     (cursor->switch_literals && kind == OperandKind::kLiteralInteger);
  const std::size_t count = sized ? LiteralWords(*cursor) : 1;
  if (count == 0) return DecodeProblem{"has a literal whose type is no integer or float"};
  if (count > rest.size()) return DecodeProblem{"ends inside a literal"};
  cursor->Take(kind, count);
  return std::nullopt;
}

std::optional<DecodeProblem> Decoder::DecodeEnumerated(Cursor* cursor, OperandKind kind) {
  const Word value = cursor->words[cursor->place];
  cursor->Take(kind, 1);
  if (CategoryOf(kind) == Category::kValue || value == 0) {
    const auto rule = FindEnumerant(kind, value);
    if (!rule && CategoryOf(kind) == Category::kBits) return std::nullopt;  // no bit set
    if (!rule) {
      const auto name = FindRegistryName(kind, value);
      return DecodeProblem{
          fmt::format("has an unknown {} {}", NameOf(kind), EnumerantName(kind, value)), true,
          name ? name->extension : ""};
    }
    for (const OperandRule& parameter : rule->parameters) {
      if (auto problem = DecodeRule(cursor, parameter)) return problem;
    }
    return std::nullopt;
  }
  // The parameters of bits stand in the order of the bits, the lowest first (SPIR-V 2.2).
  for (Word rest = value; rest != 0; rest &= rest - 1) {
    const Word bit = rest & ~(rest - 1);
    const auto rule = FindEnumerant(kind, bit);
    if (!rule) {
      const auto name = FindRegistryName(kind, bit);
      return DecodeProblem{fmt::format("has an unknown bit {:#x}{}{} in its {}", bit,
                                       name ? ", " : "", name ? name->name : "", NameOf(kind)),
                           true, name ? name->extension : ""};
    }
    for (const OperandRule& parameter : rule->parameters) {
      if (auto problem = DecodeRule(cursor, parameter)) return problem;
    }
  }
  return std::nullopt;
}

// The operands of the instruction that OpSpecConstantOp or OpExtInst names by a number.
std::optional<DecodeProblem> Decoder::DecodeNested(Cursor* cursor, OperandKind kind) {
  const Word number = cursor->words[cursor->place];
  cursor->Take(kind, 1);
  std::optional<InstructionRule> rule;
  std::size_t skipped = 0;
  if (kind == OperandKind::kLiteralSpecConstantOpInteger) {
    rule = FindInstruction(static_cast<Op>(number));
    if (number > 0xffff || (rule && !rule->HasResultType())) {
      return DecodeProblem{fmt::format("computes opcode {}, which is no operation", number)};
    }
    if (!rule) {
      const auto name = FindRegistryName(static_cast<Op>(number));
      return DecodeProblem{
          fmt::format("computes {}, which is not known here", NameOf(static_cast<Op>(number))),
          true, name ? name->extension : ""};
    }
    skipped = 2;  // result type and result are the outer instruction's
    // The outer rule must not be entered again: OpSpecConstantOp of OpSpecConstantOp has no sense.
    if (static_cast<Op>(number) == Op::kSpecConstantOp || static_cast<Op>(number) == Op::kExtInst) {
      return DecodeProblem{fmt::format("computes {}", rule->name)};
    }
  } else {
    const ExtendedSet set = SetOf(cursor->words[3]);
    rule = FindInstruction(set, number);
    // The operands of a set that is not known here are left to the caller: in OpExtInst's own rule
    // they are ids without end.
    if (!rule && set != ExtendedSet::kUnknown) {
      return DecodeProblem{fmt::format("has an unknown instruction {} of its set", number), true};
    }
    if (!rule) return std::nullopt;
  }
  for (const OperandRule& operand : rule->operands.subspan(skipped)) {
    if (auto problem = DecodeRule(cursor, operand)) return problem;
  }
  return std::nullopt;
}

// How many words the literal at the cursor takes; 0 if its type does not say.
std::size_t Decoder::LiteralWords(const Cursor& cursor) const {
  // OpConstant's result type is its first word; OpSwitch's literals have its selector's type.
  const Id type = cursor.switch_literals ? type_of_[cursor.words[1]] : cursor.words[1];
  const unsigned width = width_of_[type];
  return (width + 31) / 32;
}

void Decoder::Learn(std::span<const Word> instruction) {
  const Op opcode = OpcodeOf(instruction[0]);
  if (opcode == Op::kTypeInt || opcode == Op::kTypeFloat) {
    const Word width = instruction[2];
    width_of_[instruction[1]] = width <= 64 ? static_cast<std::uint8_t>(width) : 0;
    return;
  }
  if (opcode == Op::kExtInstImport) {
    sets_[instruction[1]] = FindExtendedSet(*StringAt(instruction.subspan(2)));
    return;
  }
  const auto rule = FindInstruction(opcode);
  if (rule->HasResultType() && rule->HasResult()) type_of_[instruction[2]] = instruction[1];
}

}  // namespace assay::frontend
