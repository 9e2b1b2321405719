// The report as JSON, JUnit XML and HTML.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay_version.h"
#include "interp/rules/rule.h"
#include "oracle/report/junit.h"
#include "tools/exec/report.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;
using oracle::EscapedXml;

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

// A finding as a case that failed; those that are no fault are none.
std::string Case(std::string_view rule, const std::string& name, const std::string& text) {
  return fmt::format(
      "  <testcase classname=\"{0}\" name=\"{1}\">\n    <failure message=\"{1}\">{2}</failure>\n"
      "  </testcase>\n",
      EscapedXml(rule), EscapedXml(name), EscapedXml(text));
}

std::string CommandOf(const ExecReport& report) {
  std::string command;
  for (const std::string& word : report.command) command += (command.empty() ? "" : " ") + word;
  return command;
}

constexpr std::string_view kStyle =
    "body{margin:2rem auto;max-width:70rem;padding:0 1.5rem;font:0.9375rem/1.45 system-ui,"
    "sans-serif;color:#1b1f24;background:#fff}h1{font-size:1.375rem}pre{background:#f6f7f9;"
    "padding:.5rem .75rem;overflow-x:auto;font-size:.8125rem}.error{color:#b01f17}"
    ".warning,.limit,.note{color:#7a5200}summary{cursor:pointer;padding:.25rem 0}"
    "@media screen and (prefers-color-scheme:dark){body{color:#e4e8ed;background:#13161a}"
    "pre{background:#1b2026}.error{color:#ff938a}.warning,.limit,.note{color:#e6bd68}}";

std::string Section(std::string_view severity, std::string_view rule, const std::string& message,
                    const std::string& text) {
  return fmt::format(
      "<details open><summary><b class=\"{0}\">{0}[{1}]</b> {2}</summary><pre>{3}</pre>"
      "</details>\n",
      severity, EscapedXml(rule), EscapedXml(message), EscapedXml(text));
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
  return json;
}

std::string ExecJUnit(const ExecReport& report) {
  std::string cases;
  std::size_t failures = 0;
  for (const ExecCall& call : report.calls) {
    const interp::RuleRow& rule = interp::RowOf(call.finding.rule);
    if (!IsKernelsFault(rule.finding_class)) continue;
    ++failures;
    cases += Case(rule.id, call.finding.call + ": " + call.finding.message, ExecCallText(call, {}));
  }
  for (const ExecFinding& one : report.findings) {
    const interp::Finding& finding = one.reported.finding;
    if (!IsKernelsFault(finding.finding_class)) continue;
    ++failures;
    cases += Case(interp::NameOf(finding.rule),
                  fmt::format("kernel '{}': {}", one.launch.kernel, finding.message),
                  FindingText(one.reported));
  }
  // The run itself: without a fault this is all there is.
  const int code = ExecExitCode(report);
  cases += "  <testcase classname=\"assay exec\" name=\"program\">\n";
  const bool failed = code != 0;
  if (failed) {
    ++failures;
    cases += fmt::format("    <failure message=\"exit code {}\">{}</failure>\n", code,
                         EscapedXml(ExecSummary(report)));
  } else if (report.processes.empty()) {
    cases += fmt::format("    <skipped message=\"{}\"/>\n", EscapedXml(ExecSummary(report)));
  }
  cases += "  </testcase>\n";
  std::size_t tests = failures + (failed ? 0 : 1);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"assay exec {}\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\" errors=\"0\" time=\"{:.3f}\">\n{}</testsuite>\n",
      EscapedXml(CommandOf(report)), tests, failures, !failed && report.processes.empty() ? 1 : 0,
      report.seconds, cases);
}

std::string ExecPage(const ExecReport& report) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>assay exec {0}</title><style>{1}</style></head>\n<body>"
      "<h1>assay exec {0}</h1>\n<pre>{2}</pre>\n",
      EscapedXml(CommandOf(report)), kStyle, EscapedXml(ExecSummary(report)));
  for (const ExecCall& call : report.calls) {
    const interp::RuleRow& rule = interp::RowOf(call.finding.rule);
    page += Section(Severity(rule.finding_class), rule.id,
                    call.finding.call + ": " + call.finding.message, ExecCallText(call, {}));
  }
  for (const ExecFinding& one : report.findings) {
    const interp::Finding& finding = one.reported.finding;
    page += Section(Severity(finding.finding_class), interp::NameOf(finding.rule), finding.message,
                    FindingText(one.reported));
  }
  for (const ExecEnd& one : report.ends) {
    page += Section("limit", one.end.end, fmt::format("kernel '{}'", one.end.launch.kernel),
                    one.end.message);
  }
  return page + "</body></html>\n";
}

}  // namespace assay::tools
