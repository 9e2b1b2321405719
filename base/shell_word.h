// A word of a command for a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace assay::base {

// In quotes where it needs them: 'int[4]=0'.
std::string ShellWord(std::string_view text);

}  // namespace assay::base
