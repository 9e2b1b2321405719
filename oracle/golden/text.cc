// Golden vectors as lines: CSV with a header row, and TestFloat's operands, result and flags.  The
// head stands in the first line, as a comment.

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "numerics/literal.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::FormatBits;
using numerics::ScalarType;
using Json = nlohmann::ordered_json;

constexpr std::string_view kComment = "# ";

void AppendHeadLine(const GoldenFile& file, std::size_t count, fmt::memory_buffer& out) {
  fmt::format_to(std::back_inserter(out), "{}{}\n", kComment,
                 base::JsonText(HeadToJson(file.head, count)));
}

Expected<GoldenFile> ReadHeadLine(Lines& lines) {
  std::string_view line;
  if (!lines.Next(&line) || !line.starts_with(kComment)) {
    return Fail(ErrorKind::kUsage, "line 1 is not the head, a comment with JSON");
  }
  const Json json = base::ParseJson(line.substr(kComment.size()));
  if (json.is_discarded() || !json.is_object()) {
    return Fail(ErrorKind::kUsage, "line 1: the head is not JSON");
  }
  Expected<GoldenHead> head = HeadFromJson(json);
  if (!head) return tl::unexpected<Error>(head.error());
  return GoldenFile{.head = *head, .vectors = {}};
}

Expected<void> AppendVector(const std::vector<std::string>& args, std::string reason,
                            std::size_t line, GoldenFile* file) {
  Expected<std::vector<Bits>> bits = numerics::ParseOperands(file->head.operation, args);
  if (!bits) {
    return Fail(ErrorKind::kUsage, fmt::format("line {}: {}", line, bits.error().message));
  }
  file->vectors.push_back({.args = *bits, .reason = std::move(reason), .results = {}});
  return {};
}

// "low..high", "a|b", "low7:a", "nan", "any", "".
std::string AcceptedText(const Accepted& accepted, ScalarType type) {
  switch (accepted.kind) {
    case Accepted::Kind::kNoLimit:
      return "";
    case Accepted::Kind::kAnything:
      return "any";
    case Accepted::Kind::kNan:
      return "nan";
    case Accepted::Kind::kRange:
      return fmt::format("{}..{}", FormatBits(type, accepted.low), FormatBits(type, accepted.high));
    case Accepted::Kind::kIntegers:
      return accepted.low == accepted.high ? FormatBits(type, accepted.low)
                                           : fmt::format("{}|{}", FormatBits(type, accepted.low),
                                                         FormatBits(type, accepted.high));
    case Accepted::Kind::kLowSevenBits:
      return "low7:" + FormatBits(type, accepted.low);
  }
  return "";
}

bool IsSpecified(const GoldenVector& vector) {
  for (const GoldenResult& result : vector.results) {
    if (result.kind == numerics::ResultKind::kUnspecified) return false;
  }
  return true;
}

// TestFloat writes bits without a prefix.
std::string BareBits(ScalarType type, Bits bits) { return FormatBits(type, bits).substr(2); }

}  // namespace

void AppendCsv(const GoldenFile& file, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  const std::vector<ScalarType> arguments = file.head.operation.ArgumentTypes();
  const std::vector<ScalarType> results = file.head.operation.ResultTypes();
  AppendHeadLine(file, file.vectors.size(), out);
  for (std::size_t i = 0; i < arguments.size(); ++i) fmt::format_to(to, "arg{},", i);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const std::string prefix = results.size() == 1 ? "" : fmt::format("result{}_", r);
    for (const std::string_view column : {"kind", "expected", "exact", "hardness"}) {
      fmt::format_to(to, "{}{},", prefix, column);
    }
    for (GoldenProfile profile : kGoldenProfiles) {
      fmt::format_to(to, "{}{},", prefix, GoldenProfileName(profile));
    }
  }
  fmt::format_to(to, "reason\n");
  for (const GoldenVector& vector : file.vectors) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      fmt::format_to(to, "{},", FormatBits(arguments[i], vector.args[i]));
    }
    for (std::size_t r = 0; r < results.size(); ++r) {
      const GoldenResult& result = vector.results[r];
      const bool specified = result.kind != numerics::ResultKind::kUnspecified;
      fmt::format_to(to, "{},{},{},{},", ResultKindName(result.kind),
                     specified ? FormatBits(results[r], result.expected) : "", result.exact,
                     HardnessText(result.hardness));
      for (const Accepted& accepted : result.accepted) {
        fmt::format_to(to, "{},", AcceptedText(accepted, results[r]));
      }
    }
    fmt::format_to(to, "{}\n", vector.reason);
  }
}

Expected<GoldenFile> ReadCsv(std::string_view content) {
  Lines lines(content);
  Expected<GoldenFile> file = ReadHeadLine(lines);
  if (!file) return file;
  std::string_view line;
  lines.Next(&line);  // the names of the columns
  const auto arguments = static_cast<std::size_t>(file->head.operation.ArgumentCount());
  while (lines.Next(&line)) {
    if (line.starts_with(kComment)) continue;
    std::vector<std::string> fields = numerics::SplitAtCommas(line);
    std::string reason = fields.back();
    fields.resize(std::min(fields.size(), arguments));
    if (auto added = AppendVector(fields, reason, lines.number(), &*file); !added) {
      return tl::unexpected<Error>(added.error());
    }
  }
  return file;
}

void AppendTestFloat(const GoldenFile& file, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  const std::vector<ScalarType> arguments = file.head.operation.ArgumentTypes();
  const std::vector<ScalarType> results = file.head.operation.ResultTypes();
  const auto count = static_cast<std::size_t>(std::ranges::count_if(file.vectors, IsSpecified));
  AppendHeadLine(file, count, out);
  for (const GoldenVector& vector : file.vectors) {
    if (!IsSpecified(vector)) continue;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      fmt::format_to(to, "{} ", BareBits(arguments[i], vector.args[i]));
    }
    unsigned flags = 0;
    for (std::size_t r = 0; r < results.size(); ++r) {
      fmt::format_to(to, "{} ", BareBits(results[r], vector.results[r].expected));
      flags |=
          ExceptionFlags(file.head.operation, vector.args, static_cast<int>(r), file.head.rounding);
    }
    fmt::format_to(to, "{:02x}\n", flags);
  }
}

Expected<GoldenFile> ReadTestFloat(std::string_view content) {
  Lines lines(content);
  Expected<GoldenFile> file = ReadHeadLine(lines);
  if (!file) return file;
  const auto arguments = static_cast<std::size_t>(file->head.operation.ArgumentCount());
  std::string_view line;
  while (lines.Next(&line)) {
    if (line.starts_with(kComment)) continue;
    std::vector<std::string> args;
    while (args.size() < arguments && !line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      args.push_back("0x" + std::string(line.substr(0, end)));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    if (auto added = AppendVector(args, "", lines.number(), &*file); !added) {
      return tl::unexpected<Error>(added.error());
    }
  }
  return file;
}

}  // namespace assay::oracle
