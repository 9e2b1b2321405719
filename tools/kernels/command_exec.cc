// assay exec -- PROGRAM: runs an OpenCL application on assay's driver and reports what it did
// wrong.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/called_as.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/run_tool.h"
#include "base/text.h"
#include "driver/report/read.h"
#include "driver/report/settings.h"
#include "interp/rules/detector_list.h"
#include "tools/exec/launcher.h"
#include "tools/exec/report.h"
#include "tools/kernels/commands.h"
#include "tools/kernels/exec_judge.h"
#include "tools/run/filter.h"
#include "tools/run/rule_names.h"
#include "tools/run/sarif.h"
#include "tools/shared/color.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/near_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

struct ExecOptions {
  std::vector<std::string> program;
  std::string driver;
  bool keep_platforms = false;
  std::map<std::string, std::string> settings;  // by variable
  std::string json, sarif, junit, html, source_root;
  std::vector<std::string> ignore_source;
  std::string color = "auto";
  bool quiet = false;
  bool judge = false;
  CaptureOptions capture;
};

// The driver wants whole paths, for the program may change its folder.
std::string WholePath(const std::string& path) {
  std::error_code gone;
  const auto whole = std::filesystem::absolute(path, gone);
  return gone ? path : whole.lexically_normal().string();
}

// "on|off": the words of a type that names them.
std::vector<std::string_view> WordsOfType(std::string_view type) {
  std::vector<std::string_view> words;
  while (type.find('|') != std::string_view::npos || !words.empty()) {
    const std::size_t end = std::min(type.find('|'), type.size());
    words.push_back(type.substr(0, end));
    if (end == type.size()) break;
    type.remove_prefix(end + 1);
  }
  return words;
}

// Before the setting's own check, which has no suggestions.
void CheckNames(const driver::SettingRow& row, CLI::Option* option) {
  if (const auto words = WordsOfType(row.type); !words.empty()) option->check(OneOf(words));
  if (row.option != "--detect") return;
  option->check(SuggestDetectors())->check([](const std::string& value) -> std::string {
    const auto detectors = interp::ParseDetectorList(value);
    if (detectors || detectors.error().is_mixed) return "";
    std::vector<std::string_view> names = {"all", "none"};
    for (const interp::Detector one : interp::AllDetectors()) {
      names.push_back(interp::DetectorName(one));
    }
    return UnknownValue(detectors.error().unknown, names);
  });
}

void AddSettings(CLI::App* command, ExecOptions* options) {
  command->option_defaults()->group("How kernels are executed and checked");
  for (const driver::SettingRow& row : driver::SettingRows()) {
    if (row.option.empty()) continue;
    const std::string variable(row.variable);
    const bool is_folder = row.type == "FOLDER";
    const auto parse = row.parse;
    CLI::Option* option = command->add_option(std::string(row.option), options->settings[variable],
                                              fmt::format("{} [{}]", row.help, row.variable));
    option->type_name(std::string(row.type));
    CheckNames(row, option);
    option
        ->transform([is_folder](const std::string& value) {
          return is_folder && !value.empty() ? WholePath(value) : value;
        })
        ->check([parse](const std::string& value) {
          driver::Settings ignored;
          const auto parsed = parse(value, &ignored);
          return parsed ? std::string() : parsed.error().message;
        });
  }
}

Expected<void> WriteFiles(const ExecReport& report, const ExecOptions& options) {
  const auto write = [](const std::string& path, const auto& make) -> Expected<void> {
    if (path.empty()) return {};
    return base::WriteFileAtomically(path, make());
  };
  if (auto done = write(options.json, [&] { return ExecJson(report).dump(1) + "\n"; }); !done) {
    return done;
  }
  const auto sarif = [&] {
    const SarifMore more{.root = options.source_root, .sources = report.sources};
    return SarifOf(AsRunReport(report), CurrentFolder(), more).dump(1) + "\n";
  };
  if (auto done = write(options.sarif, sarif); !done) return done;
  if (auto done = write(options.junit, [&] { return ExecJUnit(report); }); !done) return done;
  return write(options.html, [&] { return ExecPage(report); });
}

// What this program says; stdout belongs to the application.
void Say(const std::string& text) {
  const std::string lines = InColumns(base::PrintableLines(text), TerminalColumns(STDERR_FILENO));
  std::fputs(lines.c_str(), stderr);
}

int Report(const ExecReport& report, const ExecOptions& options) {
  const bool color = HasColor(options.color, STDERR_FILENO);
  // Findings escape what is not theirs; with colors they have escape sequences of their own.
  const std::string text = base::CommandsAsCalled(ExecText(report, color));
  std::fputs(InColumns(text, TerminalColumns(STDERR_FILENO)).c_str(), stderr);
  if (!options.quiet || report.processes.empty()) {
    std::string summary = ExecSummary(report);
    for (std::size_t at = 0; at < summary.size(); at = summary.find('\n', at) + 1) {
      summary.insert(at, "assay: ");
    }
    Say(summary);
  }
  if (const auto written = WriteFiles(report, options); !written) {
    return ReportError(written.error());
  }
  return ExecExitCode(report);
}

int Run(const ExecOptions& options) {
  if (options.program.empty()) {
    return ReportError(
        {ErrorKind::kUsage, "exec: name a program: `assay exec [OPTIONS] -- PROGRAM [ARGUMENTS]`"});
  }
  if (options.judge) {
    return RunAndJudge({.program = options.program,
                        .capture = options.capture,
                        .device_type = options.settings.at("ASSAY_DEVICE_TYPE"),
                        .folder = options.settings.at("ASSAY_SAVE_JOBS"),
                        .json = options.json,
                        .files = {.sarif = options.sarif,
                                  .junit = options.junit,
                                  .html = options.html,
                                  .source_root = options.source_root},
                        .quiet = options.quiet});
  }
  const auto driver = FindDriver(options.driver);
  if (!driver) return ReportError(driver.error());
  const auto folder = base::TemporaryFolder::Make();
  if (!folder) return ReportError(folder.error());
  Program program{.words = options.program};
  for (const auto& [variable, value] : options.settings) {
    if (!value.empty()) program.set_variables[variable] = value;
  }
  const std::string reports = folder->File("report");
  std::error_code error;
  if (!std::filesystem::create_directory(reports, error)) {
    return ReportError(
        {ErrorKind::kDevice, fmt::format("cannot make '{}': {}", reports, error.message())});
  }
  program.set_variables["ASSAY_REPORT_DIR"] = reports;
  if (auto done = PointLoadersAt(*driver, options.keep_platforms, folder->path(), &program);
      !done) {
    return ReportError(done.error());
  }
  const auto start = std::chrono::steady_clock::now();
  int not_started = kExitUsage;
  const auto end = RunProgram(program, &not_started);
  if (!end) {
    ReportError(end.error());
    return not_started;
  }
  auto logs = driver::ReadLogs(reports);
  if (!logs) return ReportError(logs.error());
  std::vector<Ignore> ignored;
  for (const std::string& glob : options.ignore_source) ignored.push_back(IgnoreSource(glob));
  ExecReport report = MergeLogs(std::move(*logs), reports, std::move(ignored));
  report.command = options.program;
  report.driver = *driver;
  report.end = *end;
  report.seconds = base::SecondsSince(start);
  return Report(report, options);
}

}  // namespace

CLI::App* AddExec(CLI::App& app, const std::vector<std::string>& program, int* exit_code) {
  auto options = std::make_shared<ExecOptions>();
  CLI::App* command = AddProgramCommand(app, "exec");
  command->add_flag("--keep-platforms", options->keep_platforms,
                    "Leave the other platforms of this machine to the program, beside assay's");
  command->add_option("--driver", options->driver,
                      "The driver (default: libassay-opencl.so beside this program)");
  AddSettings(command, options.get());
  CLI::Option* judge = command->add_flag(
      "--judge", options->judge,
      "Run the program on its own drivers, capture launches, and judge driver and kernel");
  AddCaptureOptions(command, judge, &options->capture);
  command->option_defaults()->group("What is reported");
  command->add_option("--ignore-source", options->ignore_source, std::string(kIgnoreSourceHelp))
      ->type_name("GLOB")
      ->allow_extra_args(false);
  AddOutput(command, "--json", &options->json, "Write the report");
  AddOutput(command, "--sarif", &options->sarif, "Write the findings as SARIF 2.1.0");
  AddSourceRoot(command, &options->source_root);
  AddOutput(command, "--junit", &options->junit, "Write the errors as JUnit XML");
  AddOutput(command, "--html", &options->html, "Write the report as a page");
  command
      ->add_option("--color", options->color,
                   "When colors are shown; auto: at a terminal, without NO_COLOR")
      ->check(OneOf({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_flag("-q,--quiet", options->quiet, "Do not show the summary");
  command->footer(
      "Usage: assay exec [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
      "Example: assay exec --json report.json -- ./my_app input.dat\n"
      "The report goes to stderr when the program and all that it started have ended.\n"
      "Exit codes: 1 undefined behavior or an undefined value was found, else the program's own\n"
      "(128 + number: a signal ended it; 127: not found; 126: cannot be run); 2 wrong options.");
  command->callback([options, program, exit_code] {
    options->program = program;
    *exit_code = Run(*options);
  });
  return command;
}

}  // namespace assay::tools
