#include "tools/run/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/junit_suite.h"
#include "tools/run/finding_text.h"

namespace assay::tools {
namespace {

using interp::FindingClass;
using interp::LaunchEnd;

// "a data race on ... (race-nonatomic), and 2 more findings".
std::string Headline(const std::vector<const ReportedFinding*>& findings) {
  const interp::Finding& first = findings[0]->finding;
  const std::size_t more = findings.size() - 1;
  return fmt::format(
      "{} ({}){}", first.message, interp::NameOf(first.rule),
      more == 0 ? "" : fmt::format(", and {} more finding{}", more, more == 1 ? "" : "s"));
}

std::string TextsOf(const std::vector<const ReportedFinding*>& findings) {
  std::string text;
  for (const ReportedFinding* reported : findings) text += FindingText(*reported);
  return text;
}

void AddLaunch(const RunReport& report, const std::string& name, std::size_t launch,
               base::JUnitSuite* suite) {
  std::vector<const ReportedFinding*> faults, obstacles, others;
  for (const ReportedFinding& reported : report.findings) {
    if (reported.launch != launch) continue;
    const FindingClass finding_class = reported.finding.finding_class;
    const bool is_fault =
        IsKernelsFault(finding_class) && !reported.allowed && !report.findings_expected;
    const bool is_obstacle = finding_class == FindingClass::kResourceLimit;
    (is_fault ? faults : is_obstacle ? obstacles : others).push_back(&reported);
  }
  const std::string& kernel = report.launches[launch].kernel;
  suite->Begin(
      name, report.planned_launches == 1 ? kernel : fmt::format("launch {}: {}", launch, kernel));
  if (!faults.empty()) suite->Fail(Headline(faults), TextsOf(faults));
  if (faults.empty() && !obstacles.empty()) suite->Err(Headline(obstacles), TextsOf(obstacles));
  if (!faults.empty()) others.insert(others.end(), obstacles.begin(), obstacles.end());
  suite->Say(TextsOf(others));
  suite->End();
}

void AddEnd(const RunReport& report, const std::string& name, base::JUnitSuite* suite) {
  const bool by_kernel =
      report.end == LaunchEnd::kDeadlock || report.end == LaunchEnd::kFindingLimit;
  const std::string message = fmt::format("{}{}{}", interp::LaunchEndName(report.end),
                                          report.message.empty() ? "" : ": ", report.message);
  suite->Begin(name, "comes to its end");
  if (by_kernel && !report.findings_expected) {
    suite->Fail(message, SummaryText(report));
  } else if (by_kernel || report.end == LaunchEnd::kCompleted) {
    suite->Say(SummaryText(report));
  } else {
    suite->Err(message, SummaryText(report));
  }
  suite->End();
}

}  // namespace

std::string RunJUnit(const RunReport& report) {
  const std::string name =
      report.job.empty() ? fmt::format("{}", fmt::join(report.modules, " ")) : report.job;
  base::JUnitSuite suite;
  for (std::size_t i = 0; i < report.launches.size(); ++i) AddLaunch(report, name, i, &suite);
  AddEnd(report, name, &suite);
  for (const ReportedExpectation& expectation : report.expectations) {
    suite.Begin(name, "expects " + expectation.what);
    if (!expectation.met) suite.Skip("the run did not come to its end");
    if (expectation.met == false) suite.Fail(expectation.message, ExpectationText(expectation));
    suite.End();
  }
  suite.AddSeconds(report.seconds);
  suite.AddProperty("command", report.replay.command);
  return suite.Document("assay run " + name);
}

}  // namespace assay::tools
