#include "frontend/llvm_widths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/llvm_lines.h"

namespace assay::frontend {
namespace {

constexpr std::array kPlain = {1, 8, 16, 32, 64};

bool IsPlain(int width) { return std::ranges::find(kPlain, width) != kPlain.end(); }
int Widened(int width) { return *std::ranges::lower_bound(kPlain, width); }
std::uint64_t MaskOf(int width) { return ~std::uint64_t{0} >> (64 - width); }

bool IsInName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '$' || c == '-' || c == '%' || c == '@' || c == '"' || c == ':';
}

// "i33" is 33; 0 where it is no such type, or one that is too wide.
int WidthOf(std::string_view word) {
  int width = 0;
  if (!word.starts_with('i')) return 0;
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), width);
  return error == std::errc() && end == word.data() + word.size() && width <= 64 ? width : 0;
}

// Words of names and types, and other characters one by one.
std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && IsInName(line[end])) ++end;
    if (end == at) end = at + 1;
    if (line[at] != ' ' && line[at] != '\n') words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

bool HasUnusual(std::string_view line) {
  for (std::size_t at = line.find('i'); at != line.npos; at = line.find('i', at + 1)) {
    if (at != 0 && IsInName(line[at - 1])) continue;
    std::size_t end = at + 1;
    while (end < line.size() && IsInName(line[end])) ++end;
    const std::string_view word = line.substr(at, end - at);
    const bool is_type = word.size() > 1 && std::ranges::all_of(word.substr(1), [](char c) {
                           return c >= '0' && c <= '9';
                         });
    if (is_type && !IsPlain(WidthOf(word))) return true;
  }
  return false;
}

// One line after the other.
class Widener {
 public:
  // The line in other words; nothing where nobody knows how.
  std::optional<std::string> Line(std::string_view line) {
    const std::size_t behind = std::min({line.find(", !"), line.find('\n'), line.size()});
    words_ = WordsOf(line.substr(0, behind));
    behind_ = line.substr(behind);
    at_ = 0;
    if (line.starts_with("  call void @llvm.dbg.value(")) return DebugValue(line);
    if (Is("switch")) return Switch();
    if (line.starts_with("    i")) return Case();
    if (words_.size() < 4 || !words_[0].starts_with('%') || words_[1] != "=") return std::nullopt;
    name_ = words_[0].substr(1);
    if (name_.find('"') != name_.npos) return std::nullopt;
    at_ = 2;
    return Instruction();
  }

 private:
  std::string_view Next() { return at_ < words_.size() ? words_[at_++] : std::string_view(); }
  bool Is(std::string_view word) {
    if (at_ >= words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  bool IsAtEnd() const { return at_ == words_.size(); }

  // A variable or a number, which is one of this width; "": anything else.
  std::string Operand(int width) {
    const std::string_view word = Next();
    if (word.starts_with('%') && word.find('"') == word.npos) return std::string(word);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return "";
    if (IsPlain(width)) return std::string(word);
    return fmt::format("{}", static_cast<std::uint64_t>(number) & MaskOf(width));
  }

  std::string Assigned(std::string_view text) const {
    return fmt::format("  %{} = {}{}", name_, text, behind_);
  }
  // The low bits of what the instruction computes.
  std::string Masked(std::string_view text, int width) const {
    return fmt::format("  %assay.wide.{} = {}{}", name_, text, behind_) +
           Assigned(
               fmt::format("and i{} %assay.wide.{}, {}", Widened(width), name_, MaskOf(width)));
  }

  std::optional<std::string> Instruction() {
    const std::string_view name = Next();
    if (name == "trunc" || name == "zext") return Converted(name);
    if (name == "phi") return Phi();
    if (name == "select") return Select();
    if (name == "icmp") {
      const std::string_view predicate = Next();
      const bool is_signed = predicate.starts_with('s');
      const auto operands = is_signed ? std::nullopt : Two();
      if (!operands) return std::nullopt;
      return Assigned(fmt::format("icmp {} {}", predicate, *operands));
    }
    constexpr std::array kKeep = {"and", "or", "xor", "lshr", "udiv", "urem"};
    constexpr std::array kCarry = {"add", "sub", "mul", "shl"};
    const bool carries = std::ranges::find(kCarry, name) != kCarry.end();
    if (!carries && std::ranges::find(kKeep, name) == kKeep.end()) return std::nullopt;
    while (Is("nuw") || Is("nsw") || Is("exact")) {
    }
    const auto operands = Two();
    if (!operands) return std::nullopt;
    const std::string text = fmt::format("{} {}", name, *operands);
    return carries ? Masked(text, width_) : Assigned(text);
  }

  // "iN A, B" in the wider type; width_ is N.
  std::optional<std::string> Two() {
    width_ = WidthOf(Next());
    if (width_ == 0) return std::nullopt;
    const std::string a = Operand(width_);
    const bool is_pair = Is(",");
    const std::string b = Operand(width_);
    if (a.empty() || b.empty() || !is_pair || !IsAtEnd()) return std::nullopt;
    return fmt::format("i{} {}, {}", Widened(width_), a, b);
  }

  std::optional<std::string> Converted(std::string_view name) {
    const int from = WidthOf(Next());
    if (from == 0) return std::nullopt;
    const std::string value = Operand(from);
    const bool is_known = Is("to");
    const int to = WidthOf(Next());
    if (value.empty() || !is_known || to == 0 || !IsAtEnd()) return std::nullopt;
    const int wide_from = Widened(from), wide_to = Widened(to);
    if (name == "zext" || IsPlain(to)) {
      if (wide_from == wide_to) return Assigned(fmt::format("or i{} {}, 0", wide_to, value));
      return Assigned(fmt::format("{} i{} {} to i{}", name, wide_from, value, wide_to));
    }
    if (wide_from == wide_to) {
      return Assigned(fmt::format("and i{} {}, {}", wide_to, value, MaskOf(to)));
    }
    return Masked(fmt::format("trunc i{} {} to i{}", wide_from, value, wide_to), to);
  }

  std::optional<std::string> Phi() {
    const int width = WidthOf(Next());
    if (width == 0) return std::nullopt;
    std::string text = fmt::format("phi i{}", Widened(width));
    do {
      if (!Is("[")) return std::nullopt;
      const std::string value = Operand(width);
      const bool is_pair = Is(",");
      const std::string_view label = Next();
      if (value.empty() || !is_pair || !Is("]")) return std::nullopt;
      text += fmt::format("{} [ {}, {} ]", text.ends_with(']') ? "," : "", value, label);
    } while (Is(","));
    if (!IsAtEnd()) return std::nullopt;
    return Assigned(text);
  }

  std::optional<std::string> Select() {
    const bool is_scalar = Is("i1");
    const std::string condition = Operand(1);
    if (!is_scalar || condition.empty()) return std::nullopt;
    std::string text = fmt::format("select i1 {}", condition);
    for (int i = 0; i < 2; ++i) {
      const bool is_next = Is(",");
      const int width = WidthOf(Next());
      if (!is_next || width == 0) return std::nullopt;
      const std::string value = Operand(width);
      if (value.empty()) return std::nullopt;
      text += fmt::format(", i{} {}", Widened(width), value);
    }
    if (!IsAtEnd()) return std::nullopt;
    return Assigned(text);
  }

  // "switch i2 %x, label %default [".
  std::optional<std::string> Switch() {
    const int width = WidthOf(Next());
    if (width == 0) return std::nullopt;
    const std::string value = Operand(width);
    if (value.empty() || words_.size() < 3 || words_.back() != "[") return std::nullopt;
    return fmt::format("  switch i{} {}, label {} [{}", Widened(width), value,
                       words_[words_.size() - 2], behind_);
  }
  // "i2 -2, label %x" of a switch.
  std::optional<std::string> Case() {
    const int width = WidthOf(Next());
    if (width == 0) return std::nullopt;
    const std::string value = Operand(width);
    if (value.empty() || !Is(",") || !Is("label")) return std::nullopt;
    return fmt::format("    i{} {}, label {}{}", Widened(width), value, Next(), behind_);
  }

  // What is a variable of the source; without a word of it where it is not one value.
  static std::optional<std::string> DebugValue(std::string_view line) {
    const std::size_t at = line.find('(') + 10;
    if (!line.substr(0, at).ends_with("metadata ")) return "";
    const std::size_t end = line.find(' ', at);
    const int width = end == line.npos ? 0 : WidthOf(line.substr(at, end - at));
    if (width == 0 || !line.substr(end + 1).starts_with('%')) return "";
    return fmt::format("{}i{}{}", line.substr(0, at), Widened(width), line.substr(end));
  }

  std::vector<std::string_view> words_;
  std::string_view behind_;  // metadata, and the end of the line
  std::string_view name_;
  std::size_t at_ = 0;
  int width_ = 0;
};

}  // namespace

std::string WithPlainWidths(std::string_view ir) {
  std::string text;
  text.reserve(ir.size());
  Widener widener;
  for (std::string_view rest = ir; !rest.empty();) {
    const std::string_view line = TakeLine(&rest);
    // Others are metadata, labels, globals: these name no values of such types.
    const bool is_plain = line.starts_with('!') || line.starts_with(';') || !HasUnusual(line);
    const auto wide = is_plain ? std::optional<std::string>(line) : widener.Line(line);
    if (!wide) return std::string(ir);
    text += *wide;
  }
  return text;
}

}  // namespace assay::frontend
