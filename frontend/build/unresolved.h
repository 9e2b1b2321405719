// What a linked program needs from another module.
#pragma once

#include <string>
#include <vector>

#include "frontend/module.h"

namespace assay::frontend {

// The names of functions and variables that are imported, without being built in, and that a kernel
// reaches; sorted.
std::vector<std::string> UnresolvedNames(const Module& module);

}  // namespace assay::frontend
