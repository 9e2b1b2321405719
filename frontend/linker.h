// Links several modules into one, by the names that they import and export (SPIR-V 2.8.1, linkage).
#pragma once

#include <span>
#include <string>

#include "base/expected.h"
#include "base/limits.h"
#include "frontend/loader.h"

namespace assay::frontend {

// Every import that another module exports is resolved; exports stay, so that the result can be
// linked again.  An import without an export stays an import; it is an error only if it is used.
// Built-in variables are such imports.  kUsage with the linker's message where two modules export
// one name, or an import is of another type than its export.  Warnings are about the linking alone.
// SPIRV-Tools' linker runs in a child process: kDevice where the budget is reached.
Expected<Binary> Link(std::span<const Binary> modules, std::string name,
                      const base::Budget& budget = {});

}  // namespace assay::frontend
