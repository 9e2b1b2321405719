// `assay --version`, and with --json the versions of all that decides results.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// Also says that a command must be named where neither is.
void AddVersion(CLI::App& app, int* exit_code);

}  // namespace assay::tools
