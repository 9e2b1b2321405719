#include "tools/run/run_page.h"

#include <fmt/format.h>

#include "tools/page/document.h"
#include "tools/run/envelope_text.h"
#include "tools/run/finding_text.h"
#include "tools/run/spread.h"

namespace assay::tools {
namespace {

constexpr std::string_view kFindingHeads[] = {"Rule",   "Class", "Place",
                                              "Source", "Times", "First work-item"};

std::string SeverityOf(interp::FindingClass finding_class) {
  if (IsKernelsFault(finding_class)) return "error";
  return finding_class == interp::FindingClass::kObservation ? "note" : "limit";
}

}  // namespace

std::string RunPage(const RunReport& report) {
  std::string page = PageHead("assay run", report.replay.command, SummaryText(report));
  std::vector<std::vector<std::string>> rows;
  for (const ReportedFinding& reported : report.findings) {
    const interp::Finding& finding = reported.finding;
    rows.push_back({std::string(interp::NameOf(finding.rule)),
                    std::string(interp::FindingClassName(finding.finding_class)),
                    finding.source.empty() ? finding.instruction : finding.source,
                    reported.source_text, std::to_string(finding.count),
                    fmt::format("({},{},{})", finding.global_id[0], finding.global_id[1],
                                finding.global_id[2])});
  }
  if (!rows.empty()) page += "<h2>Findings</h2>\n" + PageTable(kFindingHeads, rows);
  for (const ReportedFinding& reported : report.findings) {
    const interp::Finding& finding = reported.finding;
    page += PageSectionText({.severity = SeverityOf(finding.finding_class),
                             .label = std::string(interp::NameOf(finding.rule)),
                             .message = finding.message,
                             .text = FindingText(reported),
                             .open = IsKernelsFault(finding.finding_class)});
  }
  for (const ReportedExpectation& expectation : report.expectations) {
    if (expectation.met == true) continue;
    page += PageSectionText({.severity = "error",
                             .label = "expectation",
                             .message = expectation.what,
                             .text = ExpectationText(expectation)});
  }
  if (const std::string envelope = EnvelopeText(report, false); !envelope.empty()) {
    page += PageSectionText({.severity = "note",
                             .label = "envelope",
                             .message = "what other devices may leave",
                             .text = envelope});
  }
  return page + SpreadPage(report) + std::string(kPageEnd);
}

}  // namespace assay::tools
