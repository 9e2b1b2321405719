// Shows the progress of a run in a line on standard error, if that is a terminal.
#pragma once

#include <functional>

#include "tools/debug/channel.h"

namespace assay::tools {

// For DebugSession::progress; empty if standard error is not a terminal.
std::function<void(const DebugMessage&)> TerminalProgress();
// "12.3 M instructions, 5 of 64 work-groups, at work-item (320,0,0)".
std::string ProgressText(const DebugMessage& progress);

}  // namespace assay::tools
