#include "layer/binaries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/digest.h"
#include "base/file_cache.h"
#include "layer/builds.h"

namespace assay::layer {

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

// Beside the compilers' cache.
base::FileCache Store() {
  return {base::CacheFolder("assay-binaries"), "assay-binaries/1\n", kMaxBytes};
}

// How a program keeps binaries, by what its process has open.
struct Keeper {
  std::string_view sign;  // in the path of a file that is mapped or open
  std::string_view advice;
};
constexpr Keeper kKeepers[] = {
    {"/pyopencl/", "set PYOPENCL_NO_CACHE=1, or empty the folder ~/.cache/pyopencl"},
    {"/tinygrad/", "set CCACHE=0, or remove the file ~/.cache/tinygrad/cache.db"},
    {"/_pyclesperanto", "set CLESPERANTO_NO_CACHE=1"},
    {"/cv2", "set OPENCV_OPENCL_CACHE_ENABLE=0"},
    {"libopencv_core", "set OPENCV_OPENCL_CACHE_ENABLE=0"},
    {"/darktable", "empty the folders ~/.cache/darktable/cached_*_kernels_*"},
    {"/hashcat", "empty the folder ~/.local/share/hashcat/kernels or ~/.cache/hashcat/kernels"},
};

// The paths of all files that the process has mapped or open, one a line.
std::string OpenFiles() {
  std::ifstream maps("/proc/self/maps");
  std::string files{std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>()};
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code closed;
    files += std::filesystem::read_symlink(entry->path(), closed).string() + "\n";
  }
  return files;
}

}  // namespace

void KnownBinaries::Remember(std::string_view binary, const std::shared_ptr<const Build>& build) {
  const std::string digest = base::Sha256(binary);
  {
    const std::lock_guard lock(mutex_);
    auto& known = builds_[digest];
    if (known && known->digest == build->digest) return;
    known = build;
  }
  Store().Store(digest, BuildText(*build));
}

std::shared_ptr<const Build> KnownBinaries::Find(std::string_view binary) {
  const std::string digest = base::Sha256(binary);
  const std::lock_guard lock(mutex_);
  if (const auto known = builds_.find(digest); known != builds_.end()) return known->second;
  const auto text = Store().Find(digest);
  auto build = text ? ReadBuildText(*text) : std::nullopt;
  if (!build) return nullptr;
  return builds_[digest] = Named(std::move(*build));
}

std::string UnknownBinary() {
  const std::string files = OpenFiles();
  std::vector<std::string_view> advice;
  for (const Keeper& keeper : kKeepers) {
    if (files.find(keeper.sign) != std::string::npos) advice.push_back(keeper.advice);
  }
  if (advice.empty()) advice = {"empty the folder in which it keeps compiled kernels"};
  return fmt::format(
      "the program is made from a binary of an earlier run that was not judged, so its source is "
      "not "
      "known; {}, and run the application again",
      fmt::join(advice, "; or "));
}

}  // namespace assay::layer
