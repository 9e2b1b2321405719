#include "driver/report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "interp/rules/severity.h"

namespace assay::driver {
namespace {

using base::Printable;
using interp::Severity;

// "app(main+0x4f)": enough for a reader and for addr2line.
std::string FrameText(const HostFrame& frame) {
  if (frame.line != 0) {
    return fmt::format("{} ({}:{})", Printable(frame.function), Printable(frame.file), frame.line);
  }
  return fmt::format("{}({}+0x{:x})", Printable(frame.module.empty() ? "?" : frame.module),
                     Printable(frame.function), frame.offset);
}

std::string RuleText(interp::Rule rule) {
  const interp::RuleRow& row = interp::RowOf(rule);
  return fmt::format("  = rule: {}; assay explain {}\n", row.clause, row.id);
}

std::string CallerText(const std::vector<HostFrame>& frames, std::string_view what) {
  if (frames.empty()) return "";
  // What a program's own line is, is known of an interpreter's.
  const auto line = std::ranges::find_if(frames, [](const auto& one) { return one.line != 0; });
  return fmt::format("  = {} {}\n", Printable(what),
                     FrameText(line == frames.end() ? frames.front() : *line));
}

}  // namespace

std::string ApiText(const ApiFinding& finding) {
  const interp::RuleRow& row = interp::RowOf(finding.rule);
  std::string text = fmt::format("assay: {}[{}]: {}: {}\n", Severity(row.finding_class), row.id,
                                 Printable(finding.call), Printable(finding.message));
  if (!finding.code.empty()) text += fmt::format("  = returned {}\n", Printable(finding.code));
  text += CallerText(finding.frames, "called by");
  for (const std::string& entry : finding.history) {
    text += fmt::format("  = {}\n", Printable(entry));
  }
  for (const RelatedCall& call : finding.related) {
    text += CallerText(call.frames, call.what + " by");
  }
  const std::string_view remedy = finding.remedy.empty() ? row.help : finding.remedy;
  return text + fmt::format("  = help: {}\n", Printable(remedy)) + RuleText(finding.rule);
}

std::string FindingText(const LaunchFindings& launch, const interp::Finding& finding) {
  std::string text = fmt::format("assay: {}[{}]: {}\n", Severity(finding.finding_class),
                                 interp::NameOf(finding.rule), Printable(finding.message));
  const std::string& place = finding.source.empty() ? finding.instruction : finding.source;
  if (!place.empty()) text += fmt::format("  --> {}\n", Printable(place));
  for (const std::string& entry : finding.history) {
    text += fmt::format("  = {}\n", Printable(entry));
  }
  const auto id = [](const std::array<std::uint64_t, 3>& of) {
    return fmt::format("({},{},{})", of[0], of[1], of[2]);
  };
  text += fmt::format("  = kernel '{}', launch {}, work-item {}, work-group {}\n",
                      Printable(launch.kernel), launch.launch, id(finding.global_id),
                      id(finding.group_id));
  return text + CallerText(launch.frames, "enqueued by") + RuleText(finding.rule);
}

std::string LaunchText(const LaunchFindings& launch) {
  return fmt::format("assay: limit[{}]: kernel '{}', launch {}: {}\n",
                     interp::LaunchEndName(launch.end), Printable(launch.kernel), launch.launch,
                     Printable(launch.message)) +
         CallerText(launch.frames, "enqueued by");
}

}  // namespace assay::driver
