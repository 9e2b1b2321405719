// Whether output has colors.
#pragma once

#include <string_view>

namespace assay::tools {

// `wanted` is --color: "always", "never", or "auto", for which `file` (STDOUT_FILENO, ...) must be
// a terminal that has colors, and the user must not have refused them (https://no-color.org).
bool HasColor(std::string_view wanted, int file);

}  // namespace assay::tools
