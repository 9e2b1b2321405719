#include "oracle/report/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracle/campaign/readings.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/rows.h"
#include "oracle/report/table.h"

namespace assay::oracle {

namespace {

// Remarks about a function, independent of its verdict.
std::string RemarksOf(const Report& report, const FunctionResult& result) {
  return fmt::format("{}", fmt::join(Remarks(report.run, result), "\n"));
}

void AddVerdict(const Report& report, const FunctionResult& result, base::JUnitSuite* suite) {
  const std::string readings = ReadingsDisagree(report.run, result);
  switch (result.verdict) {
    case Verdict::kPass:
      suite->Say(readings);
      break;
    case Verdict::kFail: {
      std::string text = TableHeader() + TableRow(result);
      for (const Sighting& failure : result.statistics.recorded) {
        const std::string by =
            failure.refused_by == 0 ? "" : " (by " + RefusingReadings(failure.refused_by) + ")";
        text += fmt::format("{}{}: {}\n", ViolationText(result.operation, failure), by,
                            ReproductionCommand(report.run, result.operation, failure));
      }
      suite->Fail(fmt::format("{} of {} answers fail, limit {}{}", result.statistics.failures,
                              result.statistics.answers, result.limit,
                              readings.empty() ? "" : "; " + readings),
                  text);
      break;
    }
    case Verdict::kUnsupported:
      suite->Skip(result.message);
      break;
    case Verdict::kNotMeasured:
      suite->Err("not measured", fmt::format("{}", fmt::join(Troubles(report.run, result), "\n")));
      return;  // which has the remarks
  }
  suite->Say(RemarksOf(report, result));
}

std::string NameOf(const numerics::Operation& operation) {
  return operation.Name() + " " + operation.FormatName();
}

base::JUnitSuite SuiteOf(const Report& report) {
  base::JUnitSuite suite;
  AddOrigin(report.run.origin, report.device, &suite);
  for (const FunctionResult& result : report.results) {
    suite.Begin(report.device.name, NameOf(result.operation));
    AddVerdict(report, result, &suite);
    suite.End();
  }
  return suite;
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

// `row` is nothing where the two reports do not differ, `result` where the new one has no such row.
void AddComparison(const Report& report, const numerics::Operation& operation,
                   const BaselineRow* row, const FunctionResult* result, base::JUnitSuite* suite) {
  const std::string evidence = result == nullptr ? "" : Evidence(report, *result);
  suite->Begin(report.device.name, NameOf(operation));
  if (row != nullptr && row->trend == Trend::kWorse) {
    suite->Fail("worse than the baseline: " + row->reason, evidence);
  } else if (result == nullptr || result->verdict == Verdict::kUnsupported) {
    suite->Skip(row != nullptr ? row->reason : result->message);
  } else if (row != nullptr) {
    suite->Say(fmt::format("{}: {}\n{}", TrendText(row->trend), row->reason, evidence));
  } else if (result->verdict != Verdict::kPass) {
    suite->Say("as in the baseline\n" + evidence);
  }
  suite->End();
}

}  // namespace

void AddOrigin(const Origin& origin, const DeviceDescription& device, base::JUnitSuite* suite) {
  const bool utc = origin.date.ends_with('Z');  // JUnit knows no zone
  suite->AddAttribute("timestamp", origin.date.substr(0, origin.date.size() - (utc ? 1 : 0)));
  suite->AddAttribute("hostname", origin.host);
  suite->AddProperty("command", origin.command);
  suite->AddProperty("program", device.program);
}

std::string ToJUnit(const Report& report) {
  return SuiteOf(report).Document("assay validate " + report.device.name);
}

std::string ToJUnit(const Report& report, const BaselineComparison& comparison) {
  base::JUnitSuite suite;
  AddOrigin(report.run.origin, report.device, &suite);
  suite.AddProperty("baseline", comparison.baseline->path);
  for (const FunctionResult& result : report.results) {
    AddComparison(report, result.operation, comparison.Find(result), &result, &suite);
  }
  for (const BaselineRow& row : comparison.rows) {
    if (row.after == nullptr) AddComparison(report, row.Operation(), &row, nullptr, &suite);
  }
  return suite.Document("assay validate " + report.device.name);
}

std::string ToJUnit(std::span<const InputReport> reports) {
  if (reports.size() == 1) return ToJUnit(reports[0].report);
  std::string suites;
  for (const InputReport& input : reports) {
    suites +=
        SuiteOf(input.report)
            .Element(fmt::format("assay validate {} ({})", input.report.device.name, input.label));
  }
  return base::JUnitDocument(suites);
}

}  // namespace assay::oracle
