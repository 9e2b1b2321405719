#include "frontend/llvm_constrained.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "frontend/llvm_lines.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kIntrinsic = "@llvm.experimental.constrained.";

struct ConstrainedCall {
  std::string_view before;                 // "  %5 = "
  std::string_view flags;                  // "fast "
  std::string_view type;                   // "<4 x float>"
  std::string_view name;                   // "fmul"
  std::string_view suffix;                 // "v4f32"
  std::vector<std::string_view> operands;  // "float %3", without metadata
  std::string_view predicate;              // of a comparison: "olt"
  std::string_view behind;                 // ", !dbg !8", and the end of the line
};

// Where the bracket ends that a text begins in.
std::size_t EndOf(std::string_view text, char close) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text[i] == close) return i;
    if (text[i] == '(' || text[i] == '<' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '>' || text[i] == '}' || text[i] == ']') --depth;
  }
  return text.npos;
}

std::vector<std::string_view> Separated(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(EndOf(text, ','), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return parts;
}

// "<4 x float> %3" into its type and its value.
std::pair<std::string_view, std::string_view> Typed(std::string_view operand) {
  std::size_t end = operand.find(' ');
  if (operand.starts_with('<')) end = EndOf(operand.substr(1), '>') + 2;
  if (end >= operand.size()) return {operand, ""};
  return {operand.substr(0, end), operand.substr(end + 1)};
}

std::optional<ConstrainedCall> CallIn(std::string_view line) {
  const std::size_t at = line.find(kIntrinsic), assigned = line.find(" = ");
  if (at == line.npos || !line.starts_with("  %") || assigned >= at) return std::nullopt;
  ConstrainedCall call{.before = line.substr(0, assigned + 3)};
  std::string_view callee = line.substr(assigned + 3, at - assigned - 3);
  const std::size_t keyword = callee.find("call ");
  if (keyword == callee.npos) return std::nullopt;
  callee.remove_prefix(keyword + 5);  // "fast <4 x float> "
  if (!callee.ends_with(' ')) return std::nullopt;
  callee.remove_suffix(1);
  const std::size_t type =
      callee.ends_with('>') ? callee.rfind('<') : callee.rfind(' ') + 1;  // npos + 1 is 0
  if (type == callee.npos) return std::nullopt;
  call.type = callee.substr(type);
  call.flags = callee.substr(0, type);
  std::string_view rest = line.substr(at + kIntrinsic.size());
  const std::size_t open = rest.find('('), dot = rest.find('.');
  if (open == rest.npos || dot > open) return std::nullopt;
  call.name = rest.substr(0, dot);
  call.suffix = rest.substr(dot + 1, open - dot - 1);
  rest.remove_prefix(open + 1);
  const std::size_t close = EndOf(rest, ')');
  if (close == rest.npos) return std::nullopt;
  for (const std::string_view operand : Separated(rest.substr(0, close))) {
    if (!operand.starts_with("metadata ")) {
      call.operands.push_back(operand);
    } else if (call.predicate.empty()) {
      call.predicate = operand.substr(operand.find('"') + 1);
      call.predicate = call.predicate.substr(0, call.predicate.find('"'));
    }
  }
  rest.remove_prefix(close + 1);
  call.behind = rest.substr(std::min({rest.find(", !"), rest.find('\n'), rest.size()}));
  return call;
}

constexpr std::array<std::string_view, 5> kBinary = {"fadd", "fsub", "fmul", "fdiv", "frem"};
constexpr std::array<std::string_view, 6> kConversions = {"fptosi", "fptoui",  "sitofp",
                                                          "uitofp", "fptrunc", "fpext"};
constexpr std::array<std::string_view, 2> kComparisons = {"fcmp", "fcmps"};
constexpr std::array<std::string_view, 2> kCalls = {"fma", "fmuladd"};

template <typename List>
bool Has(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// "" for one that is not known.
std::string Written(const ConstrainedCall& call) {
  const std::size_t count = call.operands.size();
  if (count == 0) return "";
  const auto [type, first] = Typed(call.operands[0]);
  if (Has(kBinary, call.name) && count == 2) {
    return fmt::format("{}{} {}{} {}, {}{}", call.before, call.name, call.flags, type, first,
                       Typed(call.operands[1]).second, call.behind);
  }
  if (Has(kComparisons, call.name) && count == 2) {
    return fmt::format("{}fcmp {}{} {} {}, {}{}", call.before, call.flags, call.predicate, type,
                       first, Typed(call.operands[1]).second, call.behind);
  }
  if (Has(kConversions, call.name) && count == 1) {
    return fmt::format("{}{} {} to {}{}", call.before, call.name, call.operands[0], call.type,
                       call.behind);
  }
  if (Has(kCalls, call.name) && count == 3) {
    return fmt::format("{}call {}{} @llvm.{}.{}({}){}", call.before, call.flags, call.type,
                       call.name, call.suffix, fmt::join(call.operands, ", "), call.behind);
  }
  return "";
}

// "declare float @llvm.experimental.constrained.fma.f32(float, float, float, metadata, metadata)":
// that of the other intrinsic, and nothing where there is an instruction.
std::string Declared(std::string_view line) {
  const std::size_t at = line.find(kIntrinsic);
  std::string_view rest = line.substr(at + kIntrinsic.size());
  const std::string_view name = rest.substr(0, rest.find('.'));
  if (Has(kBinary, name) || Has(kComparisons, name) || Has(kConversions, name)) return "";
  if (!Has(kCalls, name)) return std::string(line);
  const std::size_t metadata = rest.find(", metadata");
  if (metadata == rest.npos) return std::string(line);
  return fmt::format("{}@llvm.{})\n", line.substr(0, at), rest.substr(0, metadata));
}

}  // namespace

std::string WithoutConstrained(std::string_view ir) {
  std::string text;
  text.reserve(ir.size());
  while (!ir.empty()) {
    const std::string_view line = TakeLine(&ir);
    if (line.find(kIntrinsic) == line.npos) {
      text += line;
      continue;
    }
    if (line.starts_with("declare ")) {
      text += Declared(line);
      continue;
    }
    const auto call = CallIn(line);
    const std::string written = call ? Written(*call) : "";
    text += written.empty() ? std::string(line) : written;
  }
  return text;
}

}  // namespace assay::frontend
