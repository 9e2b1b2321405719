// Registers the commands; a command sets *exit_code when it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "oracle/devices/device.h"

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
CLI::App* AddMerge(CLI::App& app, int* exit_code);
// `interpreter` opens the device of --interpreter; null: this program has none.
using InterpreterOpener = Expected<std::unique_ptr<oracle::Device>> (*)(numerics::Rounding);
CLI::App* AddServe(CLI::App& app, int* exit_code, InterpreterOpener interpreter);

}  // namespace assay::tools
