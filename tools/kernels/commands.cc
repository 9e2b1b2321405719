#include "tools/kernels/commands.h"

#include <CLI/CLI.hpp>
#include <string>

#include "tools/shared/kernel_commands.h"

namespace assay::tools {

CLI::App* AddKernelCommand(CLI::App& app, const char* name) {
  const KernelCommand* const row = FindKernelCommand(name);
  CLI::App* command = app.add_subcommand(name, std::string(row->summary));
  if (row->is_hidden) command->group("");
  return command;
}

}  // namespace assay::tools
