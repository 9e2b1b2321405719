// The command line around the commands: reading the words, help, and error messages.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/expected.h"

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace assay::tools {

// The words behind the program's name, as CLI11 is to see them: `help COMMAND` is `COMMAND --help`
// (but not with --json), and an operand such as -inf or -.5, which CLI11 would take for options,
// has a blank before it.
std::vector<std::string> WordsOf(int argc, const char* const* argv);
// Of `exec [OPTIONS] -- PROGRAM [ARGUMENTS]` and `exec PROGRAM [ARGUMENTS]` the program and its
// arguments, of which no word is an option of assay; of `sweep [OPTIONS] -- OPTIONS` those behind
// --. Other commands keep their words.
std::vector<std::string> TakeProgram(std::vector<std::string>* words);
// Such an operand without its blank; a transformation of the options that take operands.
std::string Operand(std::string text);

// Formats help texts: descriptions broken at 100 columns, with default values.
std::shared_ptr<CLI::FormatterBase> HelpFormatter();

// `assay help`, after all other commands.  Without --json WordsOf takes its place.
// `complete` adds what other programs have to the table of commands; null: nothing.
using HelpCompletion = Expected<void> (*)(nlohmann::ordered_json* help);
CLI::App* AddHelp(CLI::App& app, int* exit_code, HelpCompletion complete = nullptr);

// Parses the words and runs the command.  Returns `*exit_code`, which the command has set, or
// kExitUsage if the words are wrong, after a message with suggestions.
int RunCommand(CLI::App& app, const std::vector<std::string>& words, const int* exit_code);

}  // namespace assay::tools
