// The options of clBuildProgram, clCompileProgram and clLinkProgram (OpenCL API, 5.8.6 and 5.8.7).
//
// An application runs as the user, so -I may name any folder, and its programs may include any
// file. It may do nothing else that OpenCL does not have: no option is handed on to a compiler that
// is not in the tables of cl_options.cc.
#pragma once

#include <string>

#include "base/expected.h"
#include "frontend/build_options.h"

namespace assay::frontend {

struct CompilerOptions {
  BuildOptions words;         // for the compiler, with a -cl-std in any case
  std::string unknown_value;  // why the program cannot be built though the options are valid
};

// kUsage naming the first option that is none: CL_INVALID_BUILD_OPTIONS,
// CL_INVALID_COMPILER_OPTIONS.  A relative -I is below `folder`.
Expected<CompilerOptions> ReadCompilerOptions(const std::string& text, const std::string& folder);

struct LinkerOptions {
  bool creates_library = false;  // -create-library
};

// kUsage naming the first option that is none: CL_INVALID_LINKER_OPTIONS.
Expected<LinkerOptions> ReadLinkerOptions(const std::string& text);

}  // namespace assay::frontend
