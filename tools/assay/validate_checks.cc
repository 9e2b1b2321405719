#include "tools/assay/validate_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "numerics/near_names.h"
#include "oracle/checks/run.h"
#include "tools/assay/validate_kinds.h"
#include "tools/page/document.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using oracle::CheckReport;
using oracle::CheckResult;
using oracle::CheckVerdict;

Expected<void> CheckOptionsTogether(const ValidateOptions& options) {
  if (auto checked = CheckTaken(ValidationKind::kLists, options); !checked) return checked;
  if (!options.at.empty() && !options.baseline.empty()) {
    return Fail(ErrorKind::kUsage,
                "--at with --baseline: one input cannot be compared with a whole report; leave one "
                "of them out");
  }
  if (!options.baseline.empty() &&
      (options.baseline == options.json || options.baseline == options.junit ||
       options.baseline == options.html)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--baseline '{}' would be overwritten by the new report; write to "
                            "another file",
                            options.baseline));
  }
  return {};
}

int ExitCodeOf(const CheckReport& report) {
  bool lost = false, judged = false;
  for (const CheckResult& result : report.results) {
    if (result.verdict == CheckVerdict::kFail) return kExitNonconforming;
    lost = lost || result.verdict == CheckVerdict::kNotMeasured;
    judged = judged || result.verdict == CheckVerdict::kPass;
  }
  if (lost) return kExitDevice;
  return judged ? kExitConforming : kExitUnsupported;
}

std::string PageOf(const CheckReport& report) {
  std::vector<std::vector<std::string>> rows, outcomes;
  std::string sections;
  for (const CheckResult& result : report.results) {
    rows.push_back({result.name, std::string(CheckVerdictText(result.verdict)),
                    fmt::format("{}", result.tally.answers),
                    fmt::format("{}", result.tally.failures), result.clause, result.message});
    for (const auto& seen : result.tally.seen) {
      outcomes.push_back(
          {result.name, seen.outcome, fmt::format("{}", seen.times), seen.weak ? "weak" : ""});
    }
    const std::string complaint = CheckComplaint(report, result);
    if (complaint.empty()) continue;
    sections += PageSectionText({.severity = "error",
                                 .label = std::string(CheckVerdictText(result.verdict)),
                                 .message = result.name,
                                 .text = complaint});
  }
  std::string page =
      PageHead(fmt::format("assay validate: {}", report.device.name),
               fmt::format("assay validate {}", report.run.device_option), CheckCounts(report)) +
      sections;
  constexpr std::string_view kHeads[] = {"row", "verdict", "answers", "failures", "clause", "why"};
  page += PageTable(kHeads, rows);
  constexpr std::string_view kOutcomeHeads[] = {"row", "outcome", "times", ""};
  if (!outcomes.empty()) page += PageTable(kOutcomeHeads, outcomes);
  return page + std::string(kPageEnd);
}

// What is said of the run: against a baseline only what got worse is nonconforming.
struct Said {
  CheckReport report;
  std::optional<oracle::CheckChanges> changes;

  int Code() const {
    const int code = ExitCodeOf(report);
    if (!changes) return code;
    if (!changes->worse.empty()) return kExitNonconforming;
    return code == kExitUnsupported ? code : kExitConforming;
  }
};

int Write(const ValidateOptions& options, const Said& said) {
  int code = kExitConforming;
  const auto keep = [&](Expected<void> written) {
    if (!written) code = ReportError(written.error());
  };
  nlohmann::ordered_json json = CheckReportToJson(said.report);
  if (said.changes) {
    json["baseline"] = {{"worse", said.changes->worse}, {"better", said.changes->better}};
  }
  const std::string text = base::JsonText(json, 1) + "\n";
  if (options.json == "-") {
    PrintRaw(text);  // CloseStdout tells where that fails
  } else if (!options.json.empty()) {
    keep(base::WriteFileAtomically(options.json, text));
  }
  if (!options.junit.empty()) {
    keep(base::WriteFileAtomically(options.junit, CheckReportToJUnit(said.report)));
  }
  if (!options.html.empty()) keep(base::WriteFileAtomically(options.html, PageOf(said.report)));
  return code;
}

std::string ChangesText(const oracle::CheckChanges& changes) {
  return fmt::format("against the baseline: {} worse{}{}, {} better\n", changes.worse.size(),
                     changes.worse.empty() ? "" : ": ", fmt::join(changes.worse, ", "),
                     changes.better.size());
}

std::string Shown(const CheckReport& report, const CheckResult& result, bool verbose) {
  const std::string complaint = CheckComplaint(report, result);
  if (complaint.empty()) return verbose ? CheckLine(result) : "";
  return base::PrintableLines(complaint) + "\n";
}

// The rows that the command names, in the order of the lists.
Expected<std::vector<oracle::Check>> ChecksOf(const ValidateOptions& options,
                                              const oracle::DeviceFacts& facts) {
  auto checks = SelectChecks(AllChecks(facts), options.functions);
  if (!checks || options.at.empty()) return checks;
  if (checks->size() != 1 || !checks->front().has_operands) {
    return Fail(ErrorKind::kUsage,
                "--at gives the operands of one row: name one of @integer whose rows have operands "
                "in --functions");
  }
  return checks;
}

void RunAll(const ValidateOptions& options, oracle::Device& device, oracle::AnswersKernels& kernels,
            const oracle::DeviceFacts& facts, const std::vector<oracle::Check>& checks,
            CheckReport* report) {
  const oracle::SweepOptions& sweep = report->run.options;
  const oracle::CheckOptions asked = {.level = sweep.inputs.level,
                                      .seed = sweep.inputs.seed,
                                      .max_failures = sweep.max_failures,
                                      .widths = sweep.widths,
                                      .at = options.at};
  oracle::CheckSession session;
  Progress progress(options.progress);
  for (std::size_t k = 0; k < checks.size(); ++k) {
    if (g_interrupted) {
      report->interrupted = true;
      report->results.push_back({.list = checks[k].list,
                                 .name = checks[k].name,
                                 .clause = checks[k].clause,
                                 .message = "interrupted"});
      continue;
    }
    progress.Begin(k, checks.size(), checks[k].name);
    report->results.push_back(RunCheck(device, kernels, facts, checks[k], asked, &session));
    progress.Clear();
    if (report->results.back().bad_operands) return;
    if (options.json != "-") Print(Shown(*report, report->results.back(), options.verbose));
  }
}

std::vector<std::string> ListNames() {
  std::vector<std::string> names;
  for (const oracle::CheckList list : oracle::kCheckLists) {
    names.push_back(fmt::format("@{}", oracle::CheckListName(list)));
  }
  return names;
}

bool IsGroup(const std::string& name) {
  const auto groups = oracle::OperationGroups();
  return std::any_of(groups.begin(), groups.end(),
                     [&](const oracle::OperationGroup& group) { return group.name == name; });
}

}  // namespace

Expected<bool> AsksForChecks(const ValidateOptions& options) {
  const auto is_check = [](const std::string& name) { return oracle::IsCheckName(name); };
  const auto& names = options.functions;
  const std::vector<std::string> lists = ListNames();
  if (std::none_of(names.begin(), names.end(), is_check)) {
    for (const std::string& name : names) {
      if (!name.starts_with('@') || IsGroup(name)) continue;
      const std::string meant = numerics::DidYouMean(name, lists);
      if (meant.empty()) continue;
      return Fail(ErrorKind::kUsage,
                  fmt::format("--functions: unknown list '{}': {}the lists are {}", name, meant,
                              fmt::join(lists, ", ")));
    }
    return false;
  }
  const auto other = std::find_if_not(names.begin(), names.end(), is_check);
  if (other != names.end()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--functions: '{}' and rows of {} are asked in runs of their own",
                            *other, fmt::join(lists, ", ")));
  }
  if (auto checked = CheckOptionsTogether(options); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  return true;
}

int ValidateChecks(const ValidateOptions& options, oracle::Device& device,
                   const oracle::RunInfo& run, const std::string& title) {
  auto* kernels = dynamic_cast<oracle::AnswersKernels*>(&device);
  if (kernels == nullptr) {
    return ReportError({ErrorKind::kUnsupported,
                        "only OpenCL devices are asked for rows of these lists (--opencl)"});
  }
  const auto facts = AskFacts(*kernels, device.Description());
  if (!facts) return ReportError(facts.error());
  const auto checks = ChecksOf(options, *facts);
  if (!checks) return ReportError(checks.error());
  if (options.list) {
    for (const oracle::Check& check : *checks) Print(check.name + "\n");
    return kExitConforming;
  }
  std::string baseline;
  Said said{.report = {.device = device.Description(), .run = run, .results = {}},
            .changes = std::nullopt};
  if (!options.baseline.empty()) {
    auto read = base::ReadWholeFile(options.baseline);
    if (!read) return ReportError(read.error());
    baseline = std::move(*read);
    // Before anything is asked: is it such a report at all?
    if (auto fits = CompareChecks(options.baseline, baseline, said.report); !fits) {
      return ReportError(fits.error());
    }
  }
  HandleInterrupts();
  const bool table = options.json != "-";
  if (table) {
    Print(fmt::format("device: {}; level {}, seed {}\n", base::Printable(title), run.level,
                      run.options.inputs.seed));
  }
  RunAll(options, device, *kernels, *facts, *checks, &said.report);
  if (!said.report.results.empty() && said.report.results.back().bad_operands) {
    return ReportError({ErrorKind::kUsage, said.report.results.back().message});
  }
  if (!options.baseline.empty()) {
    auto changes = CompareChecks(options.baseline, baseline, said.report);
    if (!changes) return ReportError(changes.error());
    said.changes = std::move(*changes);
  }
  if (table) {
    Print(CheckPortrait(said.report) + CheckCounts(said.report) + "\n" +
          (said.changes ? ChangesText(*said.changes) : ""));
  }
  const int written = Write(options, said);
  if (written != kExitConforming) {
    if (said.Code() == kExitNonconforming) {
      std::fprintf(stderr, "assay: the device does not conform: %s\n",
                   CheckCounts(said.report).c_str());
    }
    return written;
  }
  if (!said.report.interrupted) return said.Code();
  std::fprintf(stderr, "assay: interrupted; the report holds what was measured\n");
  return kExitInterrupted;
}

}  // namespace assay::tools
