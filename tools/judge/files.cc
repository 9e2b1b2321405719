#include "tools/judge/files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"
#include "base/junit_suite.h"
#include "tools/page/document.h"
#include "tools/run/finding_text.h"
#include "tools/run/sarif.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

constexpr std::string_view kDriverRule = "driver-broke-a-rule";

bool IsAccused(const Judgement& judged) {
  return judged.verdict == Verdict::kKernel || judged.verdict == Verdict::kDriver;
}

std::string LaunchName(const Judgement& judged) {
  return fmt::format("launch {} of process {}", judged.capture.launch, judged.capture.process);
}

// Findings of several launches, each place once.
class FindingMerge {
 public:
  void Add(const Judgement& judged) {
    for (const ReportedFinding& found : judged.found) AddOne(judged, found);
  }
  std::vector<ReportedFinding> Take() { return std::move(findings_); }

 private:
  void AddOne(const Judgement& judged, const ReportedFinding& found) {
    const interp::Finding& finding = found.finding;
    const bool is_kernels = judged.verdict == Verdict::kKernel;
    std::string key =
        fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", is_kernels, static_cast<int>(finding.rule),
                    static_cast<int>(finding.finding_class), judged.capture.kernel, finding.source,
                    finding.instruction, found.source_text, finding.place.instruction);
    for (const std::uint32_t call : finding.place.calls) key += fmt::format(",{}", call);
    const auto [place, is_new] = places_.try_emplace(key, findings_.size());
    if (!is_new) {
      findings_[place->second].finding.count += finding.count;
      findings_[place->second].launches += found.launches;
      return;
    }
    ReportedFinding added = found;
    added.finding.history.push_back(
        fmt::format("kernel '{}', {}", judged.capture.kernel, LaunchName(judged)));
    if (!is_kernels) {
      // Nobody is accused of it.
      added.allowed = true;
      added.finding.history.push_back(
          fmt::format("not decided: {}", fmt::join(judged.reasons, "; ")));
    }
    findings_.push_back(std::move(added));
  }

  std::vector<ReportedFinding> findings_;
  std::map<std::string, std::size_t> places_;
};

// One for each kernel and driver: all launches are of one cause, mostly.
std::vector<SarifResult> DriverResults(const std::vector<Judgement>& judgements) {
  std::vector<SarifResult> results;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places;  // and how many launches
  for (const Judgement& judged : judgements) {
    if (judged.verdict != Verdict::kDriver) continue;
    const Capture& capture = judged.capture;
    const std::string identity =
        fmt::format("{}|{}|{}", capture.platform, capture.device, capture.kernel);
    const auto [place, is_new] =
        places.try_emplace(fmt::format("{}|{}", identity, judged.source), results.size(), 0);
    ++place->second.second;
    if (!is_new) continue;
    results.push_back({.rule = std::string(kDriverRule),
                       .title = std::string(VerdictTitle(Verdict::kDriver)),
                       .help = "The results of a launch are not those that the specification "
                               "determines, and the kernel has no undefined behavior.",
                       .message = JudgementText(judged),
                       .place = ParseSource(judged.source),
                       .identity = identity});
  }
  for (const auto& [key, place] : places) {
    if (place.second == 1) continue;
    results[place.first].message += fmt::format("  = in {} captured launches\n", place.second);
  }
  return results;
}

std::string FailureMessage(const Judgement& judged) {
  std::string text(VerdictTitle(judged.verdict));
  if (judged.verdict == Verdict::kDriver) return text + ": " + WorstError(judged.differences);
  for (const ReportedFinding& found : judged.found) {
    if (!IsKernelsFault(found.finding.finding_class)) continue;
    return fmt::format("{}: {} ({})", text, found.finding.message,
                       interp::NameOf(found.finding.rule));
  }
  return text;
}

struct KernelRow {
  std::array<std::size_t, 4> verdicts{};
  std::vector<Difference> differences;
  double seconds = 0;
};

std::vector<std::vector<std::string>> KernelRows(const std::vector<Judgement>& judgements) {
  std::map<std::string, KernelRow> kernels;
  for (const Judgement& judged : judgements) {
    KernelRow& row = kernels[judged.capture.kernel];
    ++row.verdicts.at(static_cast<std::size_t>(judged.verdict));
    row.differences.insert(row.differences.end(), judged.differences.begin(),
                           judged.differences.end());
    row.seconds += judged.seconds;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [kernel, row] : kernels) {
    std::vector<std::string> cells = {kernel};
    std::size_t launches = 0;
    for (const std::size_t count : row.verdicts) launches += count;
    cells.push_back(std::to_string(launches));
    for (const std::size_t count : row.verdicts) cells.push_back(std::to_string(count));
    cells.push_back(WorstError(row.differences));
    cells.push_back(fmt::format("{:.3f}", row.seconds));
    rows.push_back(std::move(cells));
  }
  return rows;
}

constexpr std::string_view kKernelHeads[] = {"Kernel",
                                             "Captured launches",
                                             "Kernel has undefined behavior",
                                             "Driver broke a rule",
                                             "Both conform",
                                             "Not decidable",
                                             "Largest error",
                                             "Seconds of judging"};
constexpr std::string_view kLaunchHeads[] = {"Kernel",  "Launch",        "Process",
                                             "Global",  "Local",         "Device",
                                             "Verdict", "Largest error", "Seconds of judging"};

std::string Sizes(const std::vector<std::uint64_t>& sizes) {
  return sizes.empty() ? "the driver's choice" : fmt::format("{}", fmt::join(sizes, "x"));
}

// Nothing where it is no file, or one that no report should have.
std::optional<std::string> TextOf(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{4} << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  auto text = base::ReadWholeFile(path, kLargest);
  if (!text) return std::nullopt;
  return std::move(*text);
}

Expected<void> WriteOne(const std::string& path, const std::string& text) {
  if (path != "-") return base::WriteFileAtomically(path, text);
  PrintRaw(text);  // CloseStdout tells where that fails
  return {};
}

}  // namespace

nlohmann::ordered_json JudgeSarif(const std::vector<Judgement>& judgements, const JudgedRun& run,
                                  const std::string& folder, const std::string& root) {
  FindingMerge merge;
  for (const Judgement& judged : judgements) merge.Add(judged);
  RunReport report;
  report.findings = merge.Take();
  report.replay.command = run.command;
  // Captures are copies, and may be of another machine.
  std::map<std::string, std::string> sources;
  for (const ReportedFinding& found : report.findings) {
    const std::string path = ParseSource(found.finding.source).file;
    auto text = path.empty() ? std::nullopt : TextOf(path);
    if (text) sources.emplace(path, std::move(*text));
  }
  return SarifOf(report, folder,
                 {.results = DriverResults(judgements),
                  .are_copies = true,
                  .root = root,
                  .sources = std::move(sources)});
}

std::string JudgeJUnit(const std::vector<Judgement>& judgements, const JudgedRun& run) {
  base::JUnitSuite suite;
  const bool has_one_process = std::ranges::all_of(judgements, [&](const Judgement& judged) {
    return judged.capture.process == judgements[0].capture.process;
  });
  for (const Judgement& judged : judgements) {
    const Capture& capture = judged.capture;
    // The number of a process is another one in each run.
    std::string name = fmt::format("capture {}: launch {}", capture.number, capture.launch);
    if (!has_one_process) name += fmt::format(" of process {}", capture.process);
    suite.Begin(capture.kernel, name, judged.seconds);
    if (IsAccused(judged)) suite.Fail(FailureMessage(judged), JudgementText(judged));
    if (judged.verdict == Verdict::kUndecided) {
      suite.Skip(fmt::format("{}", fmt::join(judged.reasons, "; ")));
      suite.Say(JudgementText(judged));
    }
    suite.End();
  }
  if (run.program_exit_code) {
    suite.Begin("assay exec", "program");
    if (*run.program_exit_code != 0) {
      suite.Fail(fmt::format("exit code {}", *run.program_exit_code), JudgeSummary(judgements));
    } else if (judgements.empty()) {
      suite.Skip("no launch was captured");
    }
    suite.End();
  }
  suite.AddSeconds(run.seconds);
  return suite.Document(run.command);
}

std::string JudgePage(const std::vector<Judgement>& judgements, const JudgedRun& run) {
  std::string summary = JudgeSummary(judgements);
  if (run.program_exit_code) {
    summary += fmt::format("the program ended with code {}\n", *run.program_exit_code);
  }
  std::string page = PageHead("assay judge", run.command, summary);
  page += PageTable(kKernelHeads, KernelRows(judgements));
  std::vector<std::vector<std::string>> rows;
  for (const Judgement& judged : judgements) {
    const Capture& capture = judged.capture;
    rows.push_back({capture.kernel, std::to_string(capture.launch), std::to_string(capture.process),
                    Sizes(capture.global), Sizes(capture.local), capture.device,
                    std::string(VerdictTitle(judged.verdict)), WorstError(judged.differences),
                    fmt::format("{:.3f}", judged.seconds)});
  }
  page += PageTable(kLaunchHeads, rows);
  for (const Judgement& judged : judgements) {
    if (judged.verdict == Verdict::kConform) continue;
    page += PageSectionText(
        {.severity = IsAccused(judged) ? "error" : "limit",
         .label = std::string(VerdictTitle(judged.verdict)),
         .message = fmt::format("kernel '{}', {}", judged.capture.kernel, LaunchName(judged)),
         .text = JudgementText(judged),
         .open = IsAccused(judged)});
  }
  return page + std::string(kPageEnd);
}

Expected<void> WriteJudgeFiles(const JudgeFiles& files, const std::vector<Judgement>& judgements,
                               const JudgedRun& run) {
  if (!files.sarif.empty()) {
    const auto sarif = JudgeSarif(judgements, run, CurrentFolder(), files.source_root);
    if (auto done = WriteOne(files.sarif, base::JsonText(sarif, 1) + "\n"); !done) return done;
  }
  if (!files.junit.empty()) {
    if (auto done = WriteOne(files.junit, JudgeJUnit(judgements, run)); !done) return done;
  }
  return files.html.empty() ? Expected<void>() : WriteOne(files.html, JudgePage(judgements, run));
}

}  // namespace assay::tools
