#include "oracle/golden/file.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "numerics/literal.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

using numerics::Operation;
using numerics::ScalarType;
using Json = nlohmann::ordered_json;

constexpr std::size_t kDigits = 64;  // of a digest in hexadecimal

struct Encoding {
  std::string_view name, extension;
  // Around the digest in the last line; nothing: binary.
  std::string_view before, after;
};
constexpr Encoding kEncodings[] = {{"json", "json", "\"sha256\": \"", "\"}\n"},
                                   {"binary", "bin", "", ""},
                                   {"csv", "csv", "# sha256: ", "\n"},
                                   {"testfloat", "txt", "# sha256: ", "\n"},
                                   {"header", "h", "/* sha256: ", " */\n"}};

const Encoding& Of(GoldenEncoding encoding) { return kEncodings[static_cast<int>(encoding)]; }

std::string RawDigest(const std::string& hexadecimal) {
  std::string raw;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    raw += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  }
  return raw;
}

// The last line, its newline included.
std::string_view LastLine(std::string_view content) {
  if (content.empty()) return content;
  const std::size_t newline = content.rfind('\n', content.size() - 2);
  return newline == std::string_view::npos ? content : content.substr(newline + 1);
}

GoldenEncoding Detect(std::string_view content) {
  if (content.starts_with(kBinaryMagic)) return GoldenEncoding::kBinary;
  if (content.starts_with("{")) return GoldenEncoding::kJson;
  if (content.starts_with("/*")) return GoldenEncoding::kHeader;
  const std::size_t second = content.find('\n');
  const bool csv =
      second != std::string_view::npos && content.substr(second + 1).starts_with("arg");
  return csv ? GoldenEncoding::kCsv : GoldenEncoding::kTestFloat;
}

Json TypesToJson(const std::vector<ScalarType>& types) {
  Json list = Json::array();
  for (ScalarType type : types) list.push_back(numerics::ScalarTypeName(type));
  return list;
}

}  // namespace

std::string_view EncodingName(GoldenEncoding encoding) { return Of(encoding).name; }

std::optional<GoldenEncoding> EncodingFromName(std::string_view name) {
  for (GoldenEncoding encoding : kGoldenEncodings) {
    if (EncodingName(encoding) == name) return encoding;
  }
  return std::nullopt;
}

std::string GoldenFileName(const GoldenHead& head, GoldenEncoding encoding) {
  return fmt::format("{}.{}.{}.{}", head.operation.Name(), head.operation.FormatName(),
                     numerics::RoundingName(head.rounding), Of(encoding).extension);
}

Json LimitsToJson(const Operation& operation, numerics::Rounding rounding) {
  Json limits = Json::object();
  for (GoldenProfile profile : kGoldenProfiles) {
    const GoldenLimit limit = LimitOf(operation, profile, rounding);
    Json& entry = limits[std::string(GoldenProfileName(profile))];
    if (!limit.exists) continue;  // null
    entry = {{"limit", limit.text},
             {"clause", limit.clause},
             {"other_computations", limit.other_computations},
             {"flushing", limit.flushing}};
  }
  return limits;
}

Json HeadToJson(const GoldenHead& head, std::size_t count) {
  return {{"schema", kGoldenSchema},
          {"tool", head.tool},
          {"truth", head.truth},
          {"command", head.command},
          {"function", head.operation.Name()},
          {"format", head.operation.FormatName()},
          {"arguments", TypesToJson(head.operation.ArgumentTypes())},
          {"results", TypesToJson(head.operation.ResultTypes())},
          {"rounding", numerics::RoundingName(head.rounding)},
          {"digits", head.digits},
          {"limits", LimitsToJson(head.operation, head.rounding)},
          {"count", count}};
}

Expected<GoldenHead> HeadFromJson(const Json& json) {
  const auto bad = [](const std::string& what) {
    return Fail(ErrorKind::kUsage, "the head of the file: " + what);
  };
  try {
    const std::string schema = json.at("schema");
    if (schema != kGoldenSchema) {
      return bad(
          fmt::format("the schema is '{}', and this version reads '{}'", schema, kGoldenSchema));
    }
    Expected<Operation> operation = numerics::OperationFromName(
        json.at("function").get<std::string>(), json.at("format").get<std::string>());
    if (!operation) return bad(operation.error().message);
    const auto rounding = numerics::RoundingFromName(json.at("rounding").get<std::string>());
    if (!rounding) return bad("'rounding' is none of rte, rtz, rtp, rtn");
    // A number that no int holds has no value as one.
    const std::int64_t digits =
        json.at("digits").is_number_integer() ? json.at("digits").get<std::int64_t>() : 0;
    if (digits < 1 || digits > 100000) return bad("'digits' is not between 1 and 100000");
    return GoldenHead{.operation = *operation,
                      .rounding = *rounding,
                      .digits = static_cast<int>(digits),
                      .tool = json.at("tool"),
                      .truth = json.at("truth"),
                      .command = json.at("command")};
  } catch (const nlohmann::json::exception& error) {
    return bad(error.what());
  }
}

std::string_view ResultKindName(numerics::ResultKind kind) {
  constexpr std::string_view kNames[] = {"number", "infinity", "nan", "integer", "unspecified"};
  return kNames[static_cast<int>(kind)];
}

std::string HardnessText(double hardness) {
  return hardness != hardness ? "" : fmt::format("{:.4g}", hardness);
}

bool Lines::Next(std::string_view* line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  *line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  return true;
}

std::string EncodeGolden(const GoldenFile& file, GoldenEncoding encoding) {
  if (encoding == GoldenEncoding::kBinary) {
    std::string content;
    AppendBinary(file, &content);
    return Sealed(std::move(content), encoding);
  }
  fmt::memory_buffer out;
  switch (encoding) {
    case GoldenEncoding::kJson:
      AppendJson(file, out);
      break;
    case GoldenEncoding::kCsv:
      AppendCsv(file, out);
      break;
    case GoldenEncoding::kTestFloat:
      AppendTestFloat(file, out);
      break;
    case GoldenEncoding::kHeader:
      AppendHeader(file, out);
      break;
    case GoldenEncoding::kBinary:
      break;
  }
  return Sealed(fmt::to_string(out), encoding);
}

std::string Sealed(std::string content, GoldenEncoding encoding) {
  const std::string digest = base::Sha256(content);
  if (encoding == GoldenEncoding::kBinary) return content + RawDigest(digest);
  content += Of(encoding).before;
  content += digest;
  content += Of(encoding).after;
  return content;
}

Expected<bool> IsIntact(const std::string& name, std::string_view content) {
  if (content.starts_with(kBinaryMagic)) {
    if (content.size() < kBinaryMagic.size() + kBinaryDigestBytes) {
      return Fail(ErrorKind::kUsage, fmt::format("'{}' is cut short: it has no digest", name));
    }
    const std::string_view body = content.substr(0, content.size() - kBinaryDigestBytes);
    return RawDigest(base::Sha256(body)) == content.substr(body.size());
  }
  const std::string_view last = LastLine(content);
  for (const Encoding& encoding : kEncodings) {
    if (encoding.before.empty() || !last.starts_with(encoding.before) ||
        !last.ends_with(encoding.after) ||
        last.size() != encoding.before.size() + kDigits + encoding.after.size()) {
      continue;
    }
    const std::string_view body = content.substr(0, content.size() - last.size());
    return base::Sha256(body) == last.substr(encoding.before.size(), kDigits);
  }
  return Fail(
      ErrorKind::kUsage,
      fmt::format("'{}' does not end in the SHA-256 of its content: it is no golden file of "
                  "assay, or it was cut short or changed",
                  name));
}

Expected<DecodedGolden> DecodeGolden(const std::string& name, std::string_view content) {
  const GoldenEncoding encoding = Detect(content);
  Expected<GoldenFile> file = encoding == GoldenEncoding::kJson        ? ReadJson(content)
                              : encoding == GoldenEncoding::kBinary    ? ReadBinary(content)
                              : encoding == GoldenEncoding::kCsv       ? ReadCsv(content)
                              : encoding == GoldenEncoding::kTestFloat ? ReadTestFloat(content)
                                                                       : ReadHeader(content);
  if (!file) {
    return Fail(file.error().kind, fmt::format("'{}': {}", name, file.error().message));
  }
  return DecodedGolden{.encoding = encoding, .file = std::move(*file)};
}

std::string DescribeDifference(GoldenEncoding encoding, std::string_view content,
                               std::string_view derived) {
  if (encoding == GoldenEncoding::kBinary) {
    const auto [at, unused] =
        std::mismatch(content.begin(), content.end(), derived.begin(), derived.end());
    return fmt::format("byte {}", std::distance(content.begin(), at));
  }
  Lines ours(derived), theirs(content);
  std::string_view expected, found;
  for (;;) {
    const bool more = ours.Next(&expected);
    if (!theirs.Next(&found)) {
      return fmt::format("line {} is missing", ours.number());
    }
    if (!more) return fmt::format("line {} is one too many", theirs.number());
    if (expected != found) break;
  }
  return fmt::format("line {}\n  in the file: {}\n  as derived:  {}", theirs.number(), found,
                     expected);
}

}  // namespace assay::oracle
