// The compilers of OpenCL C: which clang, and what makes SPIR-V of what it writes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace assay::frontend {

// A version of clang, with the translator of its version (LLVM's bitcode to SPIR-V, with debug
// information) or with its own SPIR-V target (debug information comes from its dump).
enum class Compiler : std::uint8_t {
#define ASSAY_COMPILER(id, version, route) id,
#include "frontend/compilers.def"
#undef ASSAY_COMPILER
};

// All of them, the preferred ones first.
std::span<const Compiler> AllCompilers();

// "clang-19", or "clang-22+llvm-spirv" where that version has a target of its own as well.
std::string CompilerName(Compiler compiler);
std::vector<std::string> CompilerNames();
// kUsage for another name; the message has all names.
Expected<Compiler> ParseCompiler(std::string_view name);

struct CompilerPrograms {
  int version = 0;  // of LLVM
  std::string clang;
  std::string translator;  // empty: clang's own SPIR-V target
};

// Their paths.  kUsage, with what to install, where a program is missing.
Expected<CompilerPrograms> FindPrograms(Compiler compiler);

bool HasCompiler(Compiler compiler);  // whether its programs are installed
std::vector<Compiler> InstalledCompilers();
// The first one that is installed and has a SPIR-V target of its own.
std::optional<Compiler> SecondCompiler();

// "no compiler of OpenCL C is installed: ...", with what to install.
std::string NoCompilerMessage();

}  // namespace assay::frontend
