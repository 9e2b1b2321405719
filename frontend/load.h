// All steps from files to a module: compile, load, refuse, validate, link, decode.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "frontend/module.h"
#include "frontend/opencl_c.h"

namespace assay::frontend {

struct LoadOptions {
  CompileOptions compile;         // for files that end in .cl
  Specialization specialization;  // by SpecId
  base::Budget budget;            // of everything here
  // By path: OpenCL C that is compiled in place of the file.
  std::map<std::string, std::string> sources;
};

struct LoadedModule {
  std::shared_ptr<const Module> module;
  std::vector<std::string> warnings;  // about quirks that were let pass
  std::string compiler_messages;
  // Beside the files: what made SPIR-V of it, "clang-15 with llvm-spirv-15"; "" for SPIR-V.
  std::vector<std::string> compilers;
  std::vector<FileDigest> included;  // by sources, without the compilers' own headers
  bool from_cache = false;           // nothing had to be compiled
};

// Files of OpenCL C (.cl), SPIR-V binary or SPIR-V text; several are linked into one module.
// kDevice where the budget is reached.
Expected<LoadedModule> LoadModule(std::span<const std::string> paths, const LoadOptions& options);
// Binaries that are loaded already.
Expected<LoadedModule> LoadModule(std::span<const Binary> binaries,
                                  const Specialization& specialization,
                                  const base::Budget& budget = {});

}  // namespace assay::frontend
