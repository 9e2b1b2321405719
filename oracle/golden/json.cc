// Golden vectors as JSON: docs/schemas/assay-golden-1.schema.json.  One vector a line.

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

void AppendAccepted(const Accepted& accepted, ScalarType type, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  switch (accepted.kind) {
    case Accepted::Kind::kNoLimit:
      fmt::format_to(to, "null");
      return;
    case Accepted::Kind::kAnything:
      fmt::format_to(to, R"("any")");
      return;
    case Accepted::Kind::kNan:
      fmt::format_to(to, R"("nan")");
      return;
    case Accepted::Kind::kRange:
      fmt::format_to(to, R"(["{}","{}"])", FormatBits(type, accepted.low),
                     FormatBits(type, accepted.high));
      return;
    case Accepted::Kind::kIntegers:
      fmt::format_to(to, R"({{"values":["{}")", FormatBits(type, accepted.low));
      if (accepted.high != accepted.low) {
        fmt::format_to(to, R"(,"{}")", FormatBits(type, accepted.high));
      }
      fmt::format_to(to, "]}}");
      return;
    case Accepted::Kind::kLowSevenBits:
      fmt::format_to(to, R"({{"low_seven_bits":"{}"}})", FormatBits(type, accepted.low));
      return;
  }
}

}  // namespace

void AppendResult(const GoldenResult& result, ScalarType type, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, R"({{"kind":"{}")", ResultKindName(result.kind));
  if (result.kind != numerics::ResultKind::kUnspecified) {
    fmt::format_to(to, R"(,"expected":"{}","exact":"{}")", FormatBits(type, result.expected),
                   result.exact);
  }
  if (const std::string hardness = HardnessText(result.hardness); !hardness.empty()) {
    fmt::format_to(to, R"(,"hardness":{})", hardness);
  }
  for (GoldenProfile profile : kGoldenProfiles) {
    fmt::format_to(to, R"(,"{}":)", GoldenProfileName(profile));
    AppendAccepted(result.accepted[static_cast<std::size_t>(profile)], type, out);
  }
  fmt::format_to(to, "}}");
}

void AppendJson(const GoldenFile& file, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  const std::vector<ScalarType> arguments = file.head.operation.ArgumentTypes();
  const std::vector<ScalarType> results = file.head.operation.ResultTypes();
  const std::string head = base::JsonText(HeadToJson(file.head, file.vectors.size()), 1);
  out.append(std::string_view(head).substr(0, head.size() - 2));  // without "\n}"
  fmt::format_to(to, ",\n \"vectors\": [");
  for (std::size_t v = 0; v < file.vectors.size(); ++v) {
    const GoldenVector& vector = file.vectors[v];
    fmt::format_to(to, "{}\n{{\"args\":[", v == 0 ? "" : ",");
    for (std::size_t i = 0; i < vector.args.size(); ++i) {
      fmt::format_to(to, R"({}"{}")", i == 0 ? "" : ",", FormatBits(arguments[i], vector.args[i]));
    }
    fmt::format_to(to, R"(],"reason":"{}","results":[)", vector.reason);
    for (std::size_t r = 0; r < vector.results.size(); ++r) {
      if (r > 0) out.push_back(',');
      AppendResult(vector.results[r], results[r], out);
    }
    fmt::format_to(to, "]}}");
  }
  fmt::format_to(to, "\n],\n");
}

Expected<GoldenFile> ReadJson(std::string_view content) {
  const Json json = base::ParseJson(content);
  if (json.is_discarded() || !json.is_object()) {
    return Fail(ErrorKind::kUsage, "it is not JSON, perhaps truncated");
  }
  Expected<GoldenHead> head = HeadFromJson(json);
  if (!head) return tl::unexpected<Error>(head.error());
  GoldenFile file{.head = *head, .vectors = {}};
  std::size_t number = 0;
  try {
    for (const Json& entry : json.at("vectors")) {
      Expected<std::vector<Bits>> args = numerics::ParseOperands(
          head->operation, entry.at("args").get<std::vector<std::string>>());
      if (!args) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("vectors[{}].args: {}", number, args.error().message));
      }
      file.vectors.push_back({.args = *args, .reason = entry.at("reason"), .results = {}});
      ++number;
    }
  } catch (const nlohmann::json::exception& error) {
    return Fail(ErrorKind::kUsage, fmt::format("vectors[{}]: {}", number, error.what()));
  }
  return file;
}

}  // namespace assay::oracle
