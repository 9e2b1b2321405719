// Registers the commands of assay itself; a command sets *exit_code when it runs.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// `words`: the command line, which reports repeat.
CLI::App* AddValidate(CLI::App& app, const std::vector<std::string>& words, int* exit_code);
CLI::App* AddEval(CLI::App& app, int* exit_code);
CLI::App* AddList(CLI::App& app, int* exit_code);
CLI::App* AddDevices(CLI::App& app, int* exit_code);
CLI::App* AddCertify(CLI::App& app, int* exit_code);
// `words`: the options of validate behind --, which TakeProgram took off the words.
CLI::App* AddSweep(CLI::App& app, const std::vector<std::string>& words, int* exit_code);
CLI::App* AddReport(CLI::App& app, int* exit_code);
CLI::App* AddMatrix(CLI::App& app, int* exit_code);
CLI::App* AddMerge(CLI::App& app, int* exit_code);

}  // namespace assay::tools
