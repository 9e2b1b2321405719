// assay debug MODULE: a kernel under the debugger, at a terminal or from a script.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "base/called_as.h"
#include "base/text.h"
#include "numerics/shadow.h"
#include "tools/debug/commands.h"
#include "tools/debug/editor.h"
#include "tools/debug/inferior.h"
#include "tools/debug/load.h"
#include "tools/debug/progress.h"
#include "tools/debug/session.h"
#include "tools/debug/terminal.h"
#include "tools/run/options.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

constexpr const char* kPrompt = "(assay) ";

struct DebugOptions {
  RunOptions run;
  std::vector<std::string> files;  // of commands
  std::vector<std::string> commands;
  bool batch = false;
  bool transcript = false;
  int shadow = 0;  // bits; 0: none
};

// The module may stand where the number of bits can.
std::string CheckShadow(const std::string& text) {
  const auto bits = ParseCount(text, 0);
  if (bits && *bits >= static_cast<std::uint64_t>(numerics::kLeastShadowPrecision) &&
      *bits <= static_cast<std::uint64_t>(numerics::kMostShadowPrecision)) {
    return "";
  }
  return fmt::format(
      "'{}' is no number of bits from {} to {}; for {} bits write --shadow behind the "
      "module",
      text, numerics::kLeastShadowPrecision, numerics::kMostShadowPrecision,
      numerics::kDefaultShadowPrecision);
}

void Tell(DebugTerminal* terminal, const Error& error) {
  terminal->Log(base::Continued(error.message) + "\n");
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", base::CommandsAsCalled(base::Continued(error.message)).c_str());
}

// Commands from a pipe: each is a line, and an error does not end it.
void ReadPipe(DebugTerminal* terminal) {
  for (std::string line; !terminal->wants_to_quit() && std::getline(std::cin, line);) {
    terminal->ShowLine(line);
    // An empty line in a script is nothing to repeat.
    if (Trimmed(line).empty() && !terminal->is_inside()) continue;
    if (const auto done = terminal->Execute(line); !done) Tell(terminal, done.error());
  }
  if (const auto done = terminal->Finish(); !done) Tell(terminal, done.error());
}

// -x and -ex, in that order; false where one failed in a batch.
bool ExecuteGiven(const DebugOptions& options, DebugTerminal* terminal) {
  const auto execute = [&](const std::string& line) {
    const auto done = terminal->Execute(line);
    if (!done) Tell(terminal, done.error());
    return done.has_value();
  };
  for (const std::string& file : options.files) {
    if (!execute("source " + file) && options.batch) return false;
    if (terminal->wants_to_quit()) return true;
  }
  for (const std::string& line : options.commands) {
    terminal->ShowLine(line);
    if (!execute(line) && options.batch) return false;
    if (terminal->wants_to_quit()) return true;
  }
  // An open block continues at the prompt, if there is one.
  if (!options.batch) return true;
  const auto done = terminal->Finish();
  if (!done) Tell(terminal, done.error());
  return done.has_value();
}

// Said before the work and not behind it.
Expected<void> CheckResults(const RunOptions& options, const interp::Job& job) {
  for (const std::string& name : options.print) {
    if (const auto buffer = FindBuffer(job, "--print", name); !buffer) {
      return tl::unexpected(buffer.error());
    }
  }
  const auto saves = SavesOf(options, job);
  if (!saves) return tl::unexpected(saves.error());
  for (const SavedBuffer& save : *saves) {
    if (auto good = CheckOutput("--save", save.path); !good) return good;
  }
  return CheckReports(options);
}

int Debug(DebugOptions& options) {
  auto loaded = LoadForDebugger(&options.run);
  if (!loaded) return ReportError(loaded.error());
  loaded->prepared.shadow_bits = options.shadow;
  if (auto good = CheckResults(options.run, loaded->job); !good) return ReportError(good.error());
  const std::vector<std::string> modules = loaded->job.modules;
  const base::ReadScope reads = loaded->job.reads;
  HandleInterrupts();
  DebugTerminal* logs = nullptr;
  const bool on_terminal = isatty(STDOUT_FILENO) != 0;
  auto session = DebugSession::Start(
      std::move(loaded->job), std::move(loaded->prepared), [&](std::string_view text) {
        if (logs != nullptr) logs->Log(std::string(text));
        DebugTerminal::Write(on_terminal ? base::PrintableLines(text) : std::string(text));
      });
  if (!session) return ReportError(session.error());
  (*session)->progress = TerminalProgress();
  DebugTerminal terminal(session->get(), modules, reads);
  logs = &terminal;
  if (options.transcript) terminal.echo = kPrompt;
  const bool has_failed = !ExecuteGiven(options, &terminal);
  if (!has_failed && !options.batch && !terminal.wants_to_quit()) {
    if (isatty(STDIN_FILENO) != 0) {
      EditLines(&terminal, kPrompt, [&](const Error& error) { Tell(&terminal, error); });
    } else {
      ReadPipe(&terminal);
    }
  }
  if (auto logged = terminal.EndLog(); !logged) return ReportError(logged.error());
  if (WritesResults(options.run) && !(*session)->has_results()) {
    std::fprintf(stderr,
                 "assay: no run has come to its end: nothing was written for --print, --counts, "
                 "--save, --json, --sarif or --junit\n");
  }
  if (has_failed) return kExitUsage;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return ReportError({ErrorKind::kDevice,
                        "cannot write to stdout: a disk may be full, or the "
                        "program that reads it has ended"});
  }
  return (*session)->has_findings() ? kExitNonconforming : (*session)->exit_code();
}

}  // namespace

CLI::App* AddDebug(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<DebugOptions>();
  CLI::App* command = AddProgramCommand(app, "debug");
  AddRunOptions(command, &options->run);
  // A command line of `assay run` also works for `assay debug`, except options for many runs, or
  // for none.
  for (const char* name : {"--many-seeds", "--sub-group-sizes", "--explore", "--max-runs",
                           "--list-kernels", "--progress"}) {
    command->get_option(name)->group("");
  }
  command->option_defaults()->group("Debugger");
  command->add_option("-x,--command", options->files, "Execute the commands of a file first")
      ->allow_extra_args(false);
  command->add_option("--ex,--eval-command", options->commands, "Execute a command first")
      ->allow_extra_args(false);
  command->add_flag("--batch", options->batch,
                    "Execute only -x and --ex; stop at the first command that fails");
  command
      ->add_option(
          "--shadow", options->shadow,
          "Keep a shadow of this many bits beside every floating-point number (default 256)")
      ->expected(0, 1)
      ->default_str(std::to_string(numerics::kDefaultShadowPrecision))
      ->check(CheckShadow)
      ->type_name("BITS");
  command->add_flag("--transcript", options->transcript, "Show each command before its output");
  command->footer(
      "Example: assay debug saxpy.cl -g 8 -a float=2.5 -a 'float[8]=1' -a 'float[8]=1' "
      "--ex 'break saxpy' --ex run --ex 'info locals' --batch\n" +
      ArgumentsHelp() +
      "Commands: docs/debugger.md, and `help` inside.  Exit codes: 0, 1 a run had findings, 2 "
      "usage\n"
      "or a command of a batch failed, 3 not supported, 4 the machine failed, 5 internal error.");
  command->callback([options, exit_code] { *exit_code = Debug(*options); });
  return command;
}

}  // namespace assay::tools
