// assay report FILE...: reports of `assay validate` side by side.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/csv.h"
#include "oracle/report/junit.h"
#include "oracle/report/markdown.h"
#include "oracle/report/page.h"
#include "oracle/report/side_by_side.h"
#include "oracle/report/worst_table.h"
#include "tools/assay/commands.h"
#include "tools/assay/report_plot.h"
#include "tools/report_page/output.h"
#include "tools/report_page/worst_page.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/limits.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string baseline;
  std::string html, json, junit, markdown, csv, table;
  bool verbose = false, wide = false;
  PlotOptions plot;
  LimitOptions limits;
};

// The reports to show, and the notes about them.
struct Shown {
  std::vector<oracle::InputReport> inputs;  // the baseline first
  std::vector<oracle::Changes> changes;
  std::vector<std::string> notes;
  std::optional<oracle::ErrorPlot> plot;
};

Expected<Shown> ReadAll(const ReportOptions& options) {
  std::vector<std::string> paths = options.files;
  if (!options.baseline.empty()) paths.insert(paths.begin(), options.baseline);
  Expected<std::vector<oracle::InputReport>> inputs = oracle::ReadReports(paths);
  if (!inputs) return tl::unexpected<Error>(inputs.error());
  Shown shown{.inputs = std::move(*inputs), .changes = {}, .notes = {}, .plot = {}};
  shown.changes = oracle::CompareAll(shown.inputs, !options.baseline.empty());
  shown.notes = oracle::DifferencesBetweenRuns(shown.inputs);
  for (const oracle::InputReport& input : shown.inputs) {
    for (const std::string& note : input.notes) {
      shown.notes.push_back(fmt::format("{}: {}.", input.label, note));
    }
  }
  if (!options.plot.function.empty()) {
    Expected<oracle::ErrorPlot> plot = PlotFor(options.plot, shown.inputs);
    if (!plot) return tl::unexpected<Error>(plot.error());
    shown.plot = std::move(*plot);
  }
  return shown;
}

// By the end of the file's name: a page, LaTeX, or else Markdown.
std::string WorstTable(const std::string& path, const Shown& shown) {
  const auto columns = oracle::WorstColumns(shown.inputs);
  if (path.ends_with(".html")) return WorstPage(columns);
  return path.ends_with(".tex") ? WorstTableLatex(columns) : WorstTableMarkdown(columns);
}

std::string TextOf(oracle::TableKind kind, const Shown& shown) {
  std::string text = SideBySideTable(kind, shown.inputs) + ChangesText(shown.inputs, shown.changes);
  for (const std::string& note : shown.notes) {
    text += "\n" + base::Wrapped("note: " + base::Printable(note), 4);
  }
  return shown.notes.empty() ? text : text + "\n";
}

// An output: the option, the file, and the content.
struct Output {
  const char* option;
  const std::string* path;
  std::function<std::string(const Shown&)> text;
};

std::vector<Output> OutputsOf(const ReportOptions& options) {
  return {{"--html", &options.html,
           [](const Shown& s) { return ReportPage(s.inputs, s.changes, s.notes); }},
          {"--json", &options.json,
           [](const Shown& s) {
             return base::JsonText(ComparisonToJson(s.inputs, s.changes, s.notes), 1) + "\n";
           }},
          {"--junit", &options.junit, [](const Shown& s) { return oracle::ToJUnit(s.inputs); }},
          {"--markdown", &options.markdown,
           [](const Shown& s) { return ToMarkdown(s.inputs, s.changes, s.notes); }},
          {"--csv", &options.csv,
           [](const Shown& s) { return s.plot ? PlotToCsv(*s.plot) : oracle::ToCsv(s.inputs); }},
          {"--svg", &options.plot.svg, [](const Shown& s) { return PlotToSvg(*s.plot); }},
          {"--latex", &options.plot.latex, [](const Shown& s) { return PlotToLatex(*s.plot); }},
          {"--table", &options.table,
           [path = options.table](const Shown& s) { return WorstTable(path, s); }}};
}

Expected<void> CheckOutputs(const std::vector<Output>& outputs) {
  std::string on_stdout;
  for (const Output& output : outputs) {
    if (*output.path != "-") continue;
    if (!on_stdout.empty()) {
      return Fail(ErrorKind::kUsage, fmt::format("{} - and {} -: only one can have stdout; name a "
                                                 "file for the other",
                                                 on_stdout, output.option));
    }
    on_stdout = output.option;
  }
  return {};
}

Expected<void> WriteTo(const std::string& path, const std::string& text) {
  if (path != "-") return base::WriteFileAtomically(path, text);
  PrintRaw(text);  // CloseStdout tells where that fails
  return {};
}

int ShowReports(const ReportOptions& options) {
  const std::vector<Output> outputs = OutputsOf(options);
  if (auto checked = CheckOutputs(outputs); !checked) return ReportError(checked.error());
  if (auto checked = CheckPlot(options.plot, options.csv); !checked) {
    return ReportError(checked.error());
  }
  const auto budget = StartBudget(options.limits);
  if (!budget) return ReportError(budget.error());
  const base::Doing doing(*budget, "reading and comparing the reports");
  const Expected<Shown> shown = ReadAll(options);
  if (!shown) return ReportError(shown.error());
  if (shown->plot) {
    for (const std::string& note : shown->plot->notes) {
      std::fprintf(stderr, "assay: note: %s\n", note.c_str());
    }
  }
  bool written_anywhere = false;
  for (const Output& output : outputs) {
    if (output.path->empty()) continue;
    written_anywhere = true;
    if (auto written = WriteTo(*output.path, output.text(*shown)); !written) {
      return ReportError(written.error());
    }
  }
  if (!written_anywhere) {
    Print(TextOf(oracle::TableKindOf(options.verbose, options.wide), *shown));
  }
  // The baseline is what the others are held against: its own failures are not today's.
  constexpr int kGravest[] = {kExitNonconforming, kExitDevice, kExitUnsupported, kExitConforming};
  const auto* gravest = std::end(kGravest) - 1;
  for (std::size_t i = options.baseline.empty() ? 0 : 1; i < shown->inputs.size(); ++i) {
    const int code = VerdictExitCode(shown->inputs[i].report);
    gravest = std::min(gravest, std::find(std::begin(kGravest), gravest, code));
  }
  return *gravest;
}

}  // namespace

CLI::App* AddReport(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand(
      "report",
      "Reports of `assay validate` side by side: a table, a page, plots, Markdown, CSV, LaTeX");
  command->add_option("files", options->files, "Files of `assay validate --json`")
      ->required()
      ->type_name("FILE.json");
  command->add_option("--baseline", options->baseline, "Report to compare each of the others with");
  AddTableKind(command, &options->verbose, &options->wide);
  AddOutput(command, "--html", &options->html, "Write one page that needs no network");
  AddOutput(command, "--junit", &options->junit, "Write JUnit XML, one suite per report");
  AddOutput(command, "--markdown", &options->markdown, "Write Markdown");
  AddOutput(command, "--csv", &options->csv,
            "Write CSV, one line per report and operation; with --plot, the numbers of the plot");
  AddOutput(command, "--table", &options->table,
            "Write the largest errors, functions down and devices across: a page if the name ends "
            "in .html, a table for LaTeX if it ends in .tex, else Markdown");
  AddPlotOptions(command, &options->plot);
  AddOutput(command, "--json", &options->json, "Write counts and changes as JSON");
  AddLimitOptions(command, &options->limits);
  command->footer(
      "'-' is stdout; without any of these the table is printed there.\n"
      "Example: assay report old.json new.json --html report.html\n"
      "Example: assay report a.json b.json --plot sin:float --svg sin.svg");
  command->callback([options, exit_code] { *exit_code = ShowReports(*options); });
  return command;
}

}  // namespace assay::tools
