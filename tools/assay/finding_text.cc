#include "tools/assay/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "interp/rule.h"

namespace assay::tools {
namespace {

using interp::FindingClass;
using nlohmann::ordered_json;

std::string Id(const std::array<std::uint64_t, 3>& id) {
  return fmt::format("({},{},{})", id[0], id[1], id[2]);
}

std::string_view TrimmedLine(std::string_view line) {
  constexpr std::size_t kLongest = 100;
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return line.substr(first, std::min(last + 1 - first, kLongest));
}

}  // namespace

std::string_view Severity(FindingClass finding_class) {
  switch (finding_class) {
    case FindingClass::kImplementationDefined:
      return "warning";
    case FindingClass::kUnsupported:
      return "unsupported";
    case FindingClass::kResourceLimit:
      return "limit";
    default:
      return "error";
  }
}

bool IsKernelsFault(FindingClass finding_class) { return Severity(finding_class) == "error"; }

std::string FindingText(const ReportedFinding& reported, bool with_help) {
  const interp::Finding& finding = reported.finding;
  std::string text =
      fmt::format("{}[{}]: {}\n", reported.allowed ? "allowed" : Severity(finding.finding_class),
                  finding.rule, finding.message);
  if (!finding.source.empty()) {
    const std::string_view line = TrimmedLine(reported.source_text);
    text += fmt::format("  --> {}{}{}\n", finding.source, line.empty() ? "" : "    ", line);
  }
  if (!finding.instruction.empty()) text += fmt::format("  |   {}\n", finding.instruction);
  for (const std::string& entry : finding.history) text += fmt::format("  = {}\n", entry);
  text += fmt::format("  = {}: work-item {}, work-group {}{}{}\n",
                      interp::FindingClassName(finding.finding_class), Id(finding.global_id),
                      Id(finding.group_id),
                      finding.count == 1 ? "" : fmt::format("; {} times here", finding.count),
                      reported.runs == 1 ? "" : fmt::format("; in {} runs", reported.runs));
  if (finding.after_undefined_behavior) {
    text += "  = after earlier undefined behavior, which may be the cause\n";
  }
  if (const interp::Rule* rule = interp::FindRule(finding.rule)) {
    if (with_help) text += fmt::format("  = help: {}\n", rule->help);
    text += fmt::format("  = rule: {}; assay explain {}\n", rule->clause, rule->id);
  }
  if (!reported.replay.empty()) text += fmt::format("  = replay: {}\n", reported.replay);
  return text;
}

std::string FindingsText(const RunReport& report) {
  std::string text;
  std::set<std::string_view> helped;
  for (const ReportedFinding& reported : report.findings) {
    text += FindingText(reported, helped.insert(reported.finding.rule).second);
  }
  return text;
}

ordered_json FindingToJson(const ReportedFinding& reported) {
  const interp::Finding& finding = reported.finding;
  ordered_json json{
      {"class", interp::FindingClassName(finding.finding_class)},
      {"rule", finding.rule},
      {"message", finding.message},
      {"source", finding.source},
      {"source_text", reported.source_text},
      {"instruction", finding.instruction},
      {"place", {{"instruction", finding.place.instruction}, {"calls", finding.place.calls}}},
      {"launch", reported.launch},
      {"global_id", finding.global_id},
      {"group_id", finding.group_id},
      {"history", finding.history},
      {"count", finding.count},
      {"after_undefined_behavior", finding.after_undefined_behavior},
      {"allowed", reported.allowed},
      {"seed", reported.seed},
      {"choices", reported.choices},
      {"runs", reported.runs},
      {"replay", reported.replay}};
  if (const interp::Rule* rule = interp::FindRule(finding.rule)) {
    json["catalogue"] = interp::CatalogueIds(*rule);
    json["clause"] = rule->clause;
    json["help"] = rule->help;
  }
  return json;
}

}  // namespace assay::tools
