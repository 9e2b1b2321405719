// Golden vectors as a header for unit tests in C99 and C++: an array, and a function that says
// whether an answer is accepted.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "numerics/literal.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

using numerics::FormatBits;
using numerics::ScalarType;
using Json = nlohmann::ordered_json;

// Of all headers together, whichever comes first.
constexpr std::string_view kShared = R"(#ifndef ASSAY_GOLDEN_H
#define ASSAY_GOLDEN_H

/* Which answers conform, of a device that keeps subnormals.  The head above says where other
   computations and flushing may add some. */
enum assay_golden_kind {
  ASSAY_GOLDEN_NO_LIMIT,       /* the operation does not exist in this profile */
  ASSAY_GOLDEN_ANYTHING,
  ASSAY_GOLDEN_NAN,            /* any NaN */
  ASSAY_GOLDEN_RANGE,          /* low to high in the order -inf .. -0, +0 .. +inf */
  ASSAY_GOLDEN_INTEGERS,       /* low or high */
  ASSAY_GOLDEN_LOW_SEVEN_BITS  /* the sign and the low seven bits of low's magnitude */
};
enum assay_golden_profile {
  ASSAY_GOLDEN_FULL,
  ASSAY_GOLDEN_EMBEDDED,
  ASSAY_GOLDEN_RELAXED /* -cl-fast-relaxed-math */
};
struct assay_golden_accepted {
  uint8_t kind;
  uint64_t low, high;
};

static inline int64_t assay_golden_order(uint64_t bits, int width) {
  const uint64_t sign = (uint64_t)1 << (width - 1);
  const int64_t magnitude = (int64_t)(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude - 1 : magnitude;
}

/* `width`: bits of the type; `infinity`: its bits, 0 for an integer type. */
static inline int assay_golden_accepts(struct assay_golden_accepted accepted, uint64_t observed,
                                       int width, uint64_t infinity) {
  const uint64_t sign = (uint64_t)1 << (width - 1);
  const int is_nan = infinity != 0 && (observed & (sign - 1)) > infinity;
  switch (accepted.kind) {
    case ASSAY_GOLDEN_NAN:
      return is_nan;
    case ASSAY_GOLDEN_RANGE:
      return !is_nan &&
             assay_golden_order(accepted.low, width) <= assay_golden_order(observed, width) &&
             assay_golden_order(observed, width) <= assay_golden_order(accepted.high, width);
    case ASSAY_GOLDEN_INTEGERS:
      return observed == accepted.low || observed == accepted.high;
    case ASSAY_GOLDEN_LOW_SEVEN_BITS: {
      const int32_t want = (int32_t)(uint32_t)accepted.low;
      const int32_t have = (int32_t)(uint32_t)observed;
      const int64_t magnitude = have < 0 ? -(int64_t)have : have;
      return (want == 0 || have == 0 || (want < 0) == (have < 0)) &&
             (magnitude & 127) == (want < 0 ? -(int64_t)want : want);
    }
    default:
      return 1;
  }
}

#endif

)";

std::string IdentifierOf(const GoldenHead& head) {
  return fmt::format("assay_golden_{}_{}_{}", head.operation.Name(), head.operation.FormatName(),
                     numerics::RoundingName(head.rounding));
}

std::string UpperCase(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// A comment must not end early: JSON may write a slash with a backslash.
std::string CommentSafe(std::string text) {
  for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/", at)) {
    text.replace(at, 2, "*\\/");
  }
  return text;
}

// "{0x3f800000u, ...}"; a suffix that every integer constant has room for.
template <typename BitsOf>
void AppendList(const std::vector<ScalarType>& types, const BitsOf& bits_of,
                fmt::memory_buffer& out) {
  out.push_back('{');
  for (std::size_t i = 0; i < types.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}{}u", i == 0 ? "" : ", ",
                   FormatBits(types[i], bits_of(i)));
  }
  out.push_back('}');
}

void AppendAccepted(const GoldenResult& result, ScalarType type, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  out.push_back('{');
  for (std::size_t p = 0; p < kGoldenProfileCount; ++p) {
    const Accepted& accepted = result.accepted[p];
    const bool has_bounds = accepted.kind >= Accepted::Kind::kRange;
    fmt::format_to(to, "{}{{{}, {}, {}}}", p == 0 ? "" : ", ", static_cast<int>(accepted.kind),
                   has_bounds ? FormatBits(type, accepted.low) + "u" : "0",
                   has_bounds ? FormatBits(type, accepted.high) + "u" : "0");
  }
  out.push_back('}');
}

}  // namespace

void AppendHeader(const GoldenFile& file, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  const std::vector<ScalarType> arguments = file.head.operation.ArgumentTypes();
  const std::vector<ScalarType> results = file.head.operation.ResultTypes();
  const std::string name = IdentifierOf(file.head), guard = UpperCase(name) + "_H";
  fmt::format_to(to, "/* {}\n*/\n",
                 CommentSafe(base::JsonText(HeadToJson(file.head, file.vectors.size()))));
  fmt::format_to(to, "#ifndef {0}\n#define {0}\n\n#include <stddef.h>\n#include <stdint.h>\n\n{1}",
                 guard, kShared);
  fmt::format_to(to,
                 "struct {0}_vector {{\n  uint64_t args[{1}];\n  uint64_t expected[{2}];\n"
                 "  struct assay_golden_accepted accepted[{2}][{3}]; /* by result and profile */\n"
                 "}};\n\nstatic const struct {0}_vector {0}[{4}] = {{\n",
                 name, arguments.size(), results.size(), kGoldenProfileCount, file.vectors.size());
  for (const GoldenVector& vector : file.vectors) {
    out.push_back('{');
    AppendList(
        arguments, [&](std::size_t i) { return vector.args[i]; }, out);
    fmt::format_to(to, ", ");
    AppendList(
        results, [&](std::size_t r) { return vector.results[r].expected; }, out);
    fmt::format_to(to, ", {{");
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (r > 0) fmt::format_to(to, ", ");
      AppendAccepted(vector.results[r], results[r], out);
    }
    fmt::format_to(to, "}}}}, /* {} */\n", vector.reason);
  }
  fmt::format_to(to, "}};\nenum {{ {}_count = {} }};\n\n", name, file.vectors.size());
  fmt::format_to(to,
                 "static inline int {0}_accepts(size_t vector, int result, int profile,\n"
                 "    uint64_t observed) {{\n",
                 name);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const bool floating = numerics::IsFloating(results[r]);
    fmt::format_to(
        to,
        "  if (result == {}) return assay_golden_accepts({}[vector].accepted[{}][profile],\n"
        "      observed, {}, {});\n",
        r, name, r, numerics::WidthOf(results[r]),
        floating ? FormatBits(results[r], numerics::Infinity(FormatOf(results[r]))) + "u" : "0");
  }
  fmt::format_to(to, "  return 0;\n}}\n\n#endif\n");
}

Expected<GoldenFile> ReadHeader(std::string_view content) {
  Lines lines(content);
  std::string_view line;
  if (!lines.Next(&line) || !line.starts_with("/* ")) {
    return Fail(ErrorKind::kUsage, "line 1 is not the head, a comment with JSON");
  }
  const Json json = base::ParseJson(line.substr(3));
  if (json.is_discarded() || !json.is_object()) {
    return Fail(ErrorKind::kUsage, "line 1: the head is not JSON");
  }
  Expected<GoldenHead> head = HeadFromJson(json);
  if (!head) return tl::unexpected<Error>(head.error());
  GoldenFile file{.head = *head, .vectors = {}};
  while (lines.Next(&line)) {
    if (!line.starts_with("{{")) continue;
    const std::size_t end = line.find('}'), comment = line.rfind("/* ");
    std::vector<std::string> args;
    std::string_view list = line.substr(2, end == std::string_view::npos ? 0 : end - 2);
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(", "), list.size());
      std::string_view arg = list.substr(0, comma);
      if (arg.ends_with("u")) arg.remove_suffix(1);
      args.emplace_back(arg);
      list.remove_prefix(std::min(comma + 2, list.size()));
    }
    const auto bits = numerics::ParseOperands(file.head.operation, args);
    if (!bits || comment == std::string_view::npos || !line.ends_with(" */")) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("line {}: {}", lines.number(),
                              bits ? "the reason is missing" : bits.error().message));
    }
    file.vectors.push_back(
        {.args = *bits,
         .reason = std::string(line.substr(comment + 3, line.size() - comment - 6)),
         .results = {}});
  }
  return file;
}

}  // namespace assay::oracle
