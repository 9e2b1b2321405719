#include "oracle/report_csv.h"

#include <fmt/format.h>

#include <cmath>

#include "oracle/report_rows.h"
#include "oracle/report_table.h"
#include "oracle/results_json.h"

namespace assay::oracle {
namespace {

std::string Line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + CsvField(field);
  return line + "\r\n";
}

// All digits, as in the JSON.
std::string Number(double value) {
  if (std::isnan(value)) return "";
  return std::isinf(value) ? "inf" : fmt::format("{}", value);
}

void AddResult(const InputReport& input, const FunctionResult& result, std::string* csv) {
  const Report& report = input.report;
  const Statistics& s = result.statistics;
  SightingTexts texts{.input = "", .observed = "", .expected = "", .ulp = ""};
  std::string command;
  if (const Sighting* shown = ShownSighting(result)) {
    texts = TextsOf(result.operation, *shown);
    command = ReproductionCommand(report.run, result.operation, *shown);
  }
  *csv += Line({input.label,
                report.device.platform,
                report.device.name,
                report.device.driver_version,
                report.run.level,
                std::to_string(report.run.options.inputs.seed),
                std::string(ProfileName(report.run.options.profile)),
                std::string(MathName(report.run.options.math)),
                result.operation.Name(),
                result.operation.FormatName(),
                result.limit,
                s.has_worst ? Number(s.max_ulp) : "",
                texts.input,
                texts.observed,
                texts.expected,
                std::to_string(s.inputs),
                std::to_string(s.answers),
                result.exhaustive ? "true" : "false",
                std::to_string(s.failures),
                std::string(VerdictName(result.verdict)),
                command});
}

}  // namespace

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string ToCsv(std::span<const InputReport> reports) {
  std::string csv = Line({"report",      "platform", "device",   "driver", "level",   "seed",
                          "profile",     "math",     "function", "format", "limit",   "max_ulp",
                          "worst_input", "observed", "expected", "inputs", "answers", "exhaustive",
                          "failures",    "verdict",  "reproduce"});
  for (const InputReport& input : reports) {
    for (const FunctionResult& result : input.report.results) AddResult(input, result, &csv);
  }
  return csv;
}

}  // namespace assay::oracle
