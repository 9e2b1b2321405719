#include "frontend/llvm_metadata.h"

#include <algorithm>
#include <charconv>

namespace assay::frontend {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Calls visit(part) for the parts between commas that are in no parentheses, braces or quotes,
// until it returns false.
template <typename Visit>
void ForEachPart(std::string_view text, Visit&& visit) {
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '(' || c == '{')) ++depth;
    if (!quoted && (c == ')' || c == '}')) --depth;
    if (i < text.size() && (c != ',' || quoted || depth > 0)) continue;
    std::string_view part = text.substr(begin, i - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty() && !visit(part)) return;
    begin = i + 1;
  }
}

// The name behind '@' in "define spir_func i32 @helper(...", which may be in quotes.
std::string_view GlobalName(std::string_view line) {
  const std::size_t at = line.find('@');
  if (at == line.npos) return {};
  line.remove_prefix(at + 1);
  if (line.starts_with('"')) return line.substr(1, line.find('"', 1) - 1);
  return line.substr(0, line.find_first_of("( ="));
}

// The number in the last " !dbg !43" of a line.
std::optional<std::uint32_t> DebugReference(std::string_view line) {
  constexpr std::string_view kMark = "!dbg ";
  const std::size_t at = line.rfind(kMark);
  if (at == line.npos) return std::nullopt;
  const std::string_view text = line.substr(at + kMark.size());
  return ReadReference(text.substr(0, text.find_first_of(", ")));
}

}  // namespace

std::optional<std::uint32_t> ReadReference(std::string_view text) {
  std::uint32_t number = 0;
  if (text.size() < 2 || text[0] != '!') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

LlvmNode::LlvmNode(std::string_view text) {
  if (text.starts_with("distinct ")) text.remove_prefix(9);
  if (!text.starts_with('!')) return;
  const std::size_t open = text.find_first_of("({");
  if (open == text.npos || (text.back() != ')' && text.back() != '}')) return;
  kind_ = text.substr(1, open - 1);
  body_ = text.substr(open + 1, text.size() - open - 2);
}

std::string_view LlvmNode::Field(std::string_view name) const {
  std::string_view value;
  ForEachPart(body_, [&](std::string_view part) {
    if (!part.starts_with(name) || !part.substr(name.size()).starts_with(": ")) return true;
    value = part.substr(name.size() + 2);
    return false;
  });
  return value;
}

std::string LlvmNode::Text(std::string_view name) const {
  std::string_view value = Field(name);
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return "";
  value = value.substr(1, value.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\') {
      text += value[i];
    } else if (i + 1 < value.size() && value[i + 1] == '\\') {
      text += value[++i];
    } else if (i + 2 < value.size() && HexDigit(value[i + 1]) >= 0 && HexDigit(value[i + 2]) >= 0) {
      text += static_cast<char>(HexDigit(value[i + 1]) * 16 + HexDigit(value[i + 2]));
      i += 2;
    }
  }
  return text;
}

std::int64_t LlvmNode::Number(std::string_view name) const {
  const std::string_view value = Field(name);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() ? number : 0;
}

std::optional<std::uint32_t> LlvmNode::Reference(std::string_view name) const {
  return ReadReference(Field(name));
}

std::vector<std::string_view> LlvmNode::Elements() const {
  std::vector<std::string_view> elements;
  ForEachPart(body_, [&](std::string_view part) {
    elements.push_back(part);
    return true;
  });
  return elements;
}

LlvmMetadata::LlvmMetadata(std::string_view module) {
  // No number is as large as there are lines, so that a damaged one costs no memory.
  const auto lines = static_cast<std::size_t>(std::count(module.begin(), module.end(), '\n')) + 1;
  while (!module.empty()) {
    const std::size_t end = std::min(module.find('\n'), module.size());
    const std::string_view line = module.substr(0, end);
    module.remove_prefix(std::min(end + 1, module.size()));
    constexpr std::string_view kValue = "    #dbg_value(";
    if (line.starts_with(kValue)) {
      const std::string_view value = line.substr(0, line.find(','));
      if (value.find(" %lsr.iv") != value.npos) inductions_.push_back(line.substr(4));
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (line.starts_with("define ")) {
      if (const auto number = DebugReference(line)) subprograms_[GlobalName(line)] = *number;
    } else if (line.starts_with('@')) {
      if (const auto number = DebugReference(line)) globals_[GlobalName(line)] = *number;
    } else if (line.starts_with('!') && equals != line.npos) {
      const auto number = ReadReference(line.substr(0, equals));
      if (!number || *number >= lines) continue;
      if (nodes_.size() <= *number) nodes_.resize(*number + 1);
      nodes_[*number] = line.substr(equals + 3);
    }
  }
}

std::optional<LlvmNode> LlvmMetadata::Find(std::uint32_t number) const {
  if (number >= nodes_.size() || nodes_[number].empty()) return std::nullopt;
  return LlvmNode(nodes_[number]);
}

std::optional<std::uint32_t> LlvmMetadata::SubprogramOf(std::string_view function) const {
  const auto found = subprograms_.find(function);
  return found == subprograms_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace assay::frontend
