#include "tools/assay/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "base/file.h"
#include "base/json_text.h"
#include "base/sealed_text.h"
#include "numerics/literal.h"
#include "oracle/devices/identity.h"

namespace assay::tools {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Coverage;
using numerics::Exact;
using numerics::Format;
using numerics::ResultKind;

constexpr std::pair<Coverage, std::string_view> kCoverages[] = {
    {Coverage::kNone, "none"},
    {Coverage::kSampled, "sampled"},
    {Coverage::kExhaustive, "exhaustive"}};

constexpr std::pair<ResultKind, std::string_view> kKinds[] = {
    {ResultKind::kFinite, "finite"},
    {ResultKind::kInfinite, "infinite"},
    {ResultKind::kNan, "nan"},
    {ResultKind::kInteger, "integer"},
    {ResultKind::kUnspecified, "unspecified"}};

template <typename T, std::size_t kCount>
T FromName(const std::pair<T, std::string_view> (&names)[kCount], const std::string& name) {
  for (const auto& [value, text] : names) {
    if (text == name) return value;
  }
  throw std::invalid_argument("unknown word '" + name + "'");
}

template <typename T, std::size_t kCount>
std::string_view ToName(const std::pair<T, std::string_view> (&names)[kCount], T value) {
  for (const auto& [named, text] : names) {
    if (named == value) return text;
  }
  return "";
}

Json ExactToJson(Format format, const Exact& exact) {
  return {{"kind", ToName(kKinds, exact.kind)},
          {"below", numerics::FormatBits(format, exact.below)},
          {"fraction", exact.fraction},
          {"prescribed", exact.prescribed}};
}

numerics::Bits ParseBits(const std::string& text) { return std::stoull(text, nullptr, 16); }

Exact ExactFromJson(const Json& json) {
  return {.below = ParseBits(json.at("below").get<std::string>()),
          .fraction = json.at("fraction").get<double>(),
          .kind = FromName(kKinds, json.at("kind").get<std::string>()),
          .prescribed = json.at("prescribed").get<bool>()};
}

std::vector<std::string> HexTexts(const std::vector<numerics::Bits>& list) {
  std::vector<std::string> texts;
  for (numerics::Bits bits : list) texts.push_back(fmt::format("0x{:x}", bits));
  return texts;
}

std::string DescribeExact(Format format, const Exact& exact) {
  if (exact.kind != ResultKind::kFinite) return std::string(ToName(kKinds, exact.kind));
  return fmt::format("{} + {:.17g} gaps{}", numerics::FormatBits(format, exact.below),
                     exact.fraction, exact.prescribed ? " (prescribed)" : "");
}

Certified Parse(const Json& json) {
  Certified certified;
  const auto function = numerics::FunctionFromName(json.at("function").get<std::string>());
  const auto format = numerics::FormatFromName(json.at("format").get<std::string>());
  if (!function || !format) throw std::invalid_argument("unknown function or format");
  certified.function = *function;
  certified.format = *format;
  certified.coverage = FromName(kCoverages, json.at("coverage").get<std::string>());
  certified.operands = json.at("operands").get<std::string>();
  certified.items = json.at("items").get<std::uint64_t>();
  certified.next_item = json.at("next_item").get<std::uint64_t>();
  numerics::CertifyStatistics& statistics = certified.statistics;
  statistics.compared = json.at("compared").get<std::uint64_t>();
  // Records before there was interpolation have none of it.
  statistics.interpolated = json.value("interpolated", std::uint64_t{0});
  statistics.fallbacks = json.at("fallbacks").get<std::uint64_t>();
  statistics.special = json.at("special").get<std::uint64_t>();
  statistics.differences = json.at("differences").get<std::uint64_t>();
  statistics.max_fraction_error = json.at("max_fraction_error").get<double>();
  statistics.nearest = json.at("nearest").get<double>();
  if (json.contains("first_difference")) {
    const Json& first = json["first_difference"];
    numerics::Difference difference{.item = first.at("item").get<std::uint64_t>(),
                                    .args = {},
                                    .fast = ExactFromJson(first.at("fast")),
                                    .truth = ExactFromJson(first.at("truth"))};
    for (const Json& arg : first.at("args")) {
      difference.args.push_back(ParseBits(arg.get<std::string>()));
    }
    statistics.first = difference;
  }
  return certified;
}

}  // namespace

std::string_view CoverageName(Coverage coverage) { return ToName(kCoverages, coverage); }

Json CertifiedToJson(const Certified& certified) {
  const numerics::CertifyStatistics& statistics = certified.statistics;
  Json json{{"function", numerics::Info(certified.function).name},
            {"format", numerics::Traits(certified.format).name},
            {"coverage", CoverageName(certified.coverage)},
            {"operands", certified.operands},
            {"items", certified.items},
            {"next_item", certified.next_item},
            {"compared", statistics.compared},
            {"interpolated", statistics.interpolated},
            {"fallbacks", statistics.fallbacks},
            {"special", statistics.special},
            {"differences", statistics.differences},
            {"max_fraction_error", statistics.max_fraction_error},
            {"nearest", statistics.nearest},
            {"verdict", !certified.IsFinished()   ? "not finished"
                        : certified.IsCertified() ? "certified"
                                                  : "not certified"}};
  if (statistics.first) {
    json["first_difference"] = {{"item", statistics.first->item},
                                {"args", HexTexts(statistics.first->args)},
                                {"fast", ExactToJson(certified.format, statistics.first->fast)},
                                {"truth", ExactToJson(certified.format, statistics.first->truth)}};
  }
  return json;
}

Expected<Certified> CertifiedFromJson(const Json& json) {
  try {
    return Parse(json);
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kUsage, error.what());
  }
}

std::string DescribeDifference(const Certified& certified) {
  const numerics::Difference& first = *certified.statistics.first;
  std::string args;
  for (const std::string& text : HexTexts(first.args)) args += (args.empty() ? "" : ", ") + text;
  return fmt::format("{}({}): fast path {}, MPFR {}", numerics::Info(certified.function).name, args,
                     DescribeExact(certified.format, first.fast),
                     DescribeExact(certified.format, first.truth));
}

Json KeyToJson(const CertifyKey& key) {
  const numerics::CertifyOptions& options = key.options;
  Json json{{"truth", key.truth},
            {"roundings", {"rte", "rtz", "rtp", "rtn"}},
            {"fraction_tolerance", numerics::FractionTolerance(Format::kFloat)}};
  const bool doubles = std::any_of(key.tasks.begin(), key.tasks.end(), [](const std::string& task) {
    return task.ends_with(" double");
  });
  if (doubles) json["fraction_tolerance_double"] = numerics::FractionTolerance(Format::kDouble);
  json.update(Json{{"samples", options.samples},
                   {"seed", options.seed},
                   {"exhaustive", options.exhaustive},
                   {"from", options.from},
                   {"to", options.to},
                   {"stride", options.stride},
                   {"tasks", key.tasks}});
  if (options.searched) json["searched"] = *options.searched;
  return json;
}

Json CertifyFile(const CertifyKey& key, const std::vector<Certified>& results) {
  Json list = Json::array();
  for (const Certified& certified : results) list.push_back(CertifiedToJson(certified));
  return {{"schema", kCertificateSchema}, {"run", KeyToJson(key)}, {"results", list}};
}

namespace {

Json CheckpointKey(const CertifyKey& key) {
  return {{"assay", oracle::IdentityOfAssay().value}, {"run", KeyToJson(key)}};
}

constexpr std::string_view kKey = "key";
constexpr std::string_view kResult = "result";

tl::unexpected<Error> Damaged(const std::string& path, const std::string& why) {
  return Fail(ErrorKind::kUsage,
              fmt::format("'{}' is not a whole record of `assay certify` ({}); remove it and "
                          "start anew",
                          path, why));
}

}  // namespace

Expected<std::vector<Certified>> ReadCertifyFile(const std::string& path) {
  const Expected<std::string> text = base::ReadWholeFile(path);
  if (!text) return tl::unexpected<Error>(text.error());
  const Json json = base::ParseJson(*text);
  if (json.is_discarded() || !json.is_object()) return Damaged(path, "no JSON object");
  if (!json.contains("schema") || json["schema"] != kCertificateSchema) {
    return Damaged(path, "another schema");
  }
  if (!json.contains("run") || !json.contains("results")) {
    return Damaged(path, "fields are missing");
  }
  std::vector<Certified> results;
  for (const Json& entry : json["results"]) {
    Expected<Certified> certified = CertifiedFromJson(entry);
    if (!certified) return Damaged(path, certified.error().message);
    results.push_back(std::move(*certified));
  }
  return results;
}

std::string CertifyCheckpoint(const CertifyKey& key, const std::vector<Certified>& results) {
  base::SealedText text(kCertifyCheckpointSchema);
  text.Add(kKey, base::JsonText(CheckpointKey(key)));
  for (const Certified& certified : results) {
    text.Add(kResult, base::JsonText(CertifiedToJson(certified)));
  }
  return text.Whole();
}

Expected<std::vector<Certified>> ReadCertifyCheckpoint(const std::string& path,
                                                       const CertifyKey& key) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("cannot read '{}'; to start anew leave --resume out", path));
  }
  const Expected<std::string> text = base::ReadWholeFile(path);
  if (!text) return tl::unexpected<Error>(text.error());
  const auto records = base::ReadSealedText(*text, kCertifyCheckpointSchema);
  if (!records) return Damaged(path, records.error().message);
  if (records->empty() || records->front().kind != kKey) return Damaged(path, "line 2: no key");
  const Json mine = CheckpointKey(key), theirs = base::ParseJson(records->front().text);
  if (theirs != mine) {
    const bool same_run =
        theirs.is_object() && theirs.contains("run") && theirs["run"] == mine["run"];
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' belongs to {}; give the same ones, or another --checkpoint", path,
                            same_run ? "another build of assay"
                                     : "a run with other functions, options or libraries"));
  }
  std::vector<Certified> results;
  for (const base::SealedRecord& record : std::span(*records).subspan(1)) {
    const Json json = base::ParseJson(record.text);
    Expected<Certified> certified = CertifiedFromJson(json);
    if (!certified || record.kind != kResult) return Damaged(path, "a record is none of a result");
    results.push_back(std::move(*certified));
  }
  return results;
}

}  // namespace assay::tools
