// The predefined macros of OpenCL C that describe assay as a device.  Internal to the compilation
// of OpenCL C.
//
// clang's macros describe its generic SPIR target, which supports everything.  A program with
// #ifdef would then use features that assay refuses.  The declarations in the compilers' headers
// stay: a kernel that uses a feature without #ifdef is still compiled, and refused by name when it
// is launched.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

// Optional features and extensions that clang announces and that assay executes, or lacks.
std::span<const std::string_view> ExecutedMacros();
std::span<const std::string_view> MissingMacros();

// Directives that come before a source: __OPENCL_VERSION__ (OpenCL C, Preprocessor Directives and
// Macros), and directives that undefine the macros of missing features.  Macros that the user's
// options name are not changed.
std::string DeviceProlog(const std::vector<std::string>& user_options);

}  // namespace assay::frontend
