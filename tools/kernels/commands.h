// Registers the commands of assay-run; a command sets *exit_code when it runs.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

CLI::App* AddGolden(CLI::App& app, int* exit_code);
CLI::App* AddRun(CLI::App& app, int* exit_code);
// `program`: what TakeProgram took off the words.
CLI::App* AddExec(CLI::App& app, const std::vector<std::string>& program, int* exit_code);
CLI::App* AddJudge(CLI::App& app, int* exit_code);
CLI::App* AddHunt(CLI::App& app, int* exit_code);
CLI::App* AddExplain(CLI::App& app, int* exit_code);
CLI::App* AddBuildServer(CLI::App& app, int* exit_code);

}  // namespace assay::tools
