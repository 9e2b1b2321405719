#include "oracle/report/page.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "numerics/literal.h"
#include "oracle/campaign/readings.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/error_steps.h"
#include "oracle/report/profiles.h"
#include "oracle/report/rows.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Operation;
using numerics::ScalarType;

Json UlpToJson(double ulp) {
  if (std::isinf(ulp)) return "inf";
  return std::isnan(ulp) ? Json(nullptr) : Json(ulp);
}

// Lists of texts that many results share, by their place.
class Interned {
 public:
  std::size_t Add(const Json& value) {
    const auto [place, added] = places_.emplace(base::JsonText(value), places_.size());
    if (added) values_.push_back(value);
    return place->second;
  }
  const Json& Values() const { return values_; }

 private:
  std::map<std::string, std::size_t> places_;
  Json values_ = Json::array();
};

// The bits, and what they stand for.
Json BitsToJson(ScalarType type, numerics::Bits bits) {
  const bool floating = numerics::IsFloating(type);
  return {numerics::FormatBits(type, bits),
          floating ? numerics::FormatHexFloat(numerics::FormatOf(type), bits) : "",
          numerics::FormatDecimal(type, bits)};
}

class PageWriter {
 public:
  explicit PageWriter(std::span<const InputReport> reports) : reports_(reports) {}

  Json Rows();
  Json Changed(const Changes& changes);
  const Json& Limits() const { return limits_.Values(); }
  const Json& Rules() const { return rules_.Values(); }

 private:
  // v verdicts under the full and the embedded profile, l limit, u largest error, n inputs,
  // a answers, x exhaustive, o over the thresholds, b binades, p the command that measures them
  // where the report has none, q the plane, w worst, s failures, c their number,
  // i in which widths, k what was searched, m messages, z flushed, d derived, y the worst with
  // these, e [reading, verdict, failures, the first that the report's own reading accepts] of every
  // reading.
  Json Result(const Report& report, const FunctionResult& result);
  Json SightingToJson(const Report& report, const Operation& operation, const Sighting& sighting);
  std::size_t LimitOf(const Report& report, const FunctionResult& result);

  std::span<const InputReport> reports_;
  Interned limits_, rules_;
};

// [operands, observed, expected, ulp, width, lane, result, rule, command]
Json PageWriter::SightingToJson(const Report& report, const Operation& operation,
                                const Sighting& sighting) {
  const std::vector<ScalarType> in = operation.ArgumentTypes();
  const ScalarType out = operation.ResultTypes()[static_cast<std::size_t>(sighting.result)];
  Json args = Json::array();
  for (std::size_t i = 0; i < sighting.args.size(); ++i) {
    args.push_back(BitsToJson(in[i], sighting.args[i]));
  }
  std::string rule = Accepts(sighting.rule) ? "" : ViolationText(operation, sighting);
  if (sighting.refused_by != 0) rule += ", by " + RefusingReadings(sighting.refused_by);
  return {args,
          BitsToJson(out, sighting.observed),
          BitsToJson(out, sighting.expected),
          UlpToJson(sighting.ulp),
          sighting.width,
          sighting.lane,
          sighting.result,
          rules_.Add(rule),
          ReproductionCommand(report.run, operation, sighting)};
}

// [full, its ulp, embedded, its ulp, clause]: the profile that was measured as it was judged then,
// the other one as this assay has it.
std::size_t PageWriter::LimitOf(const Report& report, const FunctionResult& result) {
  const SweepOptions& options = report.run.options;
  Json entry = Json::array();
  for (Profile profile : {Profile::kFull, Profile::kEmbedded}) {
    const Limit* limit = oracle::LimitOf(result.operation, options, profile);
    const std::string text = limit == nullptr ? "" : Describe(*limit, result.operation);
    const bool measured = profile == options.profile && !result.limit.empty();
    entry.push_back(measured ? result.limit : text);
    const std::optional<double> ulp =
        measured ? PlottedLimit(report, result)
                 : PlottedLimit(profile, report.run, report.device, result.operation);
    entry.push_back(ulp ? Json(*ulp) : Json(nullptr));
  }
  entry.push_back(result.citation);
  return limits_.Add(entry);
}

// Three digits; -2 stands for a wrong class.  Whole numbers are without their ".0".
Json ErrorToJson(double error) {
  if (std::isinf(error)) error = -2;
  const double rounded = std::strtod(fmt::format("{:.3g}", error).c_str(), nullptr);
  const bool whole = std::fabs(rounded) < 1e6 && std::trunc(rounded) == rounded;
  return whole ? Json(static_cast<int>(rounded)) : Json(rounded);
}

// The errors of the steps, -1 without inputs, and the widths in which they were seen, 0 where there
// is none; no widths where none is told.
void AppendSteps(const std::vector<ErrorAt>& steps, Json* json) {
  Json errors = Json::array(), widths = Json::array();
  bool told = false;
  for (const ErrorAt& at : steps) {
    errors.push_back(ErrorToJson(at.inputs == 0 ? -1 : at.max_ulp));
    widths.push_back(at.width);
    told = told || at.width > 0;
  }
  json->push_back(std::move(errors));
  json->push_back(told ? std::move(widths) : Json::array());
}

// [first exponent, exponents a step, errors, widths, errors, widths]: of positive and of negative
// operands; of all together, without the last two, where the report does not tell them apart.
Json BinadesToJson(const Binades& binades) {
  if (binades.empty()) return nullptr;
  const ErrorSteps steps = StepsOf(binades, kMaxPlotSteps);
  Json json = {steps.first, steps.step};
  AppendSteps(steps.positive, &json);
  if (steps.IsSigned()) AppendSteps(steps.negative, &json);
  return json;
}

// [[lowest and highest exponent of the first operand], [of the second], [[step, step, error,
// width],
// ...]]
Json PlaneToJson(const Operation& operation, const ErrorPlane& plane) {
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  Json cells = Json::array();
  for (const auto& [steps, at] : plane) {
    cells.push_back({steps.first, steps.second, ErrorToJson(at.max_ulp), at.width});
  }
  const Exponents first = ExponentsOf(types[0]), second = ExponentsOf(types[1]);
  return {{first.low, first.high}, {second.low, second.high}, std::move(cells)};
}

Json PageWriter::Result(const Report& report, const FunctionResult& result) {
  const Statistics& s = result.statistics;
  Json verdicts = Json::array();
  for (Profile profile : {Profile::kFull, Profile::kEmbedded}) {
    verdicts.push_back(
        static_cast<int>(VerdictUnder(profile, report.run, report.device, result).verdict));
  }
  Json json{{"v", verdicts}, {"l", LimitOf(report, result)}};
  if (s.inputs > 0) {
    json["n"] = s.inputs;
    json["a"] = s.answers;
    json["o"] = s.over;
    json["b"] = BinadesToJson(s.binades);
    if (LacksBinades(result)) json["p"] = CommandForBinades(report.run, result.operation);
    if (!s.plane.empty()) json["q"] = PlaneToJson(result.operation, s.plane);
  }
  if (result.exhaustive && !report.run.options.inputs.range) json["x"] = 1;
  if (result.search) json["k"] = SearchText(result);
  if (s.has_worst) {
    json["u"] = UlpToJson(s.max_ulp);
    json["w"] = SightingToJson(report, result.operation, s.worst);
  }
  if (s.failures > 0) {
    json["c"] = s.failures;
    json["i"] = Json::array();
    for (const auto& [width, count] : s.failures_by_width) json["i"].push_back({width, count});
    json["s"] = Json::array();
    for (const Sighting& failure : s.recorded) {
      json["s"].push_back(SightingToJson(report, result.operation, failure));
    }
  }
  const std::vector<std::string> troubles = Troubles(report.run, result);
  if (!troubles.empty()) json["m"] = troubles;
  if (s.not_deterministic > 0) json["h"] = s.not_deterministic;
  if (s.flushed > 0) json["z"] = s.flushed;
  if (s.derived > 0) json["d"] = s.derived;
  if (const Sighting* all = s.WorstOfAll(); s.has_worst_allowed && all == &s.worst_allowed) {
    json["y"] = SightingToJson(report, result.operation, *all);
  }
  for (const ReadingVerdict& verdict : ReadingVerdicts(report.run, result)) {
    Json entry{ReadingName(verdict.reading), ReadingVerdictName(verdict), verdict.failures};
    if (verdict.first != nullptr) {
      entry.push_back(SightingToJson(report, result.operation, *verdict.first));
    }
    json["e"].push_back(std::move(entry));
  }
  return json;
}

Json PageWriter::Rows() {
  Json rows = Json::array();
  for (const ReportRow& row : AlignRows(reports_)) {
    Json results = Json::array();
    for (std::size_t i = 0; i < row.results.size(); ++i) {
      const FunctionResult* result = row.results[i];
      results.push_back(result == nullptr ? Json(nullptr) : Result(reports_[i].report, *result));
    }
    const bool builtin = row.operation.kind == numerics::OperationKind::kBuiltin;
    const std::string_view group =
        builtin ? numerics::FunctionClassName(numerics::Info(row.operation.function).cls)
                : "conversion";
    rows.push_back({{"f", row.operation.Name()},
                    {"t", row.operation.FormatName()},
                    {"g", group},
                    {"r", results}});
  }
  return rows;
}

Json ChangeSide(const FunctionResult* result) {
  if (result == nullptr) return nullptr;
  const Statistics& s = result->statistics;
  return {{"verdict", VerdictName(result->verdict)},
          {"max_ulp", s.has_worst ? UlpToJson(s.max_ulp) : Json(nullptr)},
          {"failure_count", s.failures}};
}

Json PageWriter::Changed(const Changes& changes) {
  const Report& after = reports_[changes.after].report;
  Json list = Json::array();
  for (const Change& change : changes.changes) {
    Json failures = Json::array();
    for (const Sighting* failure : change.new_failures) {
      failures.push_back(ReproductionCommand(after.run, change.Operation(), *failure));
    }
    list.push_back({{"function", change.Operation().Name()},
                    {"format", change.Operation().FormatName()},
                    {"change", ChangeText(change.kind)},
                    {"before", ChangeSide(change.before)},
                    {"after", ChangeSide(change.after)},
                    {"new_failures", failures}});
  }
  return {{"before", changes.before}, {"after", changes.after}, {"changes", list}};
}

Json ReportHead(const InputReport& input, std::size_t index) {
  const auto [pass, fail, unsupported, not_measured] = CountVerdicts(input.report);
  return {{"letter", ReportLetter(index)},
          {"label", input.label},
          {"path", input.path},
          {"title", DeviceText(input.report.device)},
          {"device", DeviceToJson(input.report.device)},
          {"run", RunToJson(input.report.run)},
          {"interrupted", input.report.interrupted},
          {"counts",
           {{"pass", pass},
            {"fail", fail},
            {"unsupported", unsupported},
            {"not_measured", not_measured}}},
          {"notes", input.notes}};
}

Json Heads(std::span<const InputReport> reports) {
  Json heads = Json::array();
  for (std::size_t i = 0; i < reports.size(); ++i) heads.push_back(ReportHead(reports[i], i));
  return heads;
}

}  // namespace

Json ComparisonToJson(std::span<const InputReport> reports, const std::vector<Changes>& changes,
                      const std::vector<std::string>& notes) {
  PageWriter writer(reports);
  Json list = Json::array();
  for (const Changes& pair : changes) list.push_back(writer.Changed(pair));
  return {{"schema", kComparisonSchema},
          {"reports", Heads(reports)},
          {"notes", notes},
          {"changes", list}};
}

Json PageData(std::span<const InputReport> reports, const std::vector<Changes>& changes,
              const std::vector<std::string>& notes) {
  PageWriter writer(reports);
  Json list = Json::array();
  for (const Changes& pair : changes) list.push_back(writer.Changed(pair));
  Json rows = writer.Rows();
  return {{"reports", Heads(reports)}, {"notes", notes},          {"changes", std::move(list)},
          {"limits", writer.Limits()}, {"rules", writer.Rules()}, {"rows", std::move(rows)}};
}

}  // namespace assay::oracle
