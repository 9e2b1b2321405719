// The commands of the programs that lie beside assay.  assay starts them, so that a clone is ready
// to validate a driver without the interpreter, and to run a kernel without the debugger; help
// lists all commands.
#pragma once

#include <algorithm>
#include <string_view>

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

inline constexpr const char* kRunProgram = "assay-run";
inline constexpr const char* kDebugProgram = "assay-debug";

struct ProgramCommand {
  const char* program;
  std::string_view name;
  std::string_view summary;  // one sentence, without a point
  bool is_hidden = false;    // not in the list of commands
};

inline constexpr ProgramCommand kProgramCommands[] = {
    {kRunProgram, "golden", "Make and verify golden vectors, and judge devices by them"},
    {kRunProgram, "hunt", "Hunt for bugs of an OpenCL driver by random programs"},
    {kRunProgram, "run", "Execute a kernel exactly, and report its errors"},
    {kDebugProgram, "debug", "Execute a kernel under the debugger"},
    {kDebugProgram, "dap", "Debug kernels from an editor: the Debug Adapter Protocol"},
    {kRunProgram, "exec", "Run an OpenCL application on assay's driver, and report its errors"},
    {kRunProgram, "judge", "Judge captured launches: did the driver break a rule, or the kernel?"},
    {kRunProgram, "explain", "Explain a finding, with example kernels"},
    {kRunProgram, "build-server",
     "Build programs for the OpenCL driver (internal: the driver starts it)", true},
};

// Null: this is a command of assay itself, or none.
constexpr const ProgramCommand* FindProgramCommand(std::string_view name) {
  const auto* const found = std::ranges::find(kProgramCommands, name, &ProgramCommand::name);
  return found == std::ranges::end(kProgramCommands) ? nullptr : found;
}

// Adds one of them, with its summary, to its program.
CLI::App* AddProgramCommand(CLI::App& app, const char* name);

}  // namespace assay::tools
