// The macros that decide which code of a source is compiled, and that a driver may define otherwise
// than assay does.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace assay::tools {

// The names in #if, #ifdef, #ifndef and #elif of all sources that neither the sources nor the build
// options define.  `extensions` is CL_DEVICE_EXTENSIONS: a name of an extension that the device
// and assay both have, or both lack, is left out.
std::set<std::string> OpenMacros(std::span<const std::string> sources,
                                 std::string_view build_options, std::string_view extensions);

}  // namespace assay::tools
