// The versions of the libraries that compute the reference, for reports.
#pragma once

#include <string>

namespace assay::numerics {

// "MPFR 4.2.0, GMP 6.2.1, LLVM libc 22.1.8".
std::string TruthVersion();

}  // namespace assay::numerics
