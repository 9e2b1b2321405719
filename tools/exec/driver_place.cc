// Where the driver is, and how ICD loaders find it.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "tools/exec/launcher.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDriver = "libassay-opencl.so";
constexpr const char* kLayer = "libassay-layer.so";

}  // namespace

Expected<std::string> FindDriver(const std::string& option) {
  std::error_code error;
  if (!option.empty()) {
    const fs::path path = fs::canonical(option, error);
    if (!error && fs::is_regular_file(path, error)) return path.string();
    return Fail(ErrorKind::kUsage, fmt::format("--driver: there is no file '{}'", option));
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path();
  for (const char* lib : {"lib", "lib/x86_64-linux-gnu", "lib64"}) {
    const fs::path path = folder / lib / kDriver;
    if (fs::is_regular_file(path, error)) return fs::canonical(path, error).string();
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("there is no {} in '{}/lib'; build or install it beside the program, or "
                          "name it with --driver",
                          kDriver, folder.string()));
}

Expected<std::string> FindLayer() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path();
  for (const char* lib : {"lib", "lib/x86_64-linux-gnu", "lib64"}) {
    const fs::path path = folder / lib / kLayer;
    if (fs::is_regular_file(path, error)) return fs::canonical(path, error).string();
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("there is no {} in '{}/lib'; build or install it beside the program",
                          kLayer, folder.string()));
}

Expected<void> PointLoadersAt(const std::string& driver, bool keeps_platforms,
                              const std::string& folder, Program* program) {
  if (keeps_platforms) {
    const char* others = std::getenv("OCL_ICD_FILENAMES");
    program->set_variables["OCL_ICD_FILENAMES"] =
        others == nullptr || *others == '\0' ? driver : fmt::format("{}:{}", driver, others);
    return {};
  }
  // A folder with one file: each loader takes that for the list of drivers.
  std::error_code error;
  const fs::path vendors = fs::path(folder) / "vendors";
  fs::create_directory(vendors, error);
  if (error) {
    return Fail(ErrorKind::kDevice,
                fmt::format("cannot make '{}': {}", vendors.string(), error.message()));
  }
  const auto written = base::WriteFileAtomically((vendors / "assay.icd").string(), driver + "\n");
  if (!written) return written;
  program->set_variables["OCL_ICD_VENDORS"] = vendors.string();
  program->unset_variables.emplace_back("OCL_ICD_FILENAMES");
  return {};
}

}  // namespace assay::tools
