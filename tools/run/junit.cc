#include "tools/run/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracle/report/junit.h"
#include "tools/run/finding_text.h"

namespace assay::tools {
namespace {

using interp::FindingClass;
using interp::LaunchEnd;
using oracle::EscapedXml;

// Cases of one suite, as they are counted in its head.
class Suite {
 public:
  explicit Suite(std::string name) : name_(std::move(name)) {}

  void Begin(const std::string& name) {
    ++tests_;
    cases_ += fmt::format("  <testcase classname=\"{}\" name=\"{}\">\n", EscapedXml(name_),
                          EscapedXml(name));
  }
  void Fail(const std::string& message, const std::string& text) {
    ++failures_;
    Add("failure", message, text);
  }
  void Err(const std::string& message, const std::string& text) {
    ++errors_;
    Add("error", message, text);
  }
  void Skip(const std::string& message) {
    ++skipped_;
    cases_ += fmt::format("    <skipped message=\"{}\"/>\n", EscapedXml(message));
  }
  void Say(const std::string& text) {
    if (text.empty()) return;
    cases_ += fmt::format("    <system-out>{}</system-out>\n", EscapedXml(text));
  }
  void End() { cases_ += "  </testcase>\n"; }

  std::string Text(double seconds, const std::string& command) const {
    const std::string properties = command.empty()
                                       ? ""
                                       : fmt::format(
                                             "  <properties>\n    <property name=\"command\" "
                                             "value=\"{}\"/>\n  </properties>\n",
                                             EscapedXml(command));
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"assay run {}\" "
        "tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n{}{}"
        "</testsuite>\n",
        EscapedXml(name_), tests_, failures_, skipped_, errors_, seconds, properties, cases_);
  }

 private:
  void Add(const char* element, const std::string& message, const std::string& text) {
    cases_ += fmt::format("    <{0} message=\"{1}\">{2}</{0}>\n", element, EscapedXml(message),
                          EscapedXml(text));
  }

  std::string name_;
  std::string cases_;
  int tests_ = 0, failures_ = 0, skipped_ = 0, errors_ = 0;
};

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

void AddLaunch(const RunReport& report, std::size_t launch, Suite* suite) {
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
  suite->Begin(report.planned_launches == 1 ? kernel
                                            : fmt::format("launch {}: {}", launch, kernel));
  if (!faults.empty()) suite->Fail(Headline(faults), TextsOf(faults));
  if (faults.empty() && !obstacles.empty()) suite->Err(Headline(obstacles), TextsOf(obstacles));
  if (!faults.empty()) others.insert(others.end(), obstacles.begin(), obstacles.end());
  suite->Say(TextsOf(others));
  suite->End();
}

void AddEnd(const RunReport& report, Suite* suite) {
  const bool by_kernel =
      report.end == LaunchEnd::kDeadlock || report.end == LaunchEnd::kFindingLimit;
  const std::string message = fmt::format("{}{}{}", interp::LaunchEndName(report.end),
                                          report.message.empty() ? "" : ": ", report.message);
  suite->Begin("comes to its end");
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
  Suite suite(report.job.empty() ? fmt::format("{}", fmt::join(report.modules, " ")) : report.job);
  for (std::size_t i = 0; i < report.launches.size(); ++i) AddLaunch(report, i, &suite);
  AddEnd(report, &suite);
  for (const ReportedExpectation& expectation : report.expectations) {
    suite.Begin("expects " + expectation.what);
    if (!expectation.met) suite.Skip("the run did not come to its end");
    if (expectation.met == false) suite.Fail(expectation.message, ExpectationText(expectation));
    suite.End();
  }
  return suite.Text(report.seconds, report.replay.command);
}

}  // namespace assay::tools
