#include "oracle/report_junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracle/report_table.h"
#include "oracle/results_json.h"

namespace assay::oracle {
namespace {

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

}  // namespace

std::string ToJUnit(const Report& report) {
  std::size_t failures = 0, skipped = 0, errors = 0;
  std::string cases;
  for (const FunctionResult& result : report.results) {
    failures += result.verdict == Verdict::kFail ? 1 : 0;
    skipped += result.verdict == Verdict::kUnsupported ? 1 : 0;
    errors += result.verdict == Verdict::kNotMeasured ? 1 : 0;
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{} {}\">\n{}  </testcase>\n",
                         Escape(report.device.name), result.operation.Name(),
                         result.operation.FormatName(), Body(report, result));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"assay validate {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" "
      "errors=\"{}\">\n{}</testsuite>\n",
      Escape(report.device.name), report.results.size(), failures, skipped, errors, cases);
}

}  // namespace assay::oracle
