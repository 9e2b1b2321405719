#include "oracle/devices/opencl_drivers.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace assay::oracle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVendors = "/etc/OpenCL/vendors";

fs::path VendorsPath() {
  for (const char* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return kVendors;
}

// The loader takes the first line.
std::string LibraryIn(const fs::path& icd) {
  const auto text = base::ReadWholeFile(icd.string());
  if (!text) return "";
  std::string line = text->substr(0, text->find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// "libtbb.so.12" of "libtbb.so.12: cannot open shared object file: No such file or directory".
std::string MissingFile(const std::string& reason) {
  const std::size_t at = reason.find(": cannot open shared object file: No such file");
  return at == std::string::npos ? "" : reason.substr(0, at);
}

// The folder near a driver that has the file which it needs; "" where there is none.
std::string FolderNear(const std::string& library, const std::string& file) {
  std::error_code failure;
  fs::path folder = fs::weakly_canonical(library, failure).parent_path();
  constexpr int kFoldersUp = 3;
  for (int up = 0; up < kFoldersUp && folder != folder.root_path();
       ++up, folder = folder.parent_path()) {
    for (const fs::path& place : {folder, folder / "lib", folder / "lib64"}) {
      if (fs::exists(place / file, failure)) return place.string();
    }
  }
  return "";
}

std::string Remedy(const RegisteredDriver& driver, const std::string& reason) {
  const std::string& library = driver.library;
  const std::string missing = MissingFile(reason);
  if (missing == library && library.find('/') == std::string::npos) {
    return "; install the driver again, or add the folder that has the file to LD_LIBRARY_PATH";
  }
  if (missing == library) {
    return fmt::format("; correct {}, or install the driver again",
                       driver.icd.empty() ? "OCL_ICD_VENDORS" : "the path in the .icd file");
  }
  if (!missing.empty()) {
    const std::string folder = FolderNear(library, missing);
    if (!folder.empty()) {
      return fmt::format("; it lies in '{0}': export LD_LIBRARY_PATH={0}", folder);
    }
    return fmt::format(
        "; install the package that has {}, or add its folder to LD_LIBRARY_PATH "
        "(Intel's runtime: `. /opt/intel/oneapi/setvars.sh` does it)",
        missing);
  }
  if (reason.find("' not found (required by") != std::string::npos) {
    return "; it was built for another system: install the driver of this one";
  }
  if (reason.find("wrong ELF class") != std::string::npos) {
    return "; it was built for another processor: install the driver of this one";
  }
  return "; install the driver again";
}

RegisteredDriver DriverOf(const fs::path& icd, std::string library) {
  RegisteredDriver driver{.icd = icd.string(), .library = std::move(library), .problem = ""};
  if (driver.library.empty()) {
    driver.problem = "the file cannot be read, or names no library";
    return driver;
  }
  // Never closed, as the loader itself never closes a driver.
  if (dlopen(driver.library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return driver;
  const char* const said = dlerror();
  const std::string reason = said == nullptr ? "the system does not say why" : said;
  const std::string own = driver.library + ": ";
  driver.problem = fmt::format("the driver '{}' does not load: {}{}", driver.library,
                               reason.starts_with(own) ? reason.substr(own.size()) : reason,
                               Remedy(driver, reason));
  return driver;
}

}  // namespace

std::vector<RegisteredDriver> RegisteredDrivers() {
  const fs::path vendors = VendorsPath();
  std::error_code failure;
  if (!fs::is_directory(vendors, failure)) {
    if (vendors == kVendors) return {};
    if (vendors.extension() == ".icd") {
      const fs::path icd = vendors.has_parent_path() ? vendors : kVendors / vendors;
      return {DriverOf(icd, LibraryIn(icd))};
    }
    return {DriverOf("", vendors.string())};
  }
  std::vector<fs::path> icds;
  for (const fs::directory_entry& entry : fs::directory_iterator(vendors, failure)) {
    if (entry.path().extension() == ".icd") icds.push_back(entry.path());
  }
  std::ranges::sort(icds);
  std::vector<RegisteredDriver> drivers;
  for (const fs::path& icd : icds) drivers.push_back(DriverOf(icd, LibraryIn(icd)));
  return drivers;
}

std::vector<std::string> DriversThatDoNotLoad(const std::vector<RegisteredDriver>& drivers) {
  std::vector<std::string> texts;
  for (const RegisteredDriver& driver : drivers) {
    if (driver.problem.empty()) continue;
    texts.push_back(
        fmt::format("{}: {}", driver.icd.empty() ? "OCL_ICD_VENDORS" : driver.icd, driver.problem));
  }
  return texts;
}

std::string WhyNoPlatform(const std::vector<RegisteredDriver>& drivers) {
  if (drivers.empty()) {
    return fmt::format(
        "no OpenCL driver is registered on this machine: '{}' has no .icd file; install a driver, "
        "on Debian: apt install pocl-opencl-icd",
        VendorsPath().string());
  }
  std::vector<std::string> names;
  for (const RegisteredDriver& driver : drivers) {
    names.push_back(driver.icd.empty() ? driver.library
                                       : fmt::format("{} ({})", driver.icd, driver.library));
  }
  return fmt::format(
      "the OpenCL loader shows no platform, although each registered driver loads: {}; such a "
      "driver finds no device that it can use: ask it with its own tool, or install another, on "
      "Debian: apt install pocl-opencl-icd",
      fmt::join(names, ", "));
}

}  // namespace assay::oracle
