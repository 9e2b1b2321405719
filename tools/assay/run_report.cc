#include "tools/assay/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assay_version.h"
#include "frontend/digest.h"
#include "numerics/literal.h"
#include "tools/assay/exit_code.h"

namespace assay::tools {
namespace {

using interp::FindingClass;
using interp::LaunchEnd;
using nlohmann::ordered_json;

constexpr std::uint64_t kShownAtEachEnd = 16;  // elements of a long buffer

// "error" is the kernel's fault; what says nothing about the kernel must not look like it.
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

std::string Id(const std::array<std::uint64_t, 3>& id) {
  return fmt::format("({},{},{})", id[0], id[1], id[2]);
}

std::string Times(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::uint64_t WorkItems(const RunReport& report) {
  std::uint64_t items = 0;
  for (const ReportedLaunch& launch : report.launches) {
    items += launch.range.global[0] * launch.range.global[1] * launch.range.global[2];
  }
  return items;
}

std::string_view TrimmedLine(std::string_view line) {
  constexpr std::size_t kLongest = 100;
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return line.substr(first, std::min(last + 1 - first, kLongest));
}

std::string_view View(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ordered_json ToJson(const ReportedFinding& reported) {
  const interp::Finding& finding = reported.finding;
  return {{"class", interp::FindingClassName(finding.finding_class)},
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
          {"after_undefined_behavior", finding.after_undefined_behavior}};
}

ordered_json Sizes(int dimensions, const std::array<std::uint64_t, 3>& sizes) {
  return std::vector<std::uint64_t>(sizes.begin(), sizes.begin() + dimensions);
}

ordered_json ToJson(const ReportedLaunch& launch) {
  const int dimensions = launch.range.dimensions;
  return {{"kernel", launch.kernel},
          {"global", Sizes(dimensions, launch.range.global)},
          {"local_size", Sizes(dimensions, launch.local_size)},
          {"offset", Sizes(dimensions, launch.range.offset)},
          {"instructions", launch.instructions},
          {"cpu_seconds", launch.cpu_seconds}};
}

// Bits as text: what a job's "data" takes.
ordered_json DataToJson(const interp::JobBuffer& buffer) {
  ordered_json data = ordered_json::array();
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    ordered_json element = ordered_json::array();
    for (const numerics::Bits bits : interp::ComponentsOf(buffer.type, buffer.bytes, i)) {
      element.push_back(numerics::FormatBits(interp::ScalarOf(buffer.type), bits));
    }
    data.push_back(buffer.type.components == 1 ? element[0] : element);
  }
  return data;
}

ordered_json ToJson(const ReportedBuffer& reported) {
  const interp::JobBuffer& buffer = reported.buffer;
  ordered_json json{{"name", buffer.name},
                    {"type", buffer.type.name},
                    {"count", buffer.count},
                    {"sha256", frontend::Sha256(View(buffer.bytes))}};
  if (reported.printed) json["data"] = DataToJson(buffer);
  return json;
}

ordered_json ToJson(const RunSettings& settings, double seconds) {
  return {{"seed", settings.seed},
          {"rounding", numerics::RoundingName(settings.rounding)},
          {"flush_to_zero", settings.flush_to_zero},
          {"width", settings.width},
          {"threads", settings.threads},
          {"timeout_seconds", settings.timeout_seconds},
          {"max_instructions", settings.max_instructions},
          {"max_findings", settings.max_findings},
          {"max_memory", settings.max_memory},
          {"seconds", seconds}};
}

}  // namespace

std::string FindingText(const ReportedFinding& reported) {
  const interp::Finding& finding = reported.finding;
  std::string text =
      fmt::format("{}[{}]: {}\n", Severity(finding.finding_class), finding.rule, finding.message);
  if (!finding.source.empty()) {
    const std::string_view line = TrimmedLine(reported.source_text);
    text += fmt::format("  --> {}{}{}\n", finding.source, line.empty() ? "" : "    ", line);
  }
  if (!finding.instruction.empty()) text += fmt::format("  |   {}\n", finding.instruction);
  for (const std::string& entry : finding.history) text += fmt::format("  = {}\n", entry);
  text += fmt::format("  = {}: work-item {}, work-group {}{}\n",
                      interp::FindingClassName(finding.finding_class), Id(finding.global_id),
                      Id(finding.group_id),
                      finding.count == 1 ? "" : fmt::format("; {} times here", finding.count));
  if (finding.after_undefined_behavior) {
    text += "  = after earlier undefined behavior, which may be the cause\n";
  }
  return text;
}

std::string BufferText(const interp::JobBuffer& buffer, bool all) {
  std::string text =
      fmt::format("buffer {}: {}[{}]\n", buffer.name, buffer.type.name, buffer.count);
  const bool elided = !all && buffer.count > 2 * kShownAtEachEnd;
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (elided && i == kShownAtEachEnd) {
      const std::uint64_t left_out = buffer.count - 2 * kShownAtEachEnd;
      text += fmt::format("  ... {} left out (--print-all) ...\n", Times(left_out, "element"));
      i += left_out;
    }
    text +=
        fmt::format("  {}: {}\n", i,
                    interp::FormatElement(buffer.type, ComponentsOf(buffer.type, buffer.bytes, i)));
  }
  return text;
}

std::string CountsText(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = "instructions by opcode\n";
  for (const auto& [opcode, count] : rows) text += fmt::format("  {:>16} {}\n", count, opcode);
  return text;
}

std::string ExpectationText(const ReportedExpectation& expectation) {
  if (!expectation.met) {
    return fmt::format("not judged: {}: {}\n", expectation.what, expectation.message);
  }
  if (*expectation.met) return "";
  return fmt::format("error[expectation]: {}: {}\n", expectation.what, expectation.message);
}

std::string SummaryText(const RunReport& report) {
  const auto met = std::count_if(report.expectations.begin(), report.expectations.end(),
                                 [](const auto& e) { return e.met == true; });
  std::string text(interp::LaunchEndName(report.end));
  if (!report.message.empty()) text += fmt::format(" ({})", report.message);
  text += fmt::format(": {}, {}, {}, {:.2f} s", Times(WorkItems(report), "work-item"),
                      Times(report.instructions, "instruction"),
                      Times(report.findings.size(), "finding"), report.seconds);
  if (report.planned_launches != 1) {
    text += fmt::format(", {} of {} launches", report.launches.size(), report.planned_launches);
  } else if (!report.launches.empty()) {
    const auto& local = report.launches[0].local_size;
    text += fmt::format(
        ", work-groups of {}",
        fmt::join(local.begin(), local.begin() + report.launches[0].range.dimensions, "x"));
  }
  if (!report.expectations.empty()) {
    text += fmt::format(", {} of {} met", met, Times(report.expectations.size(), "expectation"));
  }
  const RunSettings& settings = report.settings;
  return text + fmt::format("; seed {}, rounding {}{}, width {}, {}\n", settings.seed,
                            numerics::RoundingName(settings.rounding),
                            settings.flush_to_zero ? ", subnormals flushed" : "", settings.width,
                            Times(static_cast<std::uint64_t>(settings.threads), "thread"));
}

ordered_json RunReportToJson(const RunReport& report) {
  ordered_json json{{"schema", kRunSchema},
                    {"version", ASSAY_VERSION},
                    {"modules", report.modules},
                    {"job", report.job},
                    {"run", ToJson(report.settings, report.seconds)},
                    {"end", interp::LaunchEndName(report.end)},
                    {"message", report.message},
                    {"exit_code", RunExitCode(report)},
                    {"instructions", report.instructions},
                    {"planned_launches", report.planned_launches},
                    {"launches", ordered_json::array()},
                    {"findings", ordered_json::array()},
                    {"output", report.output},
                    {"buffers", ordered_json::array()},
                    {"expectations", ordered_json::array()}};
  for (const ReportedLaunch& launch : report.launches) json["launches"].push_back(ToJson(launch));
  for (const ReportedFinding& finding : report.findings)
    json["findings"].push_back(ToJson(finding));
  for (const ReportedBuffer& buffer : report.buffers) json["buffers"].push_back(ToJson(buffer));
  for (const ReportedExpectation& expectation : report.expectations) {
    json["expectations"].push_back(
        {{"what", expectation.what},
         {"met", expectation.met ? ordered_json(*expectation.met) : ordered_json(nullptr)},
         {"message", expectation.message}});
  }
  if (!report.counts.empty()) json["counts"] = report.counts;
  return json;
}

int RunExitCode(const RunReport& report) {
  if (report.end == LaunchEnd::kStopped) return kExitInterrupted;
  const bool by_kernel =
      report.end == LaunchEnd::kDeadlock || report.end == LaunchEnd::kFindingLimit;
  bool wrong = by_kernel && !report.findings_expected;
  bool limit = report.end != LaunchEnd::kCompleted && !by_kernel;
  bool unsupported = false;
  for (const ReportedFinding& reported : report.findings) {
    const FindingClass finding_class = reported.finding.finding_class;
    wrong |= IsKernelsFault(finding_class) && !report.findings_expected;
    limit |= finding_class == FindingClass::kResourceLimit;
    unsupported |= finding_class == FindingClass::kUnsupported;
  }
  for (const ReportedExpectation& expectation : report.expectations) {
    wrong |= expectation.met == false;
  }
  if (wrong) return kExitNonconforming;
  if (limit) return kExitDevice;
  return unsupported ? kExitUnsupported : kExitConforming;
}

}  // namespace assay::tools
