// The report as JSON, JUnit XML and HTML.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay_version.h"
#include "base/junit_suite.h"
#include "interp/rules/rule.h"
#include "tools/exec/report.h"
#include "tools/page/document.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

ordered_json CallsJson(const std::vector<HostCall>& calls) {
  ordered_json json = ordered_json::array();
  for (const HostCall& call : calls) {
    json.push_back({{"function", call.function},
                    {"file", call.file},
                    {"line", call.line},
                    {"module", call.module},
                    {"offset", call.offset}});
  }
  return json;
}

ordered_json ProcessJson(const driver::ProcessLog& process) {
  ordered_json json{{"pid", process.pid},
                    {"parent", process.parent},
                    {"program", process.program},
                    {"arguments", process.arguments},
                    {"folder", process.folder},
                    {"checks", process.checks},
                    {"ended", process.end.has_value()}};
  if (process.end) {
    json["api_calls"] = process.end->calls;
    json["launches"] = process.end->launches;
  }
  if (!process.missing.empty()) json["missing_functions"] = process.missing;
  if (process.damaged_lines != 0) json["damaged_lines"] = process.damaged_lines;
  return json;
}

ordered_json CallJson(const ExecCall& call) {
  const interp::RuleRow& rule = interp::RowOf(call.finding.rule);
  return {{"class", interp::FindingClassName(rule.finding_class)},
          {"rule", rule.id},
          {"call", call.finding.call},
          {"code", call.finding.code},
          {"message", call.finding.message},
          {"remedy", call.finding.remedy},
          {"calls", CallsJson(call.calls)},
          {"history", call.finding.history},
          {"count", call.count},
          {"processes", call.processes},
          {"clause", rule.clause},
          {"help", rule.help}};
}

ordered_json KernelJson(const ExecFinding& finding) {
  ordered_json json = FindingToJson(finding.reported);
  // Of a run with one seed and one list of choices, which this is not.
  for (const char* name : {"seed", "choices", "runs"}) json.erase(name);
  json["kernel"] = finding.launch.kernel;
  json["kernel_text"] = KernelText(finding.launch.kernel);
  json["program"] = finding.launch.program;
  json["job"] = finding.launch.job;
  json["calls"] = CallsJson(finding.calls);
  json["processes"] = finding.processes;
  return json;
}

ordered_json EndJson(const ExecEnd& one) {
  return {{"end", one.end.end},
          {"message", one.end.message},
          {"kernel", one.end.launch.kernel},
          {"launch", one.end.launch.launch},
          {"program", one.end.launch.program},
          {"job", one.end.launch.job},
          {"launches", one.end.launches},
          {"processes", one.processes}};
}

std::string CommandOf(const ExecReport& report) {
  std::string command;
  for (const std::string& word : report.command) command += (command.empty() ? "" : " ") + word;
  return command;
}

}  // namespace

ordered_json ExecJson(const ExecReport& report) {
  ordered_json json{{"schema", kExecSchema},
                    {"version", ASSAY_VERSION},
                    {"revision", ASSAY_REVISION},
                    {"command", report.command},
                    {"driver", report.driver},
                    {"program_exit_code", report.end.exit_code},
                    {"program_signal", report.end.signal},
                    {"exit_code", ExecExitCode(report)},
                    {"seconds", report.seconds}};
  for (const char* name : {"processes", "calls", "findings", "incomplete_launches"}) {
    json[name] = ordered_json::array();
  }
  for (const auto& process : report.processes) json["processes"].push_back(ProcessJson(process));
  for (const ExecCall& call : report.calls) json["calls"].push_back(CallJson(call));
  for (const ExecFinding& one : report.findings) json["findings"].push_back(KernelJson(one));
  for (const ExecEnd& one : report.ends) json["incomplete_launches"].push_back(EndJson(one));
  json["left_out"] = report.left_out;
  json["ignored"] = ordered_json::array();
  for (const Ignore& one : report.ignored) {
    json["ignored"].push_back(
        {{"ignore", one.text}, {"findings", one.hidden}, {"moved", one.moved}});
  }
  return json;
}

std::string ExecJUnit(const ExecReport& report) {
  base::JUnitSuite suite;
  // A finding is a case that failed; those that are no fault are none.
  const auto add = [&](std::string_view rule, const std::string& name, const std::string& text) {
    suite.Begin(std::string(rule), name);
    suite.Fail(name, text);
    suite.End();
  };
  for (const ExecCall& call : report.calls) {
    const interp::RuleRow& rule = interp::RowOf(call.finding.rule);
    if (!IsKernelsFault(rule.finding_class)) continue;
    add(rule.id, call.finding.call + ": " + call.finding.message, ExecCallText(call, {}));
  }
  for (const ExecFinding& one : report.findings) {
    const interp::Finding& finding = one.reported.finding;
    if (!IsKernelsFault(finding.finding_class)) continue;
    add(interp::NameOf(finding.rule),
        fmt::format("kernel '{}': {}", one.launch.kernel, finding.message),
        FindingText(one.reported));
  }
  // The run itself: without a fault this is all there is.
  const int code = ExecExitCode(report);
  suite.Begin("assay exec", "program");
  if (code != 0) {
    suite.Fail(fmt::format("exit code {}", code), ExecSummary(report));
  } else if (report.processes.empty()) {
    suite.Skip(ExecSummary(report));
  }
  suite.End();
  suite.AddSeconds(report.seconds);
  return suite.Document("assay exec " + CommandOf(report));
}

std::string ExecPage(const ExecReport& report) {
  std::string page = PageHead("assay exec", "assay exec " + CommandOf(report), ExecSummary(report));
  for (const ExecCall& call : report.calls) {
    const interp::RuleRow& rule = interp::RowOf(call.finding.rule);
    page += PageSectionText({.severity = Severity(rule.finding_class),
                             .label = std::string(rule.id),
                             .message = call.finding.call + ": " + call.finding.message,
                             .text = ExecCallText(call, {})});
  }
  for (const ExecFinding& one : report.findings) {
    const interp::Finding& finding = one.reported.finding;
    page += PageSectionText({.severity = Severity(finding.finding_class),
                             .label = std::string(interp::NameOf(finding.rule)),
                             .message = finding.message,
                             .text = FindingText(one.reported)});
  }
  for (const ExecEnd& one : report.ends) {
    page += PageSectionText({.severity = "limit",
                             .label = one.end.end,
                             .message = fmt::format("kernel '{}'", one.end.launch.kernel),
                             .text = one.end.message});
  }
  return page + std::string(kPageEnd);
}

}  // namespace assay::tools
