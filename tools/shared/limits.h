// --timeout and --max-memory of commands, and the forced end if code does not end by itself.
#pragma once

#include <string>

#include "base/expected.h"
#include "base/limits.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

struct LimitOptions {
  double timeout = 0;
  std::string max_memory = "8G";
  bool memory_given = false;
};

// Declares the options; `options` lives as long as the command.
void AddLimitOptions(CLI::App* command, LimitOptions* options);

// Applies the limits to the command from here on; kUsage for an invalid size.  If a limit is far
// exceeded, the program ends with a message and exit code 4.
Expected<base::Budget> StartBudget(const LimitOptions& options);

}  // namespace assay::tools
