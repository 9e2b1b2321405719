// What a module may ask for: the capabilities, extensions and extended instruction sets that assay
// executes.  The rows are data (capabilities.def); everything else is refused at load, by name.
#pragma once

#include <string_view>

#include "frontend/loader.h"
#include "numerics/expected.h"

namespace assay::frontend {

class Module;

// kUnsupported with one line for each thing that is not supported; kUsage for a module that is not
// for OpenCL at all (its execution environment is named).
Expected<void> CheckCapabilities(const Binary& binary);

// The same for what no capability announces: images and samplers as types, and sub-groups by a
// scope or a built-in variable.
Expected<void> CheckFeatures(const Module& module);

bool IsSupported(Capability capability);
bool IsSupportedExtension(std::string_view name);

}  // namespace assay::frontend
