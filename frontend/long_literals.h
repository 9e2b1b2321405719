// Integer literals with the suffix LL.
//
// OpenCL C reserves "long long" for 128-bit integers, and clang gives such literals that type,
// which SPIR-V does not have.  Programs that write 0xffULL mean the 64 bits of OpenCL C's long, and
// other OpenCL compilers read it so.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// The text with ULL, LL and their like written as UL and L, in the same columns: in numbers, and
// behind ## where macros put them together.  Comments, strings and names stay.
std::string WithLongLiterals(std::string_view text);

}  // namespace assay::frontend
