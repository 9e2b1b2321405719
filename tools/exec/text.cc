// The report as text.
#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "interp/rules/rule.h"
#include "tools/exec/report.h"

namespace assay::tools {
namespace {

using base::Printable;

constexpr std::size_t kShownCalls = 8;

int ColorOf(interp::FindingClass finding_class) { return IsKernelsFault(finding_class) ? 31 : 33; }

std::string Trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return Printable(line.substr(first, 100));
}

// As it is said in the folder that the command was given in.
std::string CallTextIn(HostCall call, const std::string& folder) {
  if (!folder.empty() && call.file.starts_with(folder + "/")) {
    call.file.erase(0, folder.size() + 1);
  }
  return Printable(HostCallText(call));
}

// "created by make (/home/me/app.c:3)" as it is said in /home/me.
std::string EntryIn(std::string entry, const std::string& folder) {
  const std::string said = "(" + folder + "/";
  if (const std::size_t at = entry.find(said); !folder.empty() && at != std::string::npos) {
    entry.erase(at + 1, said.size() - 1);
  }
  return Printable(entry);
}

std::string ProcessesText(const std::set<std::uint64_t>& processes) {
  if (processes.size() == 1) return fmt::format("process {}", *processes.begin());
  return fmt::format("{} processes", processes.size());
}

// "2 errors", "1 error", "3 processes".
std::string Amount(std::size_t count, std::string_view one) {
  const bool hisses = one.ends_with("s") || one.ends_with("ch");
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : hisses ? "es" : "s");
}

std::string LeftOutText(const ExecReport& report) {
  std::string text;
  for (const auto& [what, count] : report.left_out) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, Printable(what));
  }
  return text;
}

// What the program may have failed for; "" where it did not.
std::string MissingText(const ExecReport& report) {
  constexpr std::size_t kShown = 8;
  if (report.end.exit_code == 0) return "";
  std::set<std::string> names;
  for (const driver::ProcessLog& process : report.processes) {
    names.insert(process.missing.begin(), process.missing.end());
  }
  if (names.empty()) return "";
  std::string list;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == kShown) break;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", Printable(name));
  }
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  return fmt::format("the program failed, and had looked up {} that assay's driver has not: {}\n",
                     names.size() == 1 ? "a function" : "functions", list);
}

std::string EndsText(const ExecReport& report) {
  std::string text;
  for (const ExecEnd& one : report.ends) {
    text += fmt::format(
        "limit[{}]: kernel '{}', launch {}: {}\n  = {}{}\n", Printable(one.end.end),
        Printable(one.end.launch.kernel), one.end.launch.launch, Printable(one.end.message),
        ProcessesText(one.processes),
        one.end.launches == 1 ? "" : fmt::format("; {} launches of this kernel", one.end.launches));
  }
  return text;
}

}  // namespace

std::string ExecCallText(const ExecCall& call, const FindingStyle& style) {
  const interp::RuleRow& rule = interp::RowOf(call.finding.rule);
  const std::string head = fmt::format("{}[{}]", Severity(rule.finding_class), rule.id);
  std::string text = fmt::format(
      "{}: {}: {}\n",
      style.color ? fmt::format("\033[1;{}m{}\033[0m", ColorOf(rule.finding_class), head) : head,
      Printable(call.finding.call), Printable(call.finding.message));
  // What it called in turn, of libraries, is in the report's JSON.
  const std::size_t main = MainCallOf(call.calls);
  if (main < call.calls.size()) {
    text += fmt::format("  --> {}\n", CallTextIn(call.calls[main], style.folder));
    const std::string line = Trimmed(call.calls[main].source_text);
    if (!line.empty()) text += fmt::format("  |   {}\n", line);
  }
  const std::size_t end = std::min(call.calls.size(), main + kShownCalls);
  for (std::size_t i = main + 1; i < end; ++i) {
    text += fmt::format("  = called by {}\n", CallTextIn(call.calls[i], style.folder));
  }
  if (end < call.calls.size()) {
    text += fmt::format("  = ... and {} more\n", Amount(call.calls.size() - end, "call"));
  }
  if (!call.finding.code.empty()) {
    text += fmt::format("  = returned {}\n", Printable(call.finding.code));
  }
  for (const std::string& entry : call.finding.history) {
    text += fmt::format("  = {}\n", EntryIn(entry, style.folder));
  }
  text += fmt::format("  = {}: {}{}\n", interp::FindingClassName(rule.finding_class),
                      ProcessesText(call.processes),
                      call.count == 1 ? "" : fmt::format("; {} times here", call.count));
  if (!call.finding.remedy.empty()) {
    text += fmt::format("  = help: {}\n", Printable(call.finding.remedy));
  } else if (style.help) {
    text += fmt::format("  = help: {}\n", rule.help);
  }
  text += fmt::format("  = rule: {}; assay explain {}\n", rule.clause, rule.id);
  if (style.help && !rule.link.empty()) text += fmt::format("  = see: {}\n", interp::LinkOf(rule));
  return text;
}

std::string ExecText(const ExecReport& report, bool color) {
  FindingStyle style{.color = color, .folder = CurrentFolder()};
  std::string text;
  std::set<interp::Rule> helped;
  for (const ExecCall& call : report.calls) {
    style.help = helped.insert(call.finding.rule).second;
    text += ExecCallText(call, style);
  }
  RunReport kernels;
  for (const ExecFinding& finding : report.findings) kernels.findings.push_back(finding.reported);
  return text + FindingsText(kernels, style) + EndsText(report);
}

std::string ExecSummary(const ExecReport& report) {
  std::size_t errors = 0, others = 0;
  const auto count = [&](interp::FindingClass finding_class) {
    ++(IsKernelsFault(finding_class) ? errors : others);
  };
  for (const ExecCall& call : report.calls) {
    count(interp::RowOf(call.finding.rule).finding_class);
  }
  // Many instructions may stand at one place: a macro, a function that was inlined.
  std::set<std::string> places;
  for (const ExecFinding& finding : report.findings) {
    const interp::Finding& found = finding.reported.finding;
    const std::string place =
        fmt::format("{}|{}|{}|{}|{}", interp::NameOf(found.rule),
                    static_cast<int>(found.finding_class), finding.launch.program,
                    finding.launch.kernel, found.source.empty() ? found.instruction : found.source);
    if (places.insert(place).second) count(found.finding_class);
  }
  if (report.processes.empty()) {
    return "no process used assay's driver; a program that clears its environment, that runs with "
           "other rights, or that links a driver itself is not seen\n";
  }
  std::uint64_t launches = 0, other_types = 0, cut = 0, damaged = 0, unchecked = 0;
  for (const driver::ProcessLog& process : report.processes) {
    if (process.end) launches += process.end->launches;
    if (process.end) other_types += process.end->other_types;
    cut += process.end ? 0 : 1;
    damaged += process.damaged_lines;
    unchecked += process.checks ? 0 : 1;
  }
  std::string text = fmt::format(
      "{}, {}; {} used the driver, {}\n", Amount(errors, "error"), Amount(others, "other finding"),
      Amount(report.processes.size(), "process"), Amount(launches, "launch"));
  if (launches == 0 && other_types != 0) {
    text += "devices of another type were asked for; --device-type gpu makes assay's device one\n";
  }
  if (unchecked != 0) text += fmt::format("checks were off in {} of them\n", unchecked);
  if (cut != 0) {
    text += fmt::format(
        "{} of them did not end in order: killed, or ended by _exit or another program; what was "
        "found is here, counts may be too low\n",
        cut);
  }
  if (damaged != 0) text += fmt::format("{} could not be read\n", Amount(damaged, "line"));
  if (!report.left_out.empty()) {
    text += fmt::format("not shown (--keep-findings): {}\n", LeftOutText(report));
  }
  for (const Ignore& one : report.ignored) text += SourcesText(one);
  text += MissingText(report);
  if (report.end.left_others) text += "processes that the program started still run\n";
  if (report.end.signal != 0) {
    text += fmt::format("signal {} ended the program\n", report.end.signal);
  }
  return text;
}

}  // namespace assay::tools
