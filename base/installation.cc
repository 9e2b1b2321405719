#include "base/installation.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace assay::base {
namespace {

namespace fs = std::filesystem;

// "" where the system does not say it.
fs::path ProgramFolder() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  return failure ? fs::path() : program.parent_path();
}

bool Exists(const fs::path& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

// Where programs are in build/PRESET/bin.
fs::path CloneFolder() {
  const fs::path builds = ProgramFolder().parent_path().parent_path();
  const fs::path clone = builds.parent_path();
  const bool is_clone =
      builds.filename() == "build" && Exists(clone / "dev") && Exists(clone / "CMakePresets.json");
  return is_clone ? clone : fs::path();
}

}  // namespace

bool IsInClone() { return !CloneFolder().empty(); }

std::string ProgramBeside(std::string_view name) { return (ProgramFolder() / name).string(); }

std::string DocumentsFolder() {
  for (const fs::path& folder :
       {(ProgramFolder() / ASSAY_DOCUMENTS_FROM_PROGRAM).lexically_normal(), CloneFolder()}) {
    if (folder.empty() || !Exists(folder / "docs/rules.md")) continue;
    const std::string path = folder.string();
    return path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  }
  return "";
}

std::string HowToInstall(const std::string& packages) {
  return IsInClone() ? fmt::format("`./dev setup` does it, or apt install {}", packages)
                     : fmt::format("on Debian: apt install {}", packages);
}

}  // namespace assay::base
