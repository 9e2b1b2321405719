#include "oracle/images/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/junit.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameWidth = 56;

std::string ErrorText(double error) {
  if (std::isinf(error)) return "inf";
  return error < 1e6 ? fmt::format("{:.0f}", error) : fmt::format("{:.1e}", error);
}

Json ErrorToJson(double error) { return std::isinf(error) ? Json("inf") : Json(error); }

Json SightingToJson(const ImageReport& report, const ImageRow& row, const ImageSighting& sighting) {
  Json json{{"how", sighting.how},
            {"input", sighting.input},
            {"observed", sighting.observed},
            {"expected", sighting.expected},
            {"error", ErrorToJson(sighting.error)}};
  if (!sighting.before.empty()) json["before"] = sighting.before;
  if (sighting.fault != ImageFault::kNone) json["rule"] = FaultText(sighting.fault);
  json["reproduce"] = ImageCommand(report.run, row);
  return json;
}

Json RowToJson(const ImageReport& report, const ImageRowResult& result) {
  const ImageTally& tally = result.tally;
  Json json{{"row", result.row.Name()},
            {"verdict", VerdictName(DecidingVerdict(report, result))},
            {"specification", VerdictName(result.specification)},
            {"suite", VerdictName(result.suite)},
            {"answers", tally.answers},
            {"defined", tally.defined},
            {"failure_count", tally.failures},
            {"outside_float", tally.outside_float},
            {"suite_asked", tally.suite_asked},
            {"suite_failure_count", tally.suite_failures},
            {"not_deterministic", tally.not_deterministic},
            {"reproduce", ImageCommand(report.run, result.row)}};
  const auto add = [&](const char* name, const std::optional<ImageSighting>& sighting) {
    if (sighting) json[name] = SightingToJson(report, result.row, *sighting);
  };
  add("worst", tally.worst);
  add("worst_outside_float", tally.outside_worst);
  add("first_suite_failure", tally.suite_first);
  json["failures"] = Json::array();
  for (const ImageSighting& failure : tally.recorded) {
    json["failures"].push_back(SightingToJson(report, result.row, failure));
  }
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.notes.empty()) json["notes"] = result.notes;
  return json;
}

std::string SightingText(const ImageSighting& sighting) {
  std::string text =
      fmt::format("{}; {} of {}: observed {}, expected {}", FaultText(sighting.fault),
                  sighting.input, sighting.how, sighting.observed, sighting.expected);
  if (!sighting.before.empty()) text += ", before " + sighting.before;
  return text;
}

// The beginning and the end of what a driver said; the JSON report has all of it.
std::string Shortened(const std::string& message) {
  constexpr std::size_t kBegin = 200, kEnd = 500;
  if (message.size() <= kBegin + kEnd) return message;
  return fmt::format("{} [...] {}", message.substr(0, kBegin),
                     message.substr(message.size() - kEnd));
}

// What is wrong with a row by both readings, one line each.
std::vector<std::string> Complaints(const ImageReport& report, const ImageRowResult& result) {
  std::vector<std::string> lines;
  const ImageTally& tally = result.tally;
  if (tally.failures > 0 || tally.not_deterministic > 0) {
    lines.push_back(fmt::format(
        "specification: {} of {} answers fail, {} are not deterministic; {}", tally.failures,
        tally.answers, tally.not_deterministic,
        tally.recorded.empty() ? "none is recorded" : SightingText(tally.recorded.front())));
  }
  if (tally.suite_failures > 0) {
    lines.push_back(fmt::format("conformance suite: {} of {} answers fail; {}",
                                tally.suite_failures, tally.suite_asked,
                                tally.suite_first ? SightingText(*tally.suite_first) : ""));
  }
  const bool told = result.specification == ImageVerdict::kNotMeasured ||
                    result.specification == ImageVerdict::kUnsupported ||
                    result.row.op == ImageRowOp::kFormats;
  if (told && !result.message.empty()) lines.push_back(Shortened(result.message));
  for (const std::string& note : result.notes) lines.push_back("note: " + note);
  if (!lines.empty()) lines.push_back(ImageCommand(report.run, result.row));
  return lines;
}

void AddVerdict(const ImageReport& report, const ImageRowResult& result, base::JUnitSuite* suite) {
  const ImageVerdict verdict = DecidingVerdict(report, result);
  const std::string text = fmt::format("{}", fmt::join(Complaints(report, result), "\n"));
  switch (verdict) {
    case ImageVerdict::kFail:
      suite->Fail("fail", text);
      break;
    case ImageVerdict::kNotMeasured:
    case ImageVerdict::kNotDeterministic:
      suite->Err(std::string(VerdictText(verdict)), text);
      break;
    case ImageVerdict::kPass:
      suite->Say(text);
      break;
    case ImageVerdict::kNotDefined:
    case ImageVerdict::kNotAsked:
    case ImageVerdict::kUnsupported:
      suite->Skip(std::string(VerdictText(verdict)));
      break;
  }
}

std::map<ImageVerdict, std::size_t> CountsOf(const ImageReport& report) {
  std::map<ImageVerdict, std::size_t> counts;
  for (const ImageRowResult& row : report.rows) ++counts[DecidingVerdict(report, row)];
  return counts;
}

}  // namespace

ImageVerdict DecidingVerdict(const ImageReport& report, const ImageRowResult& row) {
  return report.run.options.reading == Reading::kSuite ? row.suite : row.specification;
}

std::string ImageCommand(const RunInfo& run, const ImageRow& row) {
  std::string command = fmt::format("assay validate {} --functions {} --level {}",
                                    run.device_option, row.Name(), run.level);
  if (run.options.inputs.seed != 1) {
    command += fmt::format(" --seed {}", run.options.inputs.seed);
  }
  if (run.options.reading == Reading::kSuite) command += " --spec cts";
  return command;
}

std::string ImageTableHeader() {
  return fmt::format("{:<{}} {:>7} {:>7} {:>8} {:>8} {:<23} {}\n", "row", kNameWidth, "answers",
                     "defined", "worst", "outside", "specification", "conformance-suite");
}

std::string ImageTableRow(const ImageRowResult& row) {
  const auto& worst = row.tally.defined > 0 ? row.tally.worst : row.tally.outside_worst;
  return fmt::format("{:<{}} {:>7} {:>7} {:>8} {:>8} {:<23} {}\n", row.row.Name(), kNameWidth,
                     row.tally.answers, row.tally.defined, worst ? ErrorText(worst->error) : "-",
                     row.tally.outside_float, VerdictText(row.specification),
                     VerdictText(row.suite));
}

std::string ImageCounts(const ImageReport& report) {
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : CountsOf(report)) {
    parts.push_back(fmt::format("{} {}", count, VerdictText(verdict)));
  }
  return fmt::format("{} rows of images: {}", report.rows.size(), fmt::join(parts, ", "));
}

std::string ImageSummary(const ImageReport& report) {
  std::string text;
  for (const ImageRowResult& row : report.rows) {
    const std::vector<std::string> lines = Complaints(report, row);
    if (lines.empty()) continue;
    text += fmt::format("{}:\n", row.row.Name());
    for (const std::string& line : lines) {
      text += fmt::format("  {}\n", base::Continued(base::PrintableLines(line)));
    }
  }
  return fmt::format("\n{}{}\n", text, ImageCounts(report));
}

Json ImageReportToJson(const ImageReport& report) {
  Json run{{"tool", "assay " + report.run.tool_version},
           {"device_option", report.run.device_option},
           {"level", report.run.level},
           {"seed", report.run.options.inputs.seed},
           {"max_failures", report.run.options.max_failures}};
  if (report.run.options.reading) run["spec"] = ReadingName(*report.run.options.reading);
  if (!report.run.build.empty()) run["build"] = report.run.build;
  if (!report.run.origin.IsEmpty()) run["origin"] = ToJson(report.run.origin);
  Json json{{"schema", kImageSchema}, {"device", DeviceToJson(report.device)}, {"run", run}};
  if (report.interrupted) json["interrupted"] = true;
  json["images"] = Json::array();
  for (const ImageRowResult& row : report.rows) json["images"].push_back(RowToJson(report, row));
  return json;
}

std::string ImageReportToJUnit(const ImageReport& report) {
  base::JUnitSuite suite;
  AddOrigin(report.run.origin, report.device, &suite);
  for (const ImageRowResult& row : report.rows) {
    suite.Begin(report.device.name, row.row.Name());
    AddVerdict(report, row, &suite);
    suite.End();
  }
  return suite.Document("assay validate " + report.device.name);
}

}  // namespace assay::oracle
