// The commands of the programs beside assay (tools/shared/program_commands.h): assay starts those
// programs for them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/shared/program_commands.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// The command in the words (of WordsOf), or the command of which help is asked.  Null: it is one of
// assay itself.
const ProgramCommand* ForwardedCommand(const std::vector<std::string>& words);

// Replaces this process by the command's program, with the same arguments.  Returns only where that
// fails: an exit code, after a message.
int Start(const ProgramCommand& command, char** argv);

// A command with its name and summary; it calls Start.
CLI::App* AddForwarded(CLI::App& app, const char* name, char** argv, int* exit_code);

// `help`: what TableJson gives of this program's commands.  The rows of forwarded commands are
// replaced by those that their programs give of them.
Expected<void> CompleteHelp(nlohmann::ordered_json* help);

}  // namespace assay::tools
