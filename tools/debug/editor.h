// Command input: line editing, history and completion by libedit.
#pragma once

#include <functional>

#include "base/expected.h"
#include "tools/debug/terminal.h"

namespace assay::tools {

// Reads commands from the terminal until one ends the debugger or there are no more.  The history
// is kept in $XDG_STATE_HOME/assay/debug_history, or ~/.local/state.
void EditLines(DebugTerminal* terminal, const char* prompt,
               const std::function<void(const Error&)>& tell);

}  // namespace assay::tools
