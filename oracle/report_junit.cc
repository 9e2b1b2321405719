#include "oracle/report_junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracle/report_rows.h"
#include "oracle/report_table.h"
#include "oracle/results_json.h"

namespace assay::oracle {
namespace {

constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string Escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        // XML 1.0 has no other control characters; build logs sometimes do.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') escaped += c;
    }
  }
  return escaped;
}

std::string Body(const Report& report, const FunctionResult& result) {
  switch (result.verdict) {
    case Verdict::kPass:
      return "";
    case Verdict::kFail: {
      std::string text = TableHeader() + TableRow(result);
      for (const Sighting& failure : result.statistics.recorded) {
        text += fmt::format("{}: {}\n", RuleText(failure.rule),
                            ReproductionCommand(report.run, result.operation, failure));
      }
      return fmt::format("    <failure message=\"{} of {} answers fail, limit {}\">{}</failure>\n",
                         result.statistics.failures, result.statistics.answers,
                         Escape(result.limit), Escape(text));
    }
    case Verdict::kUnsupported:
      return fmt::format("    <skipped message=\"{}\"/>\n", Escape(result.message));
    case Verdict::kNotMeasured: {
      const std::string reasons = fmt::format("{}", fmt::join(Troubles(report.run, result), "\n"));
      return fmt::format("    <error message=\"not measured\">{}</error>\n", Escape(reasons));
    }
  }
  return "";
}

std::string Suite(const Report& report, const std::string& name) {
  std::string cases;
  for (const FunctionResult& result : report.results) {
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{} {}\">\n{}  </testcase>\n",
                         Escape(report.device.name), result.operation.Name(),
                         result.operation.FormatName(), Body(report, result));
  }
  const auto [pass, failures, skipped, errors] = CountVerdicts(report);
  return fmt::format(
      "<testsuite name=\"assay validate {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" "
      "errors=\"{}\">\n{}</testsuite>\n",
      Escape(name), report.results.size(), failures, skipped, errors, cases);
}

}  // namespace

std::string ToJUnit(const Report& report) {
  return std::string(kProlog) + Suite(report, report.device.name);
}

std::string ToJUnit(std::span<const InputReport> reports) {
  if (reports.size() == 1) return ToJUnit(reports[0].report);
  std::string suites;
  for (const InputReport& input : reports) {
    suites += Suite(input.report, fmt::format("{} ({})", input.report.device.name, input.label));
  }
  return fmt::format("{}<testsuites>\n{}</testsuites>\n", kProlog, suites);
}

}  // namespace assay::oracle
