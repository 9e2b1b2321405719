#include "frontend/llvm_dimensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "frontend/decode.h"
#include "frontend/llvm_lines.h"

namespace assay::frontend {
namespace {

constexpr Word kDimensions = 3;

struct WorkItemFunction {
  std::string_view mangled;
  int beyond;  // the result for an invalid dimension
};
constexpr WorkItemFunction kFunctions[] = {
    {"@_Z13get_global_idj(", 0},   {"@_Z12get_local_idj(", 0},
    {"@_Z12get_group_idj(", 0},    {"@_Z17get_global_offsetj(", 0},
    {"@_Z15get_global_sizej(", 1}, {"@_Z14get_local_sizej(", 1},
    {"@_Z14get_num_groupsj(", 1},  {"@_Z23get_enqueued_local_sizej(", 1},
};

// A line "  RESULT = [tail ]call ... @FUNCTION(i32 ... DIMENSION)..., !dbg !N".
struct DimensionCall {
  std::string_view result;
  std::string_view before;     // from the call to the dimension
  std::string_view dimension;  // "%1", or a number
  std::string_view behind;     // from the closing parenthesis on, without metadata
  std::string_view metadata;   // ", !dbg !12", or nothing
  int beyond = 0;
};

std::optional<DimensionCall> ReadCall(std::string_view line) {
  if (!line.starts_with("  %")) return std::nullopt;
  const std::size_t equals = line.find(" = ");
  // Names with blanks have quotes: what stands there is taken for no instruction.
  if (equals == line.npos || line.substr(2, equals - 2).find(' ') != line.npos) return std::nullopt;
  for (const WorkItemFunction& function : kFunctions) {
    const std::size_t at = line.find(function.mangled, equals);
    if (at == line.npos) continue;
    const std::size_t open = at + function.mangled.size();
    const std::size_t close = line.find(')', open);
    const std::size_t blank = line.rfind(' ', close);
    if (close == line.npos || blank == line.npos || blank < open) return std::nullopt;
    const std::size_t end = std::min(line.find('\n'), line.size());
    const std::size_t metadata = std::min(line.find(", !", close), end);
    return DimensionCall{.result = line.substr(2, equals - 2),
                         .before = line.substr(equals + 3, blank + 1 - (equals + 3)),
                         .dimension = line.substr(blank + 1, close - blank - 1),
                         .behind = line.substr(close, metadata - close),
                         .metadata = line.substr(metadata, end - metadata),
                         .beyond = function.beyond};
  }
  return std::nullopt;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("-0123456789") == text.npos;
}

std::string Guarded(const DimensionCall& call, std::size_t number) {
  if (IsNumber(call.dimension)) {
    return fmt::format("  {} = select i1 true, i64 {}, i64 {}{}\n", call.result, call.beyond,
                       call.beyond, call.metadata);
  }
  const std::string name = fmt::format("%assay.dimension.{}", number);
  std::string text = fmt::format("  {}.is = icmp ult i32 {}, {}{}\n", name, call.dimension,
                                 kDimensions, call.metadata);
  text += fmt::format("  {}.of = select i1 {}.is, i32 {}, i32 0{}\n", name, name, call.dimension,
                      call.metadata);
  text +=
      fmt::format("  {}.in = {}{}.of{}{}\n", name, call.before, name, call.behind, call.metadata);
  text += fmt::format("  {} = select i1 {}.is, i64 {}.in, i64 {}{}\n", call.result, name, name,
                      call.beyond, call.metadata);
  return text;
}

}  // namespace

bool TakesAnyDimension(std::span<const Word> words) {
  constexpr std::size_t kHeader = 5;
  std::unordered_set<Word> variables, vectors;
  for (std::size_t at = kHeader; at < words.size();) {
    const std::size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) return false;
    const auto word = [&](std::size_t i) { return i < count ? words[at + i] : 0; };
    switch (OpcodeOf(words[at])) {
      case Op::kDecorate:
        if (word(2) == static_cast<Word>(Decoration::kBuiltIn)) variables.insert(word(1));
        break;
      case Op::kLoad:
        if (variables.contains(word(3))) vectors.insert(word(2));
        break;
      case Op::kVectorExtractDynamic:
        if (vectors.contains(word(3))) return true;
        break;
      case Op::kCompositeExtract:
        if (vectors.contains(word(3)) && word(4) >= kDimensions) return true;
        break;
      default:
        break;
    }
    at += count;
  }
  return false;
}

std::string WithGuardedDimensions(std::string_view ir) {
  std::string text;
  text.reserve(ir.size());
  std::size_t guarded = 0;
  while (!ir.empty()) {
    const std::string_view line = TakeLine(&ir);
    const auto call = ReadCall(line);
    const bool is_there =
        call && (call->dimension == "0" || call->dimension == "1" || call->dimension == "2");
    text += call && !is_there ? Guarded(*call, guarded++) : std::string(line);
  }
  return text;
}

}  // namespace assay::frontend
