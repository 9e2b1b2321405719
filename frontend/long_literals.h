// Integer literals whose suffix has two letters l.
//
// OpenCL C reserves "long long", for integers of 128 bits, and clang makes such integers of the
// literals, which SPIR-V does not have.  What is written 0xffULL is meant as the 64 bits that long
// has in OpenCL C, and other compilers for OpenCL take it as that.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// The text with ULL, LL and their like written as UL and L, in the same columns: in numbers, and
// behind ## where macros put them together.  Comments, strings and names stay.
std::string WithLongLiterals(std::string_view text);

}  // namespace assay::frontend
