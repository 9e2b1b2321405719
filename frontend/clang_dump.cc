#include "frontend/clang_dump.h"

#include <algorithm>
#include <charconv>

#include "frontend/llvm_lines.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kModuleBanner = "*** IR Dump After ";
constexpr std::string_view kModulePass = "(emit-intrinsics) ***";
constexpr std::string_view kFunctionBanner = "# *** IR Dump After ";
constexpr std::string_view kFunctionPass = "(spirv-asm-printer) ***:";
constexpr std::string_view kFunctionBegin = "# Machine code for function ";
constexpr std::string_view kFunctionEnd = "# End machine code for function ";
constexpr std::string_view kLocation = "debug-location ";

std::string_view WithoutEnd(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

// "!12 = ..."
bool IsNumberedMetadata(std::string_view line) {
  return line.size() > 2 && line[0] == '!' && line[1] >= '0' && line[1] <= '9';
}

// IR ends with its numbered metadata; what follows may be the compiler's messages again.
std::string_view TakeModule(std::string_view* rest) {
  const std::string_view all = *rest;
  bool in_metadata = false;
  while (!rest->empty()) {
    std::string_view next = *rest;
    const std::string_view line = TakeLine(&next);
    if (line.starts_with(kFunctionBanner)) break;
    if (in_metadata && !IsNumberedMetadata(line)) break;
    in_metadata = IsNumberedMetadata(line);
    *rest = next;
  }
  return all.substr(0, all.size() - rest->size());
}

// Nothing for a function whose end is missing.
std::string_view TakeFunction(std::string_view* rest) {
  const std::string_view all = *rest;
  while (!rest->empty()) {
    std::string_view next = *rest;
    const std::string_view line = TakeLine(&next);
    if (line.starts_with(kFunctionBanner) || line.starts_with(kModuleBanner)) return {};
    *rest = next;
    if (!line.starts_with(kFunctionEnd) || !line.ends_with(".\n")) continue;
    if (!rest->empty() && rest->front() == '\n') rest->remove_prefix(1);
    return all.substr(0, all.size() - rest->size());
  }
  return {};
}

template <typename Number>
bool ReadNumber(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// "%12:iid", also behind "killed" and the like.
std::optional<std::uint32_t> ReadRegister(std::string_view text) {
  if (const std::size_t space = text.rfind(' '); space != text.npos) text.remove_prefix(space + 1);
  if (!text.starts_with('%')) return std::nullopt;
  std::uint32_t number = 0;
  if (!ReadNumber(text.substr(1, text.find(':') - 1), &number)) return std::nullopt;
  return number;
}

MachineOperand ReadOperand(std::string_view text) {
  using Kind = MachineOperand::Kind;
  MachineOperand operand{.text = text};
  if (text.starts_with("%bb.")) {
    const std::string_view digits = text.substr(4, text.find_first_not_of("0123456789", 4) - 4);
    if (ReadNumber(digits, &operand.number)) operand.kind = Kind::kBlock;
  } else if (const auto read = ReadRegister(text)) {
    operand.kind = Kind::kRegister;
    operand.number = *read;
  } else if (ReadNumber(text, &operand.number)) {
    operand.kind = Kind::kNumber;
  }
  return operand;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with(',')) text.remove_suffix(1);
  return text;
}

// Operands are divided by commas outside of parentheses and quotes.
void ReadOperands(std::string_view text, std::vector<MachineOperand>* operands) {
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  text = Trim(text);
  if (text.empty()) return;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '(') ++depth;
    if (!quoted && c == ')') --depth;
    if (i == text.size() || (c == ',' && !quoted && depth <= 0)) {
      operands->push_back(ReadOperand(Trim(text.substr(begin, i - begin))));
      begin = i + 1;
    }
  }
}

// The text after the operands: "debug-location !31 :: (store ...); k.cl:2:11".
void ReadLocation(std::string_view text, MachineInstruction* instruction) {
  if (text.starts_with("!DILocation(")) {
    const std::size_t end = text.find(')');
    if (end == text.npos) return;
    instruction->location = text.substr(0, end + 1);
  } else {
    instruction->location = text.substr(0, text.find_first_not_of("!0123456789"));
  }
  const std::size_t comment = text.find("; ", instruction->location.size());
  if (comment != text.npos) instruction->place = text.substr(comment + 2);
}

// "%8:iid = nsw OpIAddS %1:type, %6:iid, %16:iid, debug-location !51; k.cl:4:31"
bool ReadInstruction(std::string_view line, MachineFunction* function) {
  MachineInstruction instruction;
  const std::size_t location = line.find(kLocation);
  if (location != line.npos) {
    ReadLocation(line.substr(location + kLocation.size()), &instruction);
    line = line.substr(0, location);
  } else {
    line = line.substr(0, line.find("; "));
    line = line.substr(0, line.find(" :: "));
  }
  line = Trim(line);
  if (line.starts_with('%')) {
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) return false;
    instruction.result = ReadRegister(line.substr(0, equals));
    if (!instruction.result) return false;
    line.remove_prefix(equals + 3);
  }
  // Flags such as nsw stand before the name, in small letters.
  while (!line.empty() && line[0] >= 'a' && line[0] <= 'z') {
    const std::size_t space = line.find(' ');
    if (space == line.npos) return false;
    line = Trim(line.substr(space));
  }
  if (line.empty() || line[0] < 'A' || line[0] > 'Z') return false;
  const std::size_t space = std::min(line.find(' '), line.size());
  instruction.opcode = line.substr(0, space);
  instruction.first = static_cast<std::uint32_t>(function->operands.size());
  ReadOperands(line.substr(space), &function->operands);
  instruction.count = static_cast<std::uint32_t>(function->operands.size()) - instruction.first;
  instruction.block = static_cast<std::uint32_t>(function->blocks.size()) - 1;
  function->instructions.push_back(instruction);
  return true;
}

// "bb.2.for.cond (align 4):"
bool ReadBlock(std::string_view line, MachineFunction* function) {
  std::uint32_t number = 0;
  const std::size_t end = std::min(line.find_first_not_of("0123456789", 3), line.size());
  if (!ReadNumber(line.substr(3, end - 3), &number)) return false;
  function->blocks.push_back(number);
  return true;
}

}  // namespace

ClangDump SplitClangOutput(std::string_view output, std::string* messages) {
  ClangDump dump;
  while (!output.empty()) {
    std::string_view next = output;
    const std::string_view line = TakeLine(&next);
    if (line.starts_with(kModuleBanner) && line.find(kModulePass) != line.npos) {
      output = next;
      dump.module = TakeModule(&output);
    } else if (line.starts_with(kFunctionBanner) && line.find(kFunctionPass) != line.npos) {
      output = next;
      const std::string_view function = TakeFunction(&output);
      if (!function.empty()) dump.functions.push_back(function);
    } else {
      messages->append(line);
      output = next;
    }
  }
  return dump;
}

std::string_view MachineFunctionName(std::string_view text) {
  const std::string_view line = WithoutEnd(text.substr(0, text.find('\n')));
  if (!line.starts_with(kFunctionBegin)) return {};
  const std::size_t end = line.find(':', kFunctionBegin.size());
  if (end == line.npos) return {};
  return line.substr(kFunctionBegin.size(), end - kFunctionBegin.size());
}

std::optional<MachineFunction> ParseMachineFunction(std::string_view text) {
  MachineFunction function;
  function.name = MachineFunctionName(text);
  while (!text.empty()) {
    const std::string_view line = WithoutEnd(TakeLine(&text));
    if (line.starts_with("bb.")) {
      if (!ReadBlock(line, &function)) return std::nullopt;
    } else if (line.starts_with("  ") && !function.blocks.empty()) {
      if (line.starts_with("  successors:") || line.starts_with("  liveins:")) continue;
      if (!ReadInstruction(line, &function)) return std::nullopt;
    }
  }
  if (function.name.empty() || function.blocks.empty()) return std::nullopt;
  return function;
}

}  // namespace assay::frontend
