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

// A program of the compilers; path and version are empty where it is not installed.
struct ProgramVersion {
  std::string name, path, version;
};
// In the order in which they are used; each is started to say its version.
std::vector<ProgramVersion> ProgramVersions();

}  // namespace assay::tools
