#include "tools/assay/tool_versions.h"

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <set>

#include "base/run_tool.h"
#include "base/text.h"

namespace assay::tools {
namespace {

// The first line that is not empty: "Debian clang version 15.0.6".
std::string FirstLine(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return "";
  return base::Printable(text.substr(begin, text.find('\n', begin) - begin));
}

}  // namespace

std::vector<LibraryVersion> LibraryVersions() {
  return {{"SPIRV-Tools", spvSoftwareVersionString()}, {"SPIRV-Headers", ASSAY_SPIRV_GRAMMAR}};
}

std::vector<ProgramVersion> ProgramVersions() {
  constexpr double kSeconds = 20;
  std::set<int> versions;
#define ASSAY_COMPILER(id, version, route) versions.insert(version);
#include "frontend/compilers.def"
#undef ASSAY_COMPILER
  std::vector<std::string> names;
  for (const int version : versions) {
    names.push_back(fmt::format("clang-{}", version));
    names.push_back(fmt::format("llvm-spirv-{}", version));
  }
  names.insert(names.end(), {"llvm-spirv", "bwrap"});
  std::vector<ProgramVersion> programs;
  for (const std::string& name : names) {
    ProgramVersion program{.name = name, .path = base::FindProgram(name)};
    if (program.path.empty()) continue;
    const auto said = base::RunTool({program.path, "--version"}, kSeconds);
    if (said && said->exit_status == 0) program.version = FirstLine(said->output);
    programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace assay::tools
