// What a module's meaning depends on: the libraries in this program, and the compilers in PATH.
#pragma once

#include <string>
#include <vector>

namespace assay::tools {

struct LibraryVersion {
  std::string name, version;
};
// SPIRV-Tools and the grammars of SPIRV-Headers, as they were when assay was built.
std::vector<LibraryVersion> LibraryVersions();

// An installed program that compiles OpenCL C (frontend/compilers.def), or confines compilers.
struct ProgramVersion {
  std::string name, path, version;
};
// Each is started to say its version.
std::vector<ProgramVersion> ProgramVersions();

}  // namespace assay::tools
