#include "frontend/llvm_reductions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "frontend/llvm_lines.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kReduce = "@llvm.vector.reduce.";

// "call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)"
struct Reduction {
  std::string_view result;     // without its %
  std::string_view operation;  // "add"
  int count = 0;
  std::string_view element;  // "i32"
  std::string_view vector;   // "%v"
  std::string_view behind;   // metadata, and the end of the line
};

std::string_view UpTo(std::string_view* text, std::string_view end) {
  const std::size_t at = std::min(text->find(end), text->size());
  const std::string_view found = text->substr(0, at);
  text->remove_prefix(std::min(at + end.size(), text->size()));
  return found;
}

// In LLVM's words for one pair; the comparison of a minimum or maximum.
bool IsOperation(std::string_view name) {
  constexpr std::array kNames = {"add", "mul", "and", "or", "xor"};
  return std::ranges::find(kNames, name) != kNames.end();
}
std::string_view ComparisonOf(std::string_view name) {
  return name == "smax"   ? "sgt"
         : name == "smin" ? "slt"
         : name == "umax" ? "ugt"
         : name == "umin" ? "ult"
                          : "";
}

bool IsKnown(std::string_view line) {
  line.remove_prefix(line.find(kReduce) + kReduce.size());
  const std::string_view name = UpTo(&line, ".");
  return IsOperation(name) || !ComparisonOf(name).empty();
}

std::optional<Reduction> ReductionOf(std::string_view line) {
  if (!line.starts_with("  %")) return std::nullopt;
  Reduction made;
  std::string_view rest = line.substr(3);
  made.result = UpTo(&rest, " = ");
  UpTo(&rest, kReduce);
  made.operation = UpTo(&rest, ".v");
  const std::string_view type = UpTo(&rest, "(");
  const auto [end, error] = std::from_chars(type.data(), type.data() + type.size(), made.count);
  if (error != std::errc() || made.count < 2 || made.count > 64) return std::nullopt;
  made.element = type.substr(static_cast<std::size_t>(end - type.data()));
  if (UpTo(&rest, "> ") != fmt::format("<{} x {}", made.count, made.element)) return std::nullopt;
  made.vector = UpTo(&rest, ")");
  made.behind = rest;
  const bool is_plain = made.vector.starts_with('%') && made.element.starts_with('i') &&
                        made.result.find_first_of("\" ") == made.result.npos &&
                        made.vector.find_first_of("\" ,") == made.vector.npos;
  return is_plain ? std::optional(made) : std::nullopt;
}

std::string Written(const Reduction& of) {
  std::string text;
  const auto part = [&](int i) { return fmt::format("%assay.part.{}.{}", of.result, i); };
  for (int i = 0; i < of.count; ++i) {
    text += fmt::format("  {} = extractelement <{} x {}> {}, i32 {}{}", part(i), of.count,
                        of.element, of.vector, i, of.behind);
  }
  std::string before = part(0);
  for (int i = 1; i < of.count; ++i) {
    const std::string result = i + 1 == of.count
                                   ? fmt::format("%{}", of.result)
                                   : fmt::format("%assay.reduced.{}.{}", of.result, i);
    if (IsOperation(of.operation)) {
      text += fmt::format("  {} = {} {} {}, {}{}", result, of.operation, of.element, before,
                          part(i), of.behind);
    } else {
      const std::string compared = fmt::format("%assay.compared.{}.{}", of.result, i);
      text += fmt::format("  {} = icmp {} {} {}, {}{}", compared, ComparisonOf(of.operation),
                          of.element, before, part(i), of.behind);
      text += fmt::format("  {} = select i1 {}, {} {}, {} {}{}", result, compared, of.element,
                          before, of.element, part(i), of.behind);
    }
    before = result;
  }
  return text;
}

}  // namespace

std::string WithoutReductions(std::string_view ir) {
  std::string text;
  text.reserve(ir.size());
  for (std::string_view rest = ir; !rest.empty();) {
    const std::string_view line = TakeLine(&rest);
    if (line.find(kReduce) == line.npos || !IsKnown(line)) {
      text += line;
      continue;
    }
    if (line.starts_with("declare ")) continue;
    const auto reduction = ReductionOf(line);
    if (!reduction) return std::string(ir);
    text += Written(*reduction);
  }
  return text;
}

}  // namespace assay::frontend
