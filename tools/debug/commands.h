// Registers the commands of assay-debug; a command sets *exit_code when it runs.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

CLI::App* AddDebug(CLI::App& app, int* exit_code);
CLI::App* AddDap(CLI::App& app, int* exit_code);

}  // namespace assay::tools
