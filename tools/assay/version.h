// `assay --version`, and with --json the versions of all that decides results.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

void AddVersion(CLI::App& app, int* exit_code);

}  // namespace assay::tools
