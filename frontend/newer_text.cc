#include "frontend/newer_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

#include "frontend/decode.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kSpaces = " \t\r";

// The words of a line up to its comment; a string is one word.
std::vector<std::string_view> WordsOfLine(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t place = 0;
  while (place < line.size()) {
    if (kSpaces.find(line[place]) != kSpaces.npos) {
      ++place;
      continue;
    }
    if (line[place] == ';') break;
    const std::size_t start = place;
    bool is_quoted = false;
    for (; place < line.size(); ++place) {
      if (line[place] == '\\') {
        ++place;
      } else if (line[place] == '"') {
        is_quoted = !is_quoted;
      } else if (!is_quoted && (line[place] == ';' || kSpaces.find(line[place]) != kSpaces.npos)) {
        break;
      }
    }
    place = std::min(place, line.size());
    words.push_back(line.substr(start, place - start));
  }
  return words;
}

std::optional<Word> NumberIn(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  Word value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return is_negative ? Word{0} - value : value;
}

// The operands of one instruction, as words for the assembler.
class Encoder {
 public:
  explicit Encoder(std::span<const std::string_view> operands) : operands_(operands) {}

  bool Take(const OperandRule& rule) {
    if (rule.quantifier == Quantifier::kOne) return TakeOne(rule.kind);
    if (rule.quantifier == Quantifier::kOptional) return AtEnd() || TakeOne(rule.kind);
    while (!AtEnd()) {
      if (!TakeOne(rule.kind)) return false;
    }
    return true;
  }
  bool AtEnd() const { return place_ == operands_.size(); }
  bool AddId(std::string_view id) {
    if (!id.starts_with('%')) return false;
    text_ += fmt::format(" {}", id);
    ++count_;
    return true;
  }
  void AddWord(Word word) {
    text_ += fmt::format(" !{:#x}", word);
    ++count_;
  }
  const std::string& text() const { return text_; }
  std::string Instruction(Op opcode) const {
    return fmt::format("OpNop !{:#x}{}", (count_ + 1) << 16 | static_cast<Word>(opcode), text_);
  }

 private:
  bool TakeOne(OperandKind kind) {
    if (AtEnd()) return false;
    const std::string_view operand = operands_[place_++];
    switch (CategoryOf(kind)) {
      case Category::kId:
        return AddId(operand);
      case Category::kBits:
      case Category::kValue:
        return TakeEnumerated(kind, operand);
      case Category::kLiteral:
        break;
      case Category::kComposite:
        return false;
    }
    if (kind == OperandKind::kLiteralString) return TakeString(operand);
    const auto number = NumberIn(operand);
    if (!number) return false;
    AddWord(*number);
    return true;
  }

  bool TakeEnumerated(OperandKind kind, std::string_view operand) {
    if (const auto number = NumberIn(operand)) {
      AddWord(*number);
      return true;
    }
    Word value = 0;
    std::vector<EnumerantRule> rules;
    for (std::size_t start = 0; start <= operand.size();) {
      const std::size_t end = std::min(operand.find('|', start), operand.size());
      const auto rule = FindEnumerant(kind, operand.substr(start, end - start));
      if (!rule) return false;
      value |= rule->value;
      rules.push_back(*rule);
      start = end + 1;
    }
    AddWord(value);
    for (const EnumerantRule& rule : rules) {
      for (const OperandRule& parameter : rule.parameters) {
        if (!Take(parameter)) return false;
      }
    }
    return true;
  }

  bool TakeString(std::string_view operand) {
    if (operand.size() < 2 || operand.front() != '"' || operand.back() != '"') return false;
    std::string content;
    for (std::size_t i = 1; i + 1 < operand.size(); ++i) {
      if (operand[i] == '\\' && i + 2 < operand.size()) ++i;
      content += operand[i];
    }
    content.resize(StringWords(content.size()) * sizeof(Word));
    for (std::size_t i = 0; i < content.size(); i += sizeof(Word)) {
      Word word = 0;
      for (std::size_t k = 0; k < sizeof(Word); ++k) {
        word |= Word{static_cast<unsigned char>(content[i + k])} << (8 * k);
      }
      AddWord(word);
    }
    return true;
  }

  std::span<const std::string_view> operands_;
  std::size_t place_ = 0;
  Word count_ = 0;
  std::string text_;
};

// An instruction of one line.
struct Statement {
  std::string_view result;  // "": none
  std::string_view opcode;
  std::span<const std::string_view> operands;
};

std::optional<Statement> StatementOf(std::span<const std::string_view> words) {
  Statement statement;
  if (words.size() >= 3 && words[1] == "=") {
    statement.result = words[0];
    words = words.subspan(2);
  }
  if (words.empty() || !words[0].starts_with("Op")) return std::nullopt;
  statement.opcode = words[0];
  statement.operands = words.subspan(1);
  return statement;
}

std::optional<std::string> Encoded(const InstructionRule& rule, const Statement& statement) {
  Encoder encoder(statement.operands);
  for (const OperandRule& operand : rule.operands) {
    const bool good = operand.kind == OperandKind::kIdResult ? encoder.AddId(statement.result)
                                                             : encoder.Take(operand);
    if (!good) return std::nullopt;
  }
  if (!encoder.AtEnd()) return std::nullopt;
  return encoder.Instruction(static_cast<Op>(rule.opcode));
}

// Whether "A|B" names a bit of the kind that the assembler does not know.
bool NamesNewerBit(OperandKind kind, std::string_view operand) {
  for (std::size_t start = 0; start <= operand.size();) {
    const std::size_t end = std::min(operand.find('|', start), operand.size());
    const auto rule = FindEnumerant(kind, operand.substr(start, end - start));
    if (rule && IsNewer(kind, rule->value)) return true;
    start = end + 1;
  }
  return false;
}

// What belongs to these is a number for some assemblers, and a name for others.
bool IsRespelled(OperandKind kind, Word value) {
  if (kind == OperandKind::kExecutionMode) {
    return static_cast<ExecutionMode>(value) == ExecutionMode::kNamedMaximumRegistersINTEL;
  }
  if (kind != OperandKind::kDecoration) return false;
  const auto decoration = static_cast<Decoration>(value);
  return decoration == Decoration::kCacheControlLoadINTEL ||
         decoration == Decoration::kCacheControlStoreINTEL;
}

// Operands of known instructions that the assembler does not know, with what belongs to them.
std::optional<std::string> WithNewerOperand(const Statement& statement) {
  struct Place {
    std::string_view opcode;
    OperandKind kind;
    std::size_t at;
  };
  constexpr Place kPlaces[] = {{"OpCapability", OperandKind::kCapability, 0},
                               {"OpExecutionMode", OperandKind::kExecutionMode, 1},
                               {"OpExecutionModeId", OperandKind::kExecutionMode, 1},
                               {"OpDecorate", OperandKind::kDecoration, 1}};
  for (const auto& [opcode, kind, at] : kPlaces) {
    if (statement.opcode != opcode || statement.operands.size() <= at) continue;
    const auto rule = FindEnumerant(kind, statement.operands[at]);
    if (!rule || !(IsNewer(kind, rule->value) || IsRespelled(kind, rule->value))) continue;
    Encoder parameters(statement.operands.subspan(at + 1));
    for (const OperandRule& parameter : rule->parameters) {
      if (!parameters.Take(parameter)) return std::nullopt;
    }
    if (!parameters.AtEnd()) return std::nullopt;
    std::string line(statement.opcode);
    for (const std::string_view operand : statement.operands.first(at)) {
      line += fmt::format(" {}", operand);
    }
    return line + fmt::format(" !{}{}", rule->value, parameters.text());
  }
  return std::nullopt;
}

class Writer {
 public:
  std::optional<std::string> Rewrite(const Statement& statement) {
    if (const auto rule = FindNewerInstruction(statement.opcode)) return Encoded(*rule, statement);
    // Vendors' extensions add ways to read the components of a known instruction.
    if (statement.opcode == "OpCooperativeMatrixMulAddKHR" && !statement.operands.empty() &&
        NamesNewerBit(OperandKind::kCooperativeMatrixOperands, statement.operands.back())) {
      return Encoded(*FindInstruction(Op::kCooperativeMatrixMulAddKHR), statement);
    }
    if (statement.opcode == "OpTypeFloat" && statement.operands.size() == 2) {
      encoded_floats_.emplace(statement.result);
      return Encoded(*FindInstruction(Op::kTypeFloat), statement);
    }
    // Constants of such a type: their bits.
    const bool is_constant =
        statement.opcode == "OpConstant" || statement.opcode == "OpSpecConstant";
    if (is_constant && statement.operands.size() == 2 &&
        encoded_floats_.contains(std::string(statement.operands[0]))) {
      const auto bits = NumberIn(statement.operands[1]);
      Encoder encoder({});
      if (!bits || !encoder.AddId(statement.operands[0]) || !encoder.AddId(statement.result)) {
        return std::nullopt;
      }
      encoder.AddWord(*bits);
      return encoder.Instruction(statement.opcode == "OpConstant" ? Op::kConstant
                                                                  : Op::kSpecConstant);
    }
    return WithNewerOperand(statement);
  }

 private:
  std::set<std::string> encoded_floats_;  // ids of OpTypeFloat with an encoding
};

}  // namespace

std::string WithNewerAsWords(std::string_view text) {
  std::string result;
  Writer writer;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const std::vector<std::string_view> words = WordsOfLine(line);
    const auto statement = StatementOf(words);
    const auto rewritten = statement ? writer.Rewrite(*statement) : std::nullopt;
    result += rewritten ? std::string_view(*rewritten) : line;
    if (end < text.size()) result += '\n';
    start = end + 1;
  }
  return result;
}

std::string NewerNameIn(std::string_view message) {
  for (std::size_t start = 0; start < message.size();) {
    const std::size_t end = std::min(message.find('\'', start), message.size());
    const std::string_view word = message.substr(start, end - start);
    const auto found = FindRegistryName(word);
    const auto name = found ? found : FindRegistryName(fmt::format("Op{}", word));
    if (name && !name->extension.empty()) {
      return fmt::format("{}, of {}, is not executed; compile without it", name->name,
                         name->extension);
    }
    start = end + 1;
  }
  return "";
}

std::vector<Word> WithoutSeparators(std::vector<Word> words) {
  std::vector<Word> result(words.begin(),
                           words.begin() + std::min<std::ptrdiff_t>(5, std::ssize(words)));
  for (std::size_t place = result.size(); place < words.size();) {
    std::size_t count = std::min<std::size_t>(words[place] >> 16, words.size() - place);
    if (count == 0) count = words.size() - place;  // no instruction: for the loader to tell
    const std::size_t next = place + count;
    if (OpcodeOf(words[place]) == Op::kNop && next < words.size()) {
      const Op follower = OpcodeOf(words[next]);
      const bool is_ours = IsNewer(follower) || follower == Op::kTypeFloat ||
                           follower == Op::kConstant || follower == Op::kSpecConstant ||
                           follower == Op::kCooperativeMatrixMulAddKHR;
      if (is_ours) {
        place = next;
        continue;
      }
    }
    result.insert(result.end(), words.begin() + static_cast<std::ptrdiff_t>(place),
                  words.begin() + static_cast<std::ptrdiff_t>(next));
    place = next;
  }
  return result;
}

}  // namespace assay::frontend
