#include "tools/assay/merged_output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/brief.h"
#include "oracle/report/junit.h"
#include "oracle/report/rows.h"
#include "oracle/report/short_json.h"
#include "tools/report_page/output.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"
#include "tools/sweep/words.h"

namespace assay::tools {

void AddFull(CLI::App* command, bool* full) {
  command->add_flag("--full", *full,
                    "With --json: keep the errors by operand, for plots of `assay report`");
}

void AddMergedOutput(CLI::App* command, MergedOutput* output) {
  AddTableKind(command, &output->verbose, &output->wide);
  AddOutput(command, "--json", &output->json, "Write the report ('-': stdout, no table)");
  AddFull(command, &output->full);
  AddOutput(command, "--junit", &output->junit, "Write the verdicts as JUnit XML");
  AddOutput(command, "--html", &output->html, "Write the report as a page (see `assay report`)");
  command->add_flag("--no-origin", output->no_origin,
                    "Leave date, host and command line out of the reports");
}

int ShowMerged(const MergedOutput& output, const oracle::MergedReport& merged) {
  const oracle::Report& report = merged.report;
  int code = kExitConforming;
  const auto keep = [&](const Expected<void>& written) {
    if (!written) code = ReportError(written.error());
  };
  nlohmann::ordered_json content = merged.json;
  if (!output.full) oracle::LeaveOutErrorsByOperand(&content);
  const std::string json = base::JsonText(content, 1) + "\n";
  if (output.json == "-") {
    PrintRaw(json);  // CloseStdout tells where that fails
  } else {
    if (!output.json.empty()) keep(base::WriteFileAtomically(output.json, json));
    const oracle::TableKind kind = oracle::TableKindOf(output.verbose, output.wide);
    std::string table =
        fmt::format("device: {}; level {}, seed {}\n", oracle::DeviceText(report.device),
                    LevelText(report.run), report.run.options.inputs.seed) +
        oracle::TableBegin(kind);
    for (const oracle::FunctionResult& result : report.results) {
      table += oracle::TableLine(kind, result);
    }
    Print(table + oracle::TableEnd(kind, report));
  }
  if (!output.junit.empty()) {
    keep(base::WriteFileAtomically(output.junit, oracle::ToJUnit(report)));
  }
  if (!output.html.empty()) {
    const std::vector<oracle::InputReport> inputs = {
        {.path = "", .label = report.device.name, .report = report, .notes = {}}};
    keep(base::WriteFileAtomically(output.html, ReportPage(inputs, {}, {})));
  }
  const int verdict = VerdictExitCode(report);
  if (code == kExitConforming) return verdict;
  if (verdict == kExitNonconforming) {
    std::fprintf(stderr, "assay: the device does not conform: %s\n",
                 oracle::CountText(report).c_str());
  }
  return code;
}

int MergeFolder(const MergedOutput& output, const std::string& folder, std::uint64_t count,
                const oracle::Origin* origin) {
  std::vector<oracle::ShardFile> files;
  for (std::uint64_t index = 1; index <= count; ++index) {
    auto file = oracle::ReadShardFile(ShardPath(folder, index));
    if (!file) return ReportError(file.error());
    files.push_back(std::move(*file));
  }
  const auto all = oracle::MergeFiles(std::move(files));
  if (!all) return ReportError(all.error());
  oracle::Origin shown = origin != nullptr ? *origin : oracle::MergedOrigin(*all);
  if (output.no_origin) shown = {};
  const auto merged = oracle::MergedReportOf(*all, shown);
  if (!merged) return ReportError(merged.error());
  const int code = ShowMerged(output, *merged);
  if (code == VerdictExitCode(merged->report)) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  return code;
}

}  // namespace assay::tools
