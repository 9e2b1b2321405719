// Shows the progress of a run in a line on standard error, if that is a terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/debug/session.h"

namespace assay::tools {

// For DebugSession::progress; empty where nobody would see it.
std::function<void(const std::optional<SessionProgress>&)> TerminalProgress();
// "12.3 M instructions, 5 of 64 work-groups, at work-item (320,0,0)".
std::string ProgressText(const SessionProgress& progress);

}  // namespace assay::tools
