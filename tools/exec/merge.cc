// Several processes' logs as one report.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "driver/report/records.h"
#include "interp/rules/rule.h"
#include "tools/exec/report.h"
#include "tools/exec/symbolize.h"
#include "tools/run/filter.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using driver::LoggedApiFinding;
using driver::LoggedFinding;
using driver::ProcessLog;

// The texts of programs, each read once.
class Sources {
 public:
  explicit Sources(std::string folder) : folder_(std::move(folder)) {}

  std::string Line(const ProcessLog& log, const std::string& program, const SourcePlace& place) {
    const auto digest = log.sources.find({place.file, program});
    if (place.line == 0) return "";
    if (digest == log.sources.end()) return LineOfFile(place.file, place.line);  // it was included
    const auto [lines, is_new] = lines_.try_emplace(digest->second);
    if (is_new) lines->second = Split(driver::ReadSource(folder_, digest->second));
    return place.line <= lines->second.size() ? lines->second[place.line - 1] : "";
  }

  // The text of a program's file; "" where the log does not have it.
  std::string Text(const ProcessLog& log, const std::string& program, const std::string& file) {
    const auto digest = log.sources.find({file, program});
    return digest == log.sources.end() ? "" : driver::ReadSource(folder_, digest->second);
  }

 private:
  static std::vector<std::string> Split(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  std::string folder_;
  std::map<std::string, std::vector<std::string>> lines_;  // by digest
};

class Merge {
 public:
  Merge(const std::string& folder, std::vector<Ignore> ignored) : sources_(folder) {
    report_.ignored = std::move(ignored);
  }

  void Add(ProcessLog log) {
    for (LoggedApiFinding& call : log.calls) AddCall(log, std::move(call));
    for (LoggedFinding& finding : log.findings) AddFinding(log, std::move(finding));
    for (driver::LoggedEnd& end : log.ends) AddEnd(log, std::move(end));
    for (const auto& [rule, count] : log.left_out) report_.left_out[rule] += count;
    log.calls.clear();
    log.findings.clear();
    log.ends.clear();
    report_.processes.push_back(std::move(log));
  }

  ExecReport Finish() {
    for (const ExecCall& call : report_.calls) {
      symbolizer_.Add(call.finding.frames);
      for (const driver::RelatedCall& related : call.finding.related) {
        symbolizer_.Add(related.frames);
      }
    }
    for (const ExecFinding& finding : report_.findings) symbolizer_.Add(finding.launch.frames);
    symbolizer_.Resolve();
    for (ExecCall& call : report_.calls) {
      call.calls = symbolizer_.CallsOf(call.finding.frames);
      for (const driver::RelatedCall& related : call.finding.related) {
        call.finding.history.push_back(RelatedText(related));
      }
    }
    for (ExecFinding& finding : report_.findings) SayWhoEnqueued(&finding);
    return std::move(report_);
  }

 private:
  void AddCall(const ProcessLog& log, LoggedApiFinding logged) {
    const auto& finding = logged.finding;
    const std::string key = fmt::format("{}|{}|{}{}", static_cast<int>(finding.rule), finding.call,
                                        finding.code, driver::FramesKey(finding.frames));
    const auto [place, is_new] = calls_.try_emplace(key, report_.calls.size());
    if (is_new) {
      report_.calls.push_back({.finding = std::move(logged.finding), .count = logged.count});
    } else {
      report_.calls[place->second].count += logged.count;
    }
    report_.calls[place->second].processes.insert(log.pid);
  }

  void AddFinding(const ProcessLog& log, LoggedFinding logged) {
    const interp::Finding& finding = logged.finding;
    // Once for a line, whatever the source that it calls does there.
    if (MoveOut(report_.ignored, logged.callers, &logged.finding)) {
      logged.finding.instruction.clear();
      logged.finding.place = {};
    }
    const auto hides = [&](const Ignore& one) { return Matches(one, finding); };
    if (const auto one = std::ranges::find_if(report_.ignored, hides);
        one != report_.ignored.end()) {
      ++one->hidden;
      return;
    }
    const std::string line = sources_.Line(log, logged.launch.program, ParseSource(finding.source));
    // Programs of several processes may have the same name, but then not the same text.
    std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(finding.rule),
                                  static_cast<int>(finding.finding_class), logged.launch.program,
                                  logged.launch.kernel, finding.source, finding.instruction,
                                  finding.place.instruction, line);
    for (const std::uint32_t call : finding.place.calls) key += fmt::format(",{}", call);
    const auto [place, is_new] = findings_.try_emplace(key, report_.findings.size());
    if (!is_new) {
      ExecFinding& first = report_.findings[place->second];
      first.reported.finding.count += finding.count;
      first.reported.launches += logged.launches;
      first.processes.insert(log.pid);
      return;
    }
    const std::string file = ParseSource(finding.source).file;
    if (!file.empty() && !report_.sources.contains(file)) {
      const std::string text = sources_.Text(log, logged.launch.program, file);
      if (!text.empty()) report_.sources.emplace(file, text);
    }
    ExecFinding added{.reported = {.finding = std::move(logged.finding),
                                   .launch = logged.launch.launch,
                                   .source_text = line,
                                   .launches = logged.launches},
                      .launch = std::move(logged.launch)};
    ReportedFinding& reported = added.reported;
    for (const std::string& entry : reported.finding.history) {
      const auto named = HistoryPlace(entry);
      reported.history_text.push_back(named ? sources_.Line(log, added.launch.program, *named)
                                            : "");
    }
    if (!added.launch.job.empty()) reported.replay = "assay run --job " + added.launch.job;
    added.processes.insert(log.pid);
    report_.findings.push_back(std::move(added));
  }

  void AddEnd(const ProcessLog& log, driver::LoggedEnd logged) {
    const std::string key =
        fmt::format("{}|{}|{}", logged.end, logged.launch.program, logged.launch.kernel);
    const auto [place, is_new] = ends_.try_emplace(key, report_.ends.size());
    if (is_new) {
      report_.ends.push_back({.end = std::move(logged)});
    } else {
      report_.ends[place->second].end.launches += logged.launches;
    }
    report_.ends[place->second].processes.insert(log.pid);
  }

  std::string RelatedText(const driver::RelatedCall& related) const {
    const auto calls = symbolizer_.CallsOf(related.frames);
    if (calls.empty()) return related.what;
    return fmt::format("{} by {}", related.what, HostCallText(calls[MainCallOf(calls)]));
  }

  void SayWhoEnqueued(ExecFinding* finding) const {
    finding->calls = symbolizer_.CallsOf(finding->launch.frames);
    std::string entry =
        fmt::format("kernel '{}', launch {} of process {}", KernelText(finding->launch.kernel),
                    finding->launch.launch, *finding->processes.begin());
    if (!finding->calls.empty()) {
      entry += ", enqueued by " + HostCallText(finding->calls[MainCallOf(finding->calls)]);
    }
    finding->reported.finding.history.push_back(std::move(entry));
  }

  ExecReport report_;
  Sources sources_;
  Symbolizer symbolizer_;
  std::map<std::string, std::size_t> calls_;
  std::map<std::string, std::size_t> findings_;
  std::map<std::string, std::size_t> ends_;
};

}  // namespace

ExecReport MergeLogs(std::vector<driver::ProcessLog> logs, const std::string& folder,
                     std::vector<Ignore> ignored) {
  Merge merge(folder, std::move(ignored));
  for (driver::ProcessLog& log : logs) merge.Add(std::move(log));
  return merge.Finish();
}

namespace {

// "race-nonatomic/undefined-behavior" of a kernel, "host-leak" of a call.
bool IsFaultLeftOut(std::string_view name) {
  using enum interp::FindingClass;
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view finding_class = name.substr(slash + 1);
    return finding_class == interp::FindingClassName(kUndefinedBehavior) ||
           finding_class == interp::FindingClassName(kUndefinedValue);
  }
  const interp::RuleRow* rule = interp::FindRule(name);
  return rule != nullptr && IsKernelsFault(rule->finding_class);
}

}  // namespace

int ExecExitCode(const ExecReport& report) {
  const auto is_fault = [](interp::Rule rule) {
    return IsKernelsFault(interp::RowOf(rule).finding_class);
  };
  bool wrong = std::ranges::any_of(
      report.calls, [&](const ExecCall& call) { return is_fault(call.finding.rule); });
  wrong |= std::ranges::any_of(report.findings, [](const ExecFinding& finding) {
    return IsKernelsFault(finding.reported.finding.finding_class);
  });
  for (const auto& [name, count] : report.left_out) wrong |= IsFaultLeftOut(name);
  return wrong ? kExitNonconforming : report.end.exit_code;
}

RunReport AsRunReport(const ExecReport& report) {
  RunReport run;
  for (const ExecCall& call : report.calls) {
    interp::Finding finding(call.finding.rule);
    finding.message = fmt::format("{}: {}", call.finding.call, call.finding.message);
    finding.history = call.finding.history;
    finding.count = call.count;
    std::string line;
    if (const std::size_t shown = MainCallOf(call.calls); shown < call.calls.size()) {
      const HostCall& one = call.calls[shown];
      if (one.line != 0) finding.source = fmt::format("{}:{}", one.file, one.line);
      line = one.source_text;
    }
    run.findings.push_back({.finding = std::move(finding), .source_text = line});
  }
  for (const ExecFinding& finding : report.findings) run.findings.push_back(finding.reported);
  return run;
}

}  // namespace assay::tools
