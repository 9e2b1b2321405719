// The report of a hunt: text, JSON, JUnit, a page.
#include "tools/run/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/junit_suite.h"
#include "base/text.h"
#include "tools/hunt/hunt.h"
#include "tools/page/document.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

int MedianLines(const HuntReport& report) {
  std::vector<int> lines;
  for (const HuntFinding& one : report.groups) lines.push_back(one.lines);
  std::ranges::sort(lines);
  return lines.empty() ? 0 : lines[lines.size() / 2];
}

std::string Details(const HuntFinding& finding) {
  std::string text = fmt::format("{}\n", finding.what);
  for (const std::string& clause : finding.clauses) text += fmt::format("clause: {}\n", clause);
  text += fmt::format("{} work-items in groups of {}, {}; {} of this group\n", finding.items,
                      finding.local, finding.passes, Times(finding.count, "program"));
  if (finding.module) text += fmt::format("given as SPIR-V, {}\n", ModuleText(*finding.module));
  text += finding.second + "\n";
  if (!finding.folder.empty()) text += fmt::format("files: {}\n", finding.folder);
  return text;
}

bool IsWrong(const HuntReplay& replay) { return replay.verdict == "wrong"; }

}  // namespace

std::string HuntFindingText(const HuntFinding& finding) {
  const std::string types =
      finding.types.empty() ? "" : fmt::format(" of {}", fmt::join(finding.types, ", "));
  return fmt::format("{}: {}{}\n{}\n{}\n", finding.cause, finding.verdict, types,
                     base::Indented(finding.text), base::Indented(Details(finding)));
}

std::string HuntSummary(const HuntReport& report) {
  std::string text;
  for (const HuntReplay& one : report.replays) {
    text += fmt::format("corpus {}: {}{}{}\n", one.folder, one.verdict,
                        one.what.empty() ? "" : ": ", one.what);
  }
  text += fmt::format("{} ({}), seed {}: {}, run {} times on the driver, {:.0f} s\n", report.device,
                      report.driver, report.seed, Times(report.programs, "program"),
                      report.launches, report.seconds);
  text += fmt::format("{} of {} operations by type and {} of {} features were in them\n",
                      report.operations_covered, report.operations, report.features_covered,
                      report.features);
  if (report.is_interrupted) text += "interrupted: batches in work are not counted\n";
  if (report.not_judged != 0) {
    text += fmt::format("{} not judged: assay does not compile or execute it\n",
                        Times(report.not_judged, "program"));
    if (report.programs == 0 && !report.doubts.empty())
      text += base::Indented(report.doubts[0]) + "\n";
  }
  if (HuntExitCode(report) == kExitDevice && report.not_judged == 0)
    return text + "no program was judged: the driver did not end the first ones within --budget\n";
  if (report.groups.empty())
    return text + (report.replays.empty() ? "nothing found\n" : "nothing new was found\n");
  return text + fmt::format("{} found, of {} lines (median)\n", Times(report.groups.size(), "bug"),
                            MedianLines(report));
}

ordered_json HuntJson(const HuntReport& report) {
  ordered_json json = {
      {"schema", kHuntSchema},
      {"platform", report.platform},
      {"device", report.device},
      {"driver_version", report.driver},
      {"seed", report.seed},
      {"kinds", report.kinds},
      {"spirv", report.is_spirv},
      {"batches", report.batches},
      {"resumed_batches", report.resumed},
      {"programs", report.programs},
      {"not_judged", report.not_judged},
      {"launches", report.launches},
      {"operations", {{"all", report.operations}, {"covered", report.operations_covered}}},
      {"features", {{"all", report.features}, {"covered", report.features_covered}}},
      {"median_lines", MedianLines(report)},
      {"interrupted", report.is_interrupted},
      {"seconds", report.seconds},
      {"reference_seconds", report.reference_seconds},
      {"driver_seconds", report.driver_seconds},
      {"doubts", report.doubts},
      {"corpus", ordered_json::array()},
      {"findings", ordered_json::array()}};
  for (const HuntReplay& one : report.replays) {
    json["corpus"].push_back(
        {{"folder", one.folder}, {"verdict", one.verdict}, {"what", one.what}});
  }
  for (const HuntFinding& one : report.groups) json["findings"].push_back(HuntFindingJson(one));
  return json;
}

std::string HuntJUnit(const HuntReport& report, const std::string& command) {
  base::JUnitSuite suite;
  for (const HuntReplay& one : report.replays) {
    suite.Begin("corpus", one.folder);
    if (IsWrong(one)) suite.Fail("wrong", one.what);
    if (!IsWrong(one) && one.verdict != "right") suite.Skip(one.what);
    suite.End();
  }
  for (const HuntFinding& one : report.groups) {
    suite.Begin("hunt", one.cause);
    suite.Fail(one.verdict, HuntFindingText(one));
    suite.End();
  }
  suite.Begin("hunt", "programs", report.seconds);
  if (report.programs == 0) suite.Err("no program was judged", HuntSummary(report));
  suite.Say(HuntSummary(report));
  suite.End();
  suite.AddSeconds(report.seconds);
  suite.AddProperty("command", command);
  return suite.Document("assay hunt");
}

std::string HuntPage(const HuntReport& report, const std::string& command) {
  std::string page =
      PageHead(fmt::format("Hunt on {}", report.device), command, HuntSummary(report));
  for (const HuntFinding& one : report.groups) {
    page += PageSectionText({.severity = "error",
                             .label = one.cause,
                             .message = one.verdict,
                             .text = one.text + "\n" + Details(one)});
  }
  for (const HuntReplay& one : report.replays) {
    page += PageSectionText({.severity = IsWrong(one) ? "error" : "note",
                             .label = one.folder,
                             .message = one.verdict,
                             .text = one.what,
                             .open = IsWrong(one)});
  }
  return page + std::string(kPageEnd);
}

int HuntExitCode(const HuntReport& report) {
  if (report.is_interrupted) return kExitInterrupted;
  if (!report.groups.empty() || std::ranges::any_of(report.replays, IsWrong))
    return kExitNonconforming;
  return report.programs == 0 && report.replays.empty() ? kExitDevice : kExitConforming;
}

}  // namespace assay::tools
