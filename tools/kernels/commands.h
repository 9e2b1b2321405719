// Registers the commands of assay-kernels; a command sets *exit_code when it runs.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// A command with its summary of kKernelCommands.
CLI::App* AddKernelCommand(CLI::App& app, const char* name);

CLI::App* AddGolden(CLI::App& app, int* exit_code);
CLI::App* AddRun(CLI::App& app, int* exit_code);
CLI::App* AddDebug(CLI::App& app, int* exit_code);
CLI::App* AddDap(CLI::App& app, int* exit_code);
// `program`: what TakeProgram took off the words.
CLI::App* AddExec(CLI::App& app, const std::vector<std::string>& program, int* exit_code);
CLI::App* AddJudge(CLI::App& app, int* exit_code);
CLI::App* AddExplain(CLI::App& app, int* exit_code);
CLI::App* AddBuildServer(CLI::App& app, int* exit_code);

}  // namespace assay::tools
