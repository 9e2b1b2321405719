#include "numerics/truth_version.h"

#include <fmt/format.h>
#include <gmp.h>
#include <mpfr.h>

#include <algorithm>
#include <string_view>

#include "numerics/fast_path_llvm_libc.h"

#define ASSAY_TEXT_OF(name) #name
#define ASSAY_TEXT(name) ASSAY_TEXT_OF(name)
#define ASSAY_LLVM_LIBC_NAMESPACE_TEXT ASSAY_TEXT(ASSAY_LLVM_LIBC_NAMESPACE)

namespace assay::numerics {

std::string TruthVersion() {
  // The release is part of the library's namespace: "__llvm_libc_22_1_8_".
  constexpr std::string_view kPrefix = "__llvm_libc_";
  std::string release(ASSAY_LLVM_LIBC_NAMESPACE_TEXT);
  release = release.substr(kPrefix.size(), release.size() - kPrefix.size() - 1);
  std::replace(release.begin(), release.end(), '_', '.');
  return fmt::format("MPFR {}, GMP {}, LLVM libc {}", mpfr_get_version(), gmp_version, release);
}

}  // namespace assay::numerics
