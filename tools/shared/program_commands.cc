#include "tools/shared/program_commands.h"

#include <CLI/CLI.hpp>
#include <string>

namespace assay::tools {

CLI::App* AddProgramCommand(CLI::App& app, const char* name) {
  const ProgramCommand* const row = FindProgramCommand(name);
  CLI::App* command = app.add_subcommand(name, std::string(row->summary));
  if (row->is_hidden) command->group("");
  return command;
}

}  // namespace assay::tools
