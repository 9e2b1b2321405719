#include "oracle/report/csv.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.h"
#include "oracle/campaign/readings.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/rows.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

void AddResult(const InputReport& input, const FunctionResult& result, std::string* csv) {
  const Report& report = input.report;
  const Statistics& s = result.statistics;
  SightingTexts texts{.input = "", .observed = "", .expected = "", .ulp = ""};
  std::string command;
  SightingTexts failing = texts;
  std::string rule, width, lane, decimal;
  if (const Sighting* shown = ShownSighting(result)) {
    command = ReproductionCommand(report.run, result.operation, *shown);
    const Sighting& worst = s.has_worst ? s.worst : *shown;
    texts = TextsOf(result.operation, worst);
    decimal = DecimalInput(result.operation, worst);
    if (result.verdict == Verdict::kFail && !Accepts(shown->rule)) {
      failing = TextsOf(result.operation, *shown);
      rule = RuleText(shown->rule);
      width = std::to_string(shown->width);
      lane = std::to_string(shown->lane);
    }
  }
  const Origin& origin = report.run.origin;
  const Sighting* all = s.WorstOfAll();
  const auto reading = report.run.options.reading;
  const std::string spec(reading ? ReadingName(*reading) : "");
  std::array<std::string, kReadingCount> readings;
  for (const ReadingVerdict& verdict : ReadingVerdicts(report.run, result)) {
    readings[static_cast<std::size_t>(verdict.reading)] = ReadingVerdictName(verdict);
  }
  *csv += CsvLine({CsvText(input.label),
                   CsvText(report.device.platform),
                   CsvText(report.device.name),
                   CsvText(report.device.driver_version),
                   CsvText(LevelText(report.run)),
                   std::to_string(report.run.options.inputs.seed),
                   std::string(ProfileName(report.run.options.profile)),
                   std::string(MathName(report.run.options.math)),
                   result.operation.Name(),
                   result.operation.FormatName(),
                   CsvText(result.limit),
                   s.has_worst ? CsvNumber(s.max_ulp) : "",
                   texts.input,
                   texts.observed,
                   texts.expected,
                   std::to_string(s.inputs),
                   std::to_string(s.answers),
                   result.exhaustive ? "true" : "false",
                   std::to_string(s.failures),
                   std::string(VerdictName(result.verdict)),
                   CsvText(command),
                   all == nullptr ? "" : CsvNumber(all->ulp),
                   std::to_string(s.flushed),
                   std::to_string(s.derived),
                   CsvText(report.run.options.build_options),
                   spec,
                   readings[0],
                   readings[1],
                   readings[2],
                   decimal,
                   rule,
                   failing.input,
                   failing.observed,
                   failing.expected,
                   width,
                   lane,
                   std::to_string(s.asked_again),
                   std::to_string(s.not_deterministic),
                   CsvText(origin.date),
                   CsvText(origin.host),
                   CsvText(origin.command)});
}

}  // namespace

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += CsvField(field) + ",";
  if (!line.empty()) line.pop_back();
  return line + "\r\n";
}

std::string CsvNumber(double value) {
  if (std::isnan(value)) return "";
  return std::isinf(value) ? "inf" : fmt::format("{}", value);
}

std::string CsvText(std::string_view text) {
  std::string shown = base::Printable(text);
  const bool formula =
      !shown.empty() && std::string_view("=+-@").find(shown[0]) != std::string::npos;
  return formula ? "'" + shown : shown;
}

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string ToCsv(std::span<const InputReport> reports) {
  std::string csv = CsvLine({"report",
                             "platform",
                             "device",
                             "driver",
                             "level",
                             "seed",
                             "profile",
                             "math",
                             "function",
                             "format",
                             "limit",
                             "max_ulp",
                             "worst_input",
                             "observed",
                             "expected",
                             "inputs",
                             "answers",
                             "exhaustive",
                             "failures",
                             "verdict",
                             "reproduce",
                             "max_ulp_all",
                             "flushed",
                             "derived",
                             "build_options",
                             "spec",
                             "opencl-c",
                             "environment",
                             "cts",
                             "worst_input_decimal",
                             "rule",
                             "failing_input",
                             "failing_observed",
                             "failing_expected",
                             "failing_width",
                             "failing_lane",
                             "asked_again",
                             "not_deterministic",
                             "date",
                             "host",
                             "command"});
  for (const InputReport& input : reports) {
    for (const FunctionResult& result : input.report.results) AddResult(input, result, &csv);
  }
  return csv;
}

}  // namespace assay::oracle
