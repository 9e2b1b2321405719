#include "base/read_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace assay::base {
namespace {

namespace fs = std::filesystem;

// As far as it exists, without links; empty where that cannot be found out.
fs::path Real(const std::string& path) {
  std::error_code failure;
  fs::path real = fs::weakly_canonical(fs::absolute(path.empty() ? "." : path, failure), failure);
  if (failure) return {};
  // "a/" has an empty last part.
  return real.has_filename() ? real : real.parent_path();
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

}  // namespace

void ReadScope::Add(const std::string& path) {
  const fs::path real = Real(path);
  if (!real.empty()) paths_.push_back(real.string());
}

bool ReadScope::Allows(const std::string& path) const {
  const fs::path real = Real(path);
  return !real.empty() && std::any_of(paths_.begin(), paths_.end(), [&](const std::string& folder) {
    return IsBelow(real, folder);
  });
}

Expected<void> ReadScope::Check(const std::string& path, const std::string& who) const {
  if (Allows(path)) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: '{}' is outside of the folder, so it is not read; --allow-read DIR "
                          "allows what is below DIR",
                          who, path));
}

}  // namespace assay::base
