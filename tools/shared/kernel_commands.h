// The commands of the program assay-kernels, which lies beside assay.  assay starts it for them, so that a clone is
// ready to validate a driver without the interpreter, and help lists all commands.
#pragma once

#include <algorithm>
#include <string_view>

namespace assay::tools {

struct KernelCommand {
  std::string_view name;
  std::string_view summary;  // one sentence, without a point
  bool is_hidden = false;    // not in the list of commands
};

inline constexpr KernelCommand kKernelCommands[] = {
    {"golden", "Make and verify golden vectors, and judge devices by them"},
    {"run", "Execute a kernel exactly, and report its errors"},
    {"debug", "Execute a kernel under the debugger"},
    {"dap", "Debug kernels from an editor: the Debug Adapter Protocol"},
    {"exec", "Run an OpenCL application on assay's driver, and report its errors"},
    {"judge", "Judge captured launches: did the driver break a rule, or the kernel?"},
    {"explain", "Explain a finding, with example kernels"},
    {"build-server", "Build programs for the OpenCL driver (internal: the driver starts it)", true},
};

// Null: this is no command of assay-kernels.
constexpr const KernelCommand* FindKernelCommand(std::string_view name) {
  const auto* const found = std::ranges::find(kKernelCommands, name, &KernelCommand::name);
  return found == std::ranges::end(kKernelCommands) ? nullptr : found;
}

}  // namespace assay::tools
