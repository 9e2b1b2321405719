// Registers the commands; a command sets *exit_code when it runs.
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
CLI::App* AddGolden(CLI::App& app, int* exit_code);
CLI::App* AddDap(CLI::App& app, int* exit_code);
CLI::App* AddDebug(CLI::App& app, int* exit_code);
CLI::App* AddRun(CLI::App& app, int* exit_code);
// `words`: the options of validate behind --, which TakeProgram took off the words.
CLI::App* AddSweep(CLI::App& app, const std::vector<std::string>& words, int* exit_code);
// `program`: what TakeProgram took off the words.
CLI::App* AddExec(CLI::App& app, const std::vector<std::string>& program, int* exit_code);
// Of `exec [OPTIONS] -- PROGRAM [ARGUMENTS]` and `exec PROGRAM [ARGUMENTS]` the program and its
// arguments, of which no word is an option of assay; of `sweep [OPTIONS] -- OPTIONS` those behind --.
// Other commands keep their words.
std::vector<std::string> TakeProgram(std::vector<std::string>* words);
CLI::App* AddJudge(CLI::App& app, int* exit_code);
CLI::App* AddExplain(CLI::App& app, int* exit_code);
CLI::App* AddReport(CLI::App& app, int* exit_code);
CLI::App* AddGenerateDocs(CLI::App& app, int* exit_code);
CLI::App* AddMerge(CLI::App& app, int* exit_code);
CLI::App* AddBuildServer(CLI::App& app, int* exit_code);
CLI::App* AddServe(CLI::App& app, int* exit_code);

}  // namespace assay::tools
