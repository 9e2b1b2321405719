// OpenCL C to SPIR-V, by the compilers that `./dev setup` installs, with a cache.
#pragma once

#include <string>
#include <vector>

#include "frontend/loader.h"
#include "numerics/expected.h"

namespace assay::frontend {

enum class Compiler {
  kClang15,  // clang-15 to LLVM's bitcode, llvm-spirv-15 to SPIR-V with debug information
  kClang22,  // clang-22's own SPIR-V back end; debug information from its dump
};

struct CompileOptions {
  Compiler compiler = Compiler::kClang15;
  // The options of clBuildProgram (OpenCL API, 5.8.4), split at spaces; quotes and backslashes
  // keep them together.  They come last and so win: -O2, -cl-std=CL2.0, -D NAME=1, -I folder.
  // A relative -I is relative to the source file's folder.
  std::string build_options;
  double seconds = 60;  // a compiler that runs longer is ended
  bool use_cache = true;
};

struct Compiled {
  Binary binary;         // not validated yet
  std::string messages;  // the compilers' warnings, also where the cache answered
  bool from_cache = false;
};

// kUsage with the compiler's messages for a program with errors, or where the compiler is missing;
// kDevice where the compiler crashes or does not end.
Expected<Compiled> CompileFile(const std::string& path, const CompileOptions& options);
// `folder` is where #include looks first; `name` is for messages and debug information.
Expected<Compiled> CompileSource(const std::string& source, const std::string& name,
                                 const std::string& folder, const CompileOptions& options);

// Whether the compiler's programs are installed.
bool HasCompiler(Compiler compiler);

// The options as words, the way a shell without expansions would split them; kUsage for an
// unclosed quote.
Expected<std::vector<std::string>> SplitOptions(const std::string& text);

}  // namespace assay::frontend
