// The lossless form of results.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "oracle/campaign/results_json.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Bits;
using numerics::Operation;

double NumberFrom(const Json& json) {
  if (json.is_string()) return std::numeric_limits<double>::infinity();
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  return json.get<double>();
}

Json SightingToCheckpoint(const Sighting& s) {
  return Json::array({s.item, s.width, s.lane, s.result, s.args, s.observed, s.expected,
                      NumberToJson(s.ulp), static_cast<int>(s.rule), s.lanes, s.before,
                      s.refused_by});
}

// Throws as nlohmann::json does; the callers catch.
template <typename Enum>
Enum EnumeratorFrom(const Json& json, Enum last) {
  const int value = json.get<int>();
  if (value < 0 || value > static_cast<int>(last)) {
    throw std::out_of_range(fmt::format("{} is no value of its field", value));
  }
  return static_cast<Enum>(value);
}

Sighting SightingFromCheckpoint(const Json& json) {
  return {.item = json.at(0),
          .width = json.at(1),
          .lane = json.at(2),
          .result = json.at(3),
          .args = json.at(4).get<std::vector<Bits>>(),
          .lanes = json.at(9).get<std::vector<std::vector<Bits>>>(),
          .observed = json.at(5),
          .expected = json.at(6),
          .before = json.at(10),
          .ulp = NumberFrom(json.at(7)),
          .rule = EnumeratorFrom(json.at(8), kLastRule),
          .refused_by = json.at(11)};
}

Json ToCheckpoint(const SearchResult& search) {
  Json json{search.evaluations, search.boxes, search.excluded, search.excluded_share,
            search.complete};
  if (search.has_worst) json.push_back(SightingToCheckpoint(search.worst));
  return json;
}

SearchResult SearchFromCheckpoint(const Json& json) {
  SearchResult search{.evaluations = json.at(0),
                      .boxes = json.at(1),
                      .excluded = json.at(2),
                      .excluded_share = json.at(3),
                      .has_worst = json.size() > 5,
                      .worst = {},
                      .complete = json.at(4)};
  if (search.has_worst) search.worst = SightingFromCheckpoint(json.at(5));
  return search;
}

Json LeadsToJson(const std::vector<Lead>& leads) {
  Json list = Json::array();
  for (const Lead& lead : leads) list.push_back({lead.args, lead.ulp});
  return list;
}

std::vector<Lead> LeadsFromJson(const Json& json) {
  std::vector<Lead> leads;
  for (const Json& entry : json) {
    leads.push_back({.args = entry.at(0).get<std::vector<Bits>>(), .ulp = entry.at(1)});
  }
  return leads;
}

std::vector<LostWidth> LostFromJson(const Json& json) {
  if (!json.is_array()) throw std::invalid_argument("'lost' is no list of widths");
  std::vector<LostWidth> list;
  for (const Json& entry : json) {
    list.push_back({.width = entry.at("width"),
                    .first_item = entry.at("first_item"),
                    .items = entry.at("items"),
                    .message = entry.at("message")});
  }
  return list;
}

}  // namespace

Json ToCheckpoint(const Statistics& s) {
  Json recorded = Json::array();
  for (const Sighting& sighting : s.recorded) recorded.push_back(SightingToCheckpoint(sighting));
  Json by_width = Json::array();
  for (const auto& [width, count] : s.failures_by_width) by_width.push_back({width, count});
  Json json{{"inputs", s.inputs},      {"answers", s.answers}, {"over", s.over},
            {"flushed", s.flushed},    {"derived", s.derived}, {"failures", s.failures},
            {"recorded", recorded},    {"by_width", by_width}, {"binades", ToJson(s.binades)},
            {"plane", ToJson(s.plane)}};
  if (s.has_worst) json["worst"] = SightingToCheckpoint(s.worst);
  json["asked_again"] = s.asked_again;
  json["not_deterministic"] = s.not_deterministic;
  if (!s.unstable.empty()) json["unstable"] = SightingToCheckpoint(s.unstable.front());
  if (s.has_worst_allowed) json["worst_allowed"] = SightingToCheckpoint(s.worst_allowed);
  for (const ReadingStatistics& reading : s.readings) {
    Json entry{{"failures", reading.failures}};
    if (reading.has_first) entry["first"] = SightingToCheckpoint(reading.first);
    json["readings"].push_back(std::move(entry));
  }
  return json;
}

Expected<Statistics> StatisticsFromCheckpoint(const Json& json) {
  try {
    Statistics s;
    s.inputs = json.at("inputs");
    s.answers = json.at("answers");
    s.over = json.at("over").get<decltype(s.over)>();
    s.flushed = json.at("flushed");
    s.derived = json.at("derived");
    s.failures = json.at("failures");
    for (const Json& entry : json.at("recorded")) {
      s.recorded.push_back(SightingFromCheckpoint(entry));
    }
    for (const Json& entry : json.at("by_width")) {
      s.failures_by_width[entry.at(0).get<int>()] = entry.at(1);
    }
    s.binades = BinadesFromJson(json.at("binades"));
    s.plane = PlaneFromJson(json.at("plane"));
    if (json.contains("worst")) s.OfferWorst(SightingFromCheckpoint(json.at("worst")));
    s.asked_again = json.at("asked_again");
    s.not_deterministic = json.at("not_deterministic");
    if (json.contains("unstable")) {
      s.unstable.push_back(SightingFromCheckpoint(json.at("unstable")));
    }
    if (json.contains("worst_allowed")) {
      s.OfferWorstAllowed(SightingFromCheckpoint(json.at("worst_allowed")));
    }
    for (std::size_t r = 0; r < kReadingCount; ++r) {
      const Json& entry = json.at("readings").at(r);
      s.readings[r].failures = entry.at("failures");
      s.readings[r].has_first = entry.contains("first");
      if (s.readings[r].has_first) s.readings[r].first = SightingFromCheckpoint(entry.at("first"));
    }
    return s;
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kUsage, error.what());
  }
}

Json ToCheckpoint(const SweepProgress& progress) {
  return {{"next_item", progress.next_item},
          {"lost", LostToJson(progress.lost)},
          {"notes", progress.notes},
          {"leads", LeadsToJson(progress.leads)},
          {"statistics", ToCheckpoint(progress.statistics)}};
}

Expected<SweepProgress> ProgressFromCheckpoint(const Json& json) {
  try {
    SweepProgress progress;
    progress.next_item = json.at("next_item");
    progress.lost = LostFromJson(json.at("lost"));
    progress.notes = json.at("notes").get<std::vector<std::string>>();
    progress.leads = LeadsFromJson(json.at("leads"));
    Expected<Statistics> statistics = StatisticsFromCheckpoint(json.at("statistics"));
    if (!statistics) return tl::unexpected<Error>(statistics.error());
    progress.statistics = std::move(*statistics);
    return progress;
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kUsage, error.what());
  }
}

Json ToCheckpoint(const FunctionResult& result) {
  Json json{{"function", result.operation.Name()},
            {"format", result.operation.FormatName()},
            {"limit", result.limit},
            {"citation", result.citation},
            {"verdict", static_cast<int>(result.verdict)},
            {"message", result.message},
            {"exhaustive", result.exhaustive},
            {"lost", LostToJson(result.lost)},
            {"notes", result.notes},
            {"statistics", ToCheckpoint(result.statistics)}};
  if (result.search) json["search"] = ToCheckpoint(*result.search);
  if (const auto& part = result.part) {
    json["part"] = {part->asked, part->ran, part->complete, part->refuted, part->enumerates};
  }
  return json;
}

Expected<FunctionResult> ResultFromCheckpoint(const Json& json) {
  try {
    Expected<Operation> operation = numerics::OperationFromName(
        json.at("function").get<std::string>(), json.at("format").get<std::string>());
    if (!operation) return tl::unexpected<Error>(operation.error());
    Expected<Statistics> statistics = StatisticsFromCheckpoint(json.at("statistics"));
    if (!statistics) return tl::unexpected<Error>(statistics.error());
    FunctionResult result;
    result.operation = *operation;
    result.limit = json.at("limit");
    result.citation = json.at("citation");
    result.verdict = EnumeratorFrom(json.at("verdict"), Verdict::kNotMeasured);
    result.message = json.at("message");
    result.exhaustive = json.at("exhaustive");
    result.lost = LostFromJson(json.at("lost"));
    result.notes = json.at("notes").get<std::vector<std::string>>();
    result.statistics = std::move(*statistics);
    if (json.contains("search")) result.search = SearchFromCheckpoint(json["search"]);
    if (json.contains("part")) {
      const Json& part = json["part"];
      result.part = PartState{.asked = part.at(0),
                              .ran = part.at(1),
                              .complete = part.at(2),
                              .refuted = part.at(3),
                              .enumerates = part.at(4)};
    }
    return result;
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kUsage, error.what());
  }
}

}  // namespace assay::oracle
