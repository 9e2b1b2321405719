#include "oracle/report/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "oracle/campaign/readings.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/rows.h"
#include "oracle/report/table.h"

namespace assay::oracle {

// XML 1.0 has no way to write most control characters,
// and no bytes that are not UTF-8; names and logs have both.
std::string EscapedXml(std::string_view text) {
  std::string escaped;
  for (char c : base::XmlText(text)) {
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
        escaped += c;
    }
  }
  return escaped;
}

namespace {

constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string Body(const Report& report, const FunctionResult& result) {
  switch (result.verdict) {
    case Verdict::kPass: {
      const std::string readings = ReadingsDisagree(report.run, result);
      return readings.empty() ? "" : fmt::format("    <system-out>{}</system-out>\n", readings);
    }
    case Verdict::kFail: {
      std::string text = TableHeader() + TableRow(result);
      for (const Sighting& failure : result.statistics.recorded) {
        const std::string by =
            failure.refused_by == 0 ? "" : " (by " + RefusingReadings(failure.refused_by) + ")";
        text += fmt::format("{}{}: {}\n", ViolationText(result.operation, failure), by,
                            ReproductionCommand(report.run, result.operation, failure));
      }
      const std::string readings = ReadingsDisagree(report.run, result);
      return fmt::format(
          "    <failure message=\"{} of {} answers fail, limit {}{}\">{}</failure>\n",
          result.statistics.failures, result.statistics.answers, EscapedXml(result.limit),
          readings.empty() ? "" : "; " + readings, EscapedXml(text));
    }
    case Verdict::kUnsupported:
      return fmt::format("    <skipped message=\"{}\"/>\n", EscapedXml(result.message));
    case Verdict::kNotMeasured: {
      const std::string reasons = fmt::format("{}", fmt::join(Troubles(report.run, result), "\n"));
      return fmt::format("    <error message=\"not measured\">{}</error>\n", EscapedXml(reasons));
    }
  }
  return "";
}

// Remarks about a function, independent of its verdict.
std::string RemarksOf(const Report& report, const FunctionResult& result) {
  const std::vector<std::string> remarks = Remarks(report.run, result);
  // For operations that were not measured, Body has them.
  if (remarks.empty() || result.verdict == Verdict::kNotMeasured) return "";
  return fmt::format("    <system-out>{}</system-out>\n",
                     EscapedXml(fmt::format("{}", fmt::join(remarks, "\n"))));
}

// Attributes of a suite as JUnit knows them: the time without its zone.
std::string AttributesOf(const Origin& origin) {
  std::string text;
  if (!origin.date.empty()) {
    const bool utc = origin.date.ends_with('Z');
    text += fmt::format(" timestamp=\"{}\"",
                        EscapedXml(origin.date.substr(0, origin.date.size() - (utc ? 1 : 0))));
  }
  if (!origin.host.empty()) text += fmt::format(" hostname=\"{}\"", EscapedXml(origin.host));
  return text;
}

std::string PropertiesOf(const Report& report, const std::string& baseline = "") {
  std::string properties;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    properties +=
        fmt::format("    <property name=\"{}\" value=\"{}\"/>\n", name, EscapedXml(value));
  };
  add("command", report.run.origin.command);
  add("program", report.device.program);
  add("baseline", baseline);
  return properties.empty() ? "" : "  <properties>\n" + properties + "  </properties>\n";
}

std::string Case(const std::string& device, const numerics::Operation& operation,
                 const std::string& body) {
  return fmt::format("  <testcase classname=\"{}\" name=\"{} {}\">\n{}  </testcase>\n",
                     EscapedXml(device), operation.Name(), operation.FormatName(), body);
}

std::string Head(const Report& report, const std::string& name, std::size_t tests,
                 std::size_t failures, std::size_t skipped, std::size_t errors) {
  return fmt::format(
      "<testsuite name=\"assay validate {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" "
      "errors=\"{}\"{}>\n",
      EscapedXml(name), tests, failures, skipped, errors, AttributesOf(report.run.origin));
}

std::string Suite(const Report& report, const std::string& name) {
  std::string cases;
  for (const FunctionResult& result : report.results) {
    cases += Case(report.device.name, result.operation,
                  Body(report, result) + RemarksOf(report, result));
  }
  const auto [pass, failures, skipped, errors] = CountVerdicts(report);
  return Head(report, name, report.results.size(), failures, skipped, errors) +
         PropertiesOf(report) + cases + "</testsuite>\n";
}

// What the row was and is.
std::string SystemOut(const std::string& text) {
  return fmt::format("    <system-out>{}</system-out>\n", EscapedXml(text));
}

// The table's row, and what shows the failures again.
std::string Evidence(const Report& report, const FunctionResult& result) {
  std::string text = TableHeader() + TableRow(result);
  for (const Sighting& failure : result.statistics.recorded) {
    text += fmt::format("{}: {}\n", ViolationText(result.operation, failure),
                        ReproductionCommand(report.run, result.operation, failure));
  }
  for (const std::string& trouble : Troubles(report.run, result)) text += trouble + "\n";
  return text;
}

// Adds a row's case, and counts it.
struct BaselineCases {
  std::string text;
  std::size_t tests = 0, failures = 0, skipped = 0;

  void Add(const Report& report, const numerics::Operation& operation, const BaselineRow* row,
           const FunctionResult* result) {
    const std::string evidence = result == nullptr ? "" : Evidence(report, *result);
    std::string body;
    if (row != nullptr && row->trend == Trend::kWorse) {
      ++failures;
      body = fmt::format("    <failure message=\"worse than the baseline: {}\">{}</failure>\n",
                         EscapedXml(row->reason), EscapedXml(evidence));
    } else if (result == nullptr || result->verdict == Verdict::kUnsupported) {
      ++skipped;
      body = fmt::format("    <skipped message=\"{}\"/>\n",
                         EscapedXml(row != nullptr ? row->reason : result->message));
    } else if (row != nullptr) {
      body = SystemOut(fmt::format("{}: {}\n{}", TrendText(row->trend), row->reason, evidence));
    } else if (result->verdict != Verdict::kPass) {
      body = SystemOut("as in the baseline\n" + evidence);
    }
    ++tests;
    text += Case(report.device.name, operation, body);
  }
};

}  // namespace

std::string ToJUnit(const Report& report) {
  return std::string(kProlog) + Suite(report, report.device.name);
}

std::string ToJUnit(const Report& report, const BaselineComparison& comparison) {
  BaselineCases cases;
  for (const FunctionResult& result : report.results) {
    cases.Add(report, result.operation, comparison.Find(result), &result);
  }
  for (const BaselineRow& row : comparison.rows) {
    if (row.after == nullptr) cases.Add(report, row.Operation(), &row, nullptr);
  }
  return std::string(kProlog) +
         Head(report, report.device.name, cases.tests, cases.failures, cases.skipped, 0) +
         PropertiesOf(report, comparison.baseline->path) + cases.text + "</testsuite>\n";
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
