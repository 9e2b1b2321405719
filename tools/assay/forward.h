// The commands of assay-kernels (tools/shared/kernel_commands.h): assay starts that program for them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/expected.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// Whether the command in the words (of WordsOf), or the one of which help is asked, is one of assay-kernels.
bool IsForKernels(const std::vector<std::string>& words);

// Replaces this process by assay-kernels with the same arguments.  Returns only where that fails: an exit code, after
// a message.
int StartKernels(char** argv);

// A command with its name and summary; it calls StartKernels.
CLI::App* AddForwarded(CLI::App& app, const char* name, char** argv, int* exit_code);

// `help`: what TableJson gives of this program's commands.  The rows of forwarded commands are replaced by those that
// assay-kernels gives of them.
Expected<void> AddKernelsHelp(nlohmann::ordered_json* help);

}  // namespace assay::tools
